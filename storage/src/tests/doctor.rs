use super::{HERE, blobs, store};
use crate::doctor::{Problem, Report, examine};
use crate::engine::Batch;
use crate::keys::{HEAD, record_key};
use crate::records::{Conversation, Message, MessageStatus, Part, Project, ProjectCount, Run, User};
use crate::{Record, Store, TenantId, new_id};
use tempfile::TempDir;
use uuid::Uuid;

/// A store with objects of every kind, without any problem.
pub fn sound() -> (TempDir, Store, Ids) {
    let (dir, store) = store();
    let ids = Ids { conversation: new_id(), message: new_id(), run: new_id(), user: new_id() };
    let user = User { email: "ada@example.org".into(), ..User::default() };
    let run =
        Run { conversation_id: Some(ids.conversation), message_id: Some(ids.message), ..Run::default() };
    let message = Message { run_id: Some(ids.run), status: MessageStatus::Streaming, ..Message::default() };
    store
        .run_blocking(|tx| {
            tx.insert(TenantId::SYSTEM, ids.user, user.clone())?;
            tx.insert(HERE, ids.conversation, Conversation { owner: ids.user, ..Conversation::default() })?;
            tx.insert_message(HERE, (ids.conversation, ids.message), message.clone())?;
            tx.insert(HERE, ids.run, run.clone())?;
            tx.put_secret(HERE, "provider", b"sk-1")?;
            let events: Vec<_> = (1..=5).map(event).collect();
            crate::journal::append(tx.batch(), HERE, ids.run, &events[..2]);
            crate::journal::append(tx.batch(), HERE, ids.run, &events[2..3]);
            crate::journal::append(tx.batch(), HERE, ids.run, &events[3..]);
            crate::journal::set_epoch(tx.batch(), HERE, ids.run, 0);
            Ok::<_, crate::Error>(())
        })
        .unwrap();
    let report = examine(&store, false, &mut |_| {}).unwrap();
    assert_eq!(report.problems, []);
    assert!(report.checked > 8);
    (dir, store, ids)
}

pub struct Ids {
    pub conversation: Uuid,
    pub message: Uuid,
    pub run: Uuid,
    pub user: Uuid,
}

pub fn event(seq: u64) -> crate::JournalEvent {
    crate::JournalEvent { seq, kind: "text.delta".into(), json: "{}".into() }
}

/// Writes a batch directly, bypassing transactions.
pub fn harm(store: &Store, f: impl FnOnce(&mut Batch)) {
    let mut batch = Batch::new();
    f(&mut batch);
    store.commit_blocking(batch).unwrap();
}

pub fn look(store: &Store, repair: bool) -> Report {
    examine(store, repair, &mut |_| {}).unwrap()
}

/// The problems at this place and elsewhere, except for the counters of stored bytes, which do not include what
/// [`harm`] writes.
fn problems<'r>(report: &'r Report, place: &str) -> Vec<&'r Problem> {
    const COUNTER: &str = "counter of stored bytes";
    let wanted = |problem: &&Problem| place == COUNTER || !problem.where_.starts_with(COUNTER);
    report.problems.iter().filter(wanted).collect()
}

/// Checks that the only problem is found, is unchanged without `repair`, and is repaired permanently with it.
pub fn mends(store: &Store, place: &str, what: &str) {
    for repair in [false, true] {
        let report = look(store, repair);
        let problems = problems(&report, place);
        let [problem] = problems[..] else { panic!("{problems:?}") };
        assert!(problem.where_.starts_with(place) && problem.what.contains(what), "{problem}");
        assert_eq!(problem.repaired.is_some(), repair, "{problem}");
        assert_eq!(report.is_sound(), repair);
    }
    assert_eq!(look(store, false).problems, []);
}

/// Checks that the only problem is found, and that nothing is done about it.
fn tells(store: &Store, place: &str, what: &str) {
    for repair in [true, false] {
        let report = look(store, repair);
        let problems = problems(&report, place);
        let [problem] = problems[..] else { panic!("{problems:?}") };
        assert!(problem.where_.starts_with(place) && problem.what.contains(what), "{problem}");
        assert!(!report.is_sound());
    }
}

fn entry_of<T: Record>(store: &Store, tenant: TenantId, id: &T::Id, index: usize) -> Vec<u8> {
    let row = store.read_now(|reader| reader.require::<T>(tenant, id)).unwrap();
    crate::reader::entries(&T::INDEXES[index], tenant, &row).next().unwrap()
}

#[test]
fn doctor_writes_a_missing_index_entry() {
    let (_dir, store, ids) = sound();
    let entry = entry_of::<Conversation>(&store, HERE, &ids.conversation, 0);
    harm(&store, |batch| batch.delete(entry));
    mends(&store, "conversation", "by_owner_updated");
}

#[test]
fn doctor_rewrites_a_wrong_unique_entry() {
    let (_dir, store, ids) = sound();
    let entry = entry_of::<User>(&store, TenantId::SYSTEM, &ids.user, 0);
    harm(&store, |batch| batch.put(entry, new_id().as_bytes().to_vec()));
    let report = look(&store, true);
    // Found from both sides.
    assert!(!report.problems.is_empty() && report.is_sound(), "{:?}", report.problems);
    assert_eq!(look(&store, false).problems, []);
    let key = User::email_key("ada@example.org");
    let found = store.read_now(|reader| reader.by_unique::<User>(TenantId::SYSTEM, "email", &key)).unwrap();
    assert_eq!(found.unwrap().id, ids.user);
}

#[test]
fn doctor_deletes_an_index_entry_without_a_row() {
    let (_dir, store, ids) = sound();
    let mut entry = entry_of::<Conversation>(&store, HERE, &ids.conversation, 0);
    entry[HEAD] ^= 1;
    harm(&store, |batch| batch.put(entry.clone(), ids.conversation.as_bytes().to_vec()));
    mends(&store, "index by_owner_updated of conversation", "does not match any row");
    harm(&store, |batch| batch.put(entry, "rubbish"));
    mends(&store, "index by_owner_updated of conversation", "does not match any row");
}

#[test]
fn doctor_reports_two_rows_with_the_same_unique_value() {
    let (_dir, store, ids) = sound();
    let row = store.read_now(|reader| reader.require::<User>(TenantId::SYSTEM, &ids.user)).unwrap();
    harm(&store, |batch| {
        batch.put(record_key(User::TABLE, TenantId::SYSTEM, &new_id()), row.encode().unwrap())
    });
    tells(&store, "user", "another row has the same email");
}

#[test]
fn doctor_reports_an_unreadable_row_and_retains_it() {
    let (_dir, store, ids) = sound();
    let key = record_key(User::TABLE, TenantId::SYSTEM, &ids.user);
    let row = store.read_now(|reader| reader.raw_get(&key)).unwrap().unwrap();
    for value in [row.slice(..row.len() - 1), row.slice(..3), bytes::Bytes::new()] {
        harm(&store, |batch| batch.put(key.clone(), value));
        tells(&store, "user", "cannot be read");
    }
    assert!(store.read_now(|reader| reader.raw_get(&key)).unwrap().is_some());
}

#[test]
fn doctor_reports_an_unknown_table() {
    let (_dir, store, _ids) = sound();
    harm(&store, |batch| batch.put("qq something", "x"));
    tells(&store, "table qq", "does not know the table");
}

#[test]
fn doctor_reports_a_secret_of_another_key() {
    let (_dir, store, _ids) = sound();
    harm(&store, |batch| batch.put(record_key(*b"zs", HERE, &"mail".to_owned()), vec![1; 60]));
    tells(&store, "secret mail", "cannot be decrypted");
}

#[test]
fn doctor_deletes_a_message_without_a_conversation() {
    let (_dir, store, ids) = sound();
    let key = record_key(Message::TABLE, HERE, &(new_id(), ids.message));
    let row = crate::Row { id: (new_id(), ids.message), ..message(&store, &ids) };
    harm(&store, |batch| batch.put(key, row.encode().unwrap()));
    mends(&store, "message", "conversation does not exist");
}

fn message(store: &Store, ids: &Ids) -> crate::Row<Message> {
    store.read_now(|reader| reader.require::<Message>(HERE, &(ids.conversation, ids.message))).unwrap()
}

#[test]
fn doctor_marks_a_message_without_a_writer_as_interrupted() {
    let (_dir, store, ids) = sound();
    let other = new_id();
    let orphan = Message { status: MessageStatus::Streaming, run_id: Some(new_id()), ..Message::default() };
    store.run_blocking(|tx| tx.insert_message(HERE, (ids.conversation, other), orphan.clone())).unwrap();
    mends(&store, "message", "no run is writing it");
    let row = store.read_now(|reader| reader.require::<Message>(HERE, &(ids.conversation, other))).unwrap();
    assert_eq!((row.status, row.version), (MessageStatus::Interrupted, 2));
    assert_eq!(message(&store, &ids).status, MessageStatus::Streaming);
}

#[tokio::test]
async fn doctor_reports_missing_blobs_and_notes_unused_ones() {
    let (dir, store, ids) = sound();
    let orphan = store.blobs().put_bytes(HERE, "orphan".into()).await.unwrap();
    for repair in [false, true] {
        let report = look(&store, repair);
        let note = &report.notes[0];
        assert!(
            note.where_.starts_with(&format!("blob {orphan}")) && note.what.contains("no row refers to it"),
            "{note}"
        );
        assert_eq!((report.notes.len(), note.repaired.is_some()), (1, repair), "{note}");
        assert!(report.problems.is_empty(), "it goes by itself: {:?}", report.problems);
    }
    assert_eq!(look(&store, false).notes, []);
    assert!(!store.blobs().exists(HERE, &orphan).await.unwrap());

    let id = store.blobs().put_bytes(HERE, "needed".into()).await.unwrap();
    let mut row = message(&store, &ids);
    row.parts = vec![Part::File { blob_id: id.clone(), media_type: "text/plain".into(), filename: None }];
    store.run(move |tx| tx.update_message(HERE, row.clone())).await.unwrap();
    assert_eq!(look(&store, true).problems, []);
    std::fs::write(blobs::path_of(&dir, &id), "bent").unwrap();
    tells(&store, &format!("blob {id}"), "does not match its id");
    store.blobs().delete(HERE, &id).await.unwrap();
    tells(&store, "message", "is missing");
}

#[test]
fn doctor_corrects_a_wrong_count_of_conversations() {
    let (_dir, store, _ids) = sound();
    let (project, other) = (new_id(), new_id());
    let placed: crate::Result<Vec<Uuid>> = store.run_blocking(|tx| {
        tx.insert(HERE, project, Project::default())?;
        tx.insert(HERE, other, Project::default())?;
        let place = |_| {
            let mut conversation = Conversation::default();
            tx.place_conversation(HERE, &mut conversation, Some(project))?;
            Ok(tx.insert(HERE, new_id(), conversation)?.id)
        };
        (0..3).map(place).collect()
    });
    let placed = placed.unwrap();
    assert_eq!(look(&store, false).problems, []);
    let counted = || store.read_now(|reader| reader.get::<ProjectCount>(HERE, &project)).unwrap();
    let key = record_key(ProjectCount::TABLE, HERE, &project);
    harm(&store, |batch| batch.delete(key.clone()));
    mends(&store, "project_count", "it is missing");
    let mut row = counted().unwrap();
    row.conversations = 7;
    harm(&store, |batch| batch.put(key.clone(), row.encode().unwrap()));
    mends(&store, "project_count", "it has 7, but there are 3");
    assert_eq!(counted().unwrap().conversations, 3);
    let strange = crate::Row { id: new_id(), ..row.clone() };
    harm(&store, |batch| {
        batch.put(record_key(ProjectCount::TABLE, HERE, &strange.id), strange.encode().unwrap())
    });
    mends(&store, "project_count", "its project does not exist");
    // An unreadable conversation may belong to the project, so nothing is counted in this case.
    let conversation = record_key(Conversation::TABLE, HERE, &placed[0]);
    let original = store.read_now(|reader| reader.raw_get(&conversation)).unwrap().unwrap();
    row.conversations = 9;
    harm(&store, |batch| {
        batch.put(conversation.clone(), original.slice(..original.len() - 1));
        batch.put(key.clone(), row.encode().unwrap());
    });
    tells(&store, "conversation", "cannot be read");
    harm(&store, |batch| batch.put(conversation.clone(), original));
    mends(&store, "project_count", "it has 9, but there are 3");
    // No count was written for another project.
    assert_eq!(store.read_now(|reader| reader.get::<ProjectCount>(HERE, &other)).unwrap(), None);
    harm(&store, |batch| batch.delete(record_key(Project::TABLE, HERE, &project)));
    let problems = look(&store, true).problems;
    assert!(
        problems.iter().any(|problem| problem.what.contains("does not exist") && problem.repaired.is_none())
    );
}
