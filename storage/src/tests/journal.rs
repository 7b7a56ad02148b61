use super::{HERE, THERE, store};
use crate::engine::Batch;
use crate::journal::{self, JournalEvent};
use crate::{Error, Store, new_id};
use proptest::prelude::*;
use uuid::Uuid;

fn events(from: u64, sizes: &[usize]) -> Vec<JournalEvent> {
    let make = |(at, size): (usize, &usize)| JournalEvent {
        seq: from + at as u64,
        kind: if at.is_multiple_of(2) { "text.delta".into() } else { String::from("tool.call.delta").into() },
        json: format!("{{\"n\":{},\"pad\":\"{}\"}}", from + at as u64, "x".repeat(*size)).into(),
    };
    sizes.iter().enumerate().map(make).collect()
}

fn write(store: &Store, run: Uuid, events: &[JournalEvent]) {
    let mut batch = Batch::new();
    journal::append(&mut batch, HERE, run, events);
    store.commit_blocking(batch).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn journal_read_returns_the_rest_from_every_offset(appends in proptest::collection::vec(
        proptest::collection::vec(prop_oneof![4 => 0usize..200, 1 => 3_000usize..20_000], 1..12), 1..8), max in 1usize..40_000)
    {
        let (_dir, store) = store();
        let run = new_id();
        // Neighbours that must not be visible: runs with adjacent ids, and another tenant.
        write(&store, Uuid::from_u128(run.as_u128() - 1), &events(1, &[1, 1]));
        write(&store, Uuid::from_u128(run.as_u128() + 1), &events(1, &[1, 1]));
        let mut all = Vec::new();
        for sizes in &appends {
            let more = events(all.len() as u64 + 1, sizes);
            write(&store, run, &more);
            all.extend(more);
        }
        prop_assert_eq!(store.journal_end(HERE, run).unwrap(), all.len() as u64);
        prop_assert_eq!(store.journal_end(THERE, run).unwrap(), 0);
        for after in 0..=all.len() {
            let read = store.journal_read(HERE, run, after as u64, usize::MAX).unwrap();
            prop_assert_eq!(&read[..], &all[after..]);
            // Also in small portions.
            let mut at = after;
            while at < all.len() {
                let read = store.journal_read(HERE, run, at as u64, max).unwrap();
                prop_assert!(!read.is_empty());
                let bytes: usize = read.iter().map(|event| event.json.len()).sum();
                prop_assert!(read.len() == 1 || bytes <= max);
                prop_assert_eq!(&read[..], &all[at..at + read.len()]);
                at += read.len();
            }
        }
        prop_assert!(store.journal_read(HERE, run, all.len() as u64 + 5, 100).unwrap().is_empty());
        prop_assert!(store.journal_read(HERE, run, u64::MAX, 100).unwrap().is_empty());
    }
}

#[tokio::test]
async fn older_epoch_is_fenced_off() {
    let (_dir, store) = store();
    let run = new_id();
    let mut batch = Batch::new();
    journal::set_epoch(&mut batch, HERE, run, 1);
    store.commit(batch).await.unwrap();
    assert_eq!(store.journal_epoch(HERE, run).unwrap(), Some(1));

    let append = |epoch| {
        let mut batch = Batch::new();
        journal::expect_epoch(&mut batch, HERE, run, epoch);
        journal::append(&mut batch, HERE, run, &events(1, &[1]));
        batch
    };
    let mut recovery = Batch::new();
    journal::expect_epoch(&mut recovery, HERE, run, 1);
    journal::set_epoch(&mut recovery, HERE, run, 2);
    store.commit(recovery).await.unwrap();
    assert!(matches!(store.commit(append(1)).await, Err(Error::Conflict)));
    assert_eq!(store.journal_end(HERE, run).unwrap(), 0);
    store.commit(append(2)).await.unwrap();
    assert_eq!(store.journal_end(HERE, run).unwrap(), 1);
}

#[tokio::test]
async fn a_terminal_record_is_written_once() {
    let (_dir, store) = store();
    let run = new_id();
    let end = |json: &'static str| {
        let mut batch = Batch::new();
        journal::put_terminal(&mut batch, HERE, run, json.into());
        journal::append(&mut batch, HERE, run, &events(1, &[1]));
        batch
    };
    let (first, second) = tokio::join!(store.commit(end("cancelled")), store.commit(end("succeeded")));
    first.unwrap();
    assert!(matches!(second, Err(Error::Conflict)));
    assert_eq!(store.terminal(HERE, run).unwrap().unwrap(), "cancelled");
    assert_eq!(store.terminal(THERE, run).unwrap(), None);
}

#[tokio::test]
async fn drop_journal_retains_the_terminal_record_and_other_journals() {
    let (_dir, store) = store();
    let (run, other) = (new_id(), new_id());
    for (run, count) in [(run, 300), (other, 3)] {
        for at in 0..count {
            write(&store, run, &events(at + 1, &[10]));
        }
        let mut batch = Batch::new();
        journal::put_terminal(&mut batch, HERE, run, "done".into());
        journal::set_epoch(&mut batch, HERE, run, 1);
        store.commit(batch).await.unwrap();
    }
    store.run(move |tx| tx.drop_journal(HERE, run)).await.unwrap();
    assert_eq!(store.journal_end(HERE, run).unwrap(), 0);
    assert_eq!(store.terminal(HERE, run).unwrap().unwrap(), "done");
    store.run(move |tx| tx.drop_run(HERE, run)).await.unwrap();
    assert_eq!(store.terminal(HERE, run).unwrap(), None);
    assert_eq!(store.journal_epoch(HERE, run).unwrap(), None);
    assert_eq!(store.journal_end(HERE, other).unwrap(), 3);
}

#[tokio::test]
async fn journal_appends_of_a_transaction_are_committed_with_its_rows() {
    let (_dir, store) = store();
    let run = new_id();
    let failed: Result<(), Error> = store
        .run(move |tx| {
            journal::append(tx.batch(), HERE, run, &events(1, &[1]));
            Err(Error::Invalid("no".into()))
        })
        .await;
    assert!(failed.is_err());
    assert_eq!(store.journal_end(HERE, run).unwrap(), 0);
    store
        .run(move |tx| {
            journal::append(tx.batch(), HERE, run, &events(1, &[1, 1]));
            Ok::<_, Error>(())
        })
        .await
        .unwrap();
    assert_eq!(store.journal_end(HERE, run).unwrap(), 2);
}

#[test]
fn a_damaged_entry_is_an_error_not_a_panic() {
    let (_dir, store) = store();
    let run = new_id();
    let mut batch = Batch::new();
    journal::append(&mut batch, HERE, run, &events(1, &[50, 50]));
    let crate::engine::Op::Put(key, value) = batch.ops[0].clone() else { unreachable!() };
    for cut in 1..value.len() {
        let mut batch = Batch::new();
        batch.put(key.clone(), value.slice(..cut));
        store.commit_blocking(batch).unwrap();
        match store.journal_read(HERE, run, 0, usize::MAX) {
            Err(Error::Corrupt(_)) => {}
            // The truncation was exactly between the two events.
            Ok(read) => assert_eq!(read.len(), 1, "cut at {cut}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn entry_with_the_highest_number_is_damaged_and_does_not_overflow() {
    let mut value = vec![1, b'x'];
    value.extend(2_u32.to_be_bytes());
    value.extend(b"{}");
    let events = journal::entry::decode(&u64::MAX.to_be_bytes(), value.repeat(2).into());
    assert!(matches!(events, Err(Error::Corrupt(_))), "{events:?}");
}
