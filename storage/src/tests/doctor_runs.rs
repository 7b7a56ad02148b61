use super::HERE;
use super::doctor::{event, harm, mends, sound};
use crate::journal::{append, put_terminal, set_epoch};
use crate::keys::of_id;
use crate::records::{Run, RunState};
use crate::tables::{EPOCH, JOURNAL};
use crate::{Scan, Timestamp, new_id};

#[test]
fn doctor_truncates_a_journal_at_a_gap() {
    let (_dir, store, ids) = sound();
    let entry = |seq: u64| [&of_id(JOURNAL, HERE, &ids.run)[..], &seq.to_be_bytes()].concat();
    harm(&store, |batch| batch.delete(entry(3)));
    mends(&store, "journal", "event 3 is missing, the next is 4");
    assert_eq!(store.journal_end(HERE, ids.run).unwrap(), 2);
    harm(&store, |batch| append(batch, HERE, ids.run, &[event(3)]));
    harm(&store, |batch| batch.put(entry(4), "\x04cut"));
    mends(&store, "journal", "at event 4");
    assert_eq!(store.journal_end(HERE, ids.run).unwrap(), 3);
    harm(&store, |batch| batch.delete(entry(1)));
    mends(&store, "journal", "event 1 is missing");
    assert_eq!(store.journal_end(HERE, ids.run).unwrap(), 0);
}

#[test]
fn doctor_deletes_data_of_runs_that_do_not_exist() {
    let (_dir, store, ids) = sound();
    let gone = new_id();
    harm(&store, |batch| append(batch, HERE, gone, &[event(1), event(2)]));
    mends(&store, "journal", "its run does not exist");
    harm(&store, |batch| set_epoch(batch, HERE, gone, 1));
    mends(&store, "epoch", "its run does not exist");
    harm(&store, |batch| put_terminal(batch, HERE, gone, "{}".into()));
    mends(&store, "terminal record", "its run does not exist");
    // The neighbouring run is unchanged.
    assert_eq!(store.journal_end(HERE, ids.run).unwrap(), 5);
}

#[test]
fn doctor_writes_the_missing_epoch_of_a_live_run() {
    let (_dir, store, ids) = sound();
    harm(&store, |batch| batch.delete(of_id(EPOCH, HERE, &ids.run)));
    mends(&store, "run", "epoch is missing");
    assert_eq!(store.journal_epoch(HERE, ids.run).unwrap(), Some(0));
}

#[test]
fn doctor_removes_a_reference_to_a_missing_message() {
    let (_dir, store, ids) = sound();
    store.run_blocking(|tx| tx.delete_message(HERE, &(ids.conversation, ids.message))).unwrap();
    mends(&store, "run", &format!("message {} does not exist", ids.message));
}

fn end(store: &crate::Store, ids: &super::doctor::Ids, state: RunState) {
    store
        .run_blocking(|tx| {
            let mut run = tx.require::<Run>(HERE, &ids.run)?;
            run.state = state;
            run.expires_at = Some(Timestamp::now());
            tx.update(HERE, run)?;
            let mut message =
                tx.require::<crate::records::Message>(HERE, &(ids.conversation, ids.message))?;
            message.status = crate::records::MessageStatus::Complete;
            tx.update_message(HERE, message)
        })
        .unwrap();
}

#[test]
fn doctor_writes_the_missing_terminal_record_of_an_ended_run() {
    let (_dir, store, ids) = sound();
    end(&store, &ids, RunState::Failed);
    mends(&store, "run", "ended without a terminal record");
    let terminal = store.terminal(HERE, ids.run).unwrap().unwrap();
    let terminal: serde_json::Value = serde_json::from_slice(&terminal).unwrap();
    assert_eq!((&terminal["status"], &terminal["last_seq"]), (&"failed".into(), &5.into()));
    for field in "reason cancelled_by error usage cost_nanos started_at finished_at partial".split(' ') {
        assert!(terminal.get(field).is_some(), "{field}");
    }
}

#[test]
fn doctor_sets_the_row_to_the_state_of_the_terminal_record() {
    for state in [RunState::Running, RunState::Cancelled] {
        let (_dir, store, ids) = sound();
        end(&store, &ids, state);
        harm(&store, |batch| put_terminal(batch, HERE, ids.run, r#"{"status":"succeeded"}"#.into()));
        mends(&store, "run", "terminal record");
        let row = store.read_now(|reader| reader.require::<Run>(HERE, &ids.run)).unwrap();
        assert_eq!(row.state, RunState::Succeeded);
        let live = store.read_now(|reader| reader.scan::<Run>(HERE, Scan::index("live"))).unwrap();
        assert!(live.items.is_empty());
        let due = store.read_now(|reader| reader.scan::<Run>(HERE, Scan::index("by_expiry"))).unwrap();
        assert_eq!(due.items.len(), 1);
    }
}
