use super::{HERE, THERE, Thing, name_key, store};
use crate::records::{Message, Run, RunState, TABLES, User, kinds};
use crate::{Cursor, Error, Scan, TenantId, Timestamp, new_id};
use std::time::Duration;

fn thing(name: &str) -> Thing {
    Thing { name: name.into(), ..Thing::default() }
}

#[test]
fn update_increments_the_version_and_refuses_stale_writers() {
    let (_dir, store) = store();
    let id = new_id();
    let first = store.run_blocking(|tx| tx.insert(HERE, id, thing("a"))).unwrap();
    assert_eq!(first.version, 1);
    assert_eq!(first.created_at, first.updated_at);
    let mut changed = first.clone();
    changed.amount = 5;
    std::thread::sleep(Duration::from_millis(3));
    let second = store.run_blocking(|tx| tx.update(HERE, changed.clone())).unwrap();
    assert_eq!((second.version, second.created_at, second.amount), (2, first.created_at, 5));
    assert!(second.updated_at > first.updated_at);
    let stale = store.run_blocking(|tx| tx.update(HERE, first.clone()));
    assert!(matches!(stale, Err(Error::Stale("thing"))));
    assert_eq!(store.read_now(|reader| reader.require::<Thing>(HERE, &id)).unwrap(), second);
    assert!(store.run_blocking(|tx| tx.delete::<Thing>(HERE, &id)).unwrap());
    assert!(!store.run_blocking(|tx| tx.delete::<Thing>(HERE, &id)).unwrap());
    let gone = store.run_blocking(|tx| tx.update(HERE, second.clone()));
    assert!(matches!(gone, Err(Error::NotFound("thing"))));
}

#[test]
fn tenants_cannot_see_each_others_rows() {
    let (_dir, store) = store();
    let id = new_id();
    store.run_blocking(|tx| tx.insert(HERE, id, thing("a"))).unwrap();
    let there = store
        .read_now(|reader| {
            Ok::<_, Error>((
                reader.get::<Thing>(THERE, &id)?,
                reader.by_unique::<Thing>(THERE, "name", &name_key("a"))?,
                reader.scan::<Thing>(THERE, Scan::table())?.items,
                reader.scan::<Thing>(THERE, Scan::index("by_group"))?.items,
            ))
        })
        .unwrap();
    assert_eq!(there, (None, None, vec![], vec![]));
    // The same unique value and the same id are available in another tenant.
    store.run_blocking(|tx| tx.insert(THERE, id, thing("a"))).unwrap();
    store.run_blocking(|tx| tx.delete::<Thing>(THERE, &id)).unwrap();
    assert!(store.read_now(|reader| reader.get::<Thing>(HERE, &id)).unwrap().is_some());
}

#[test]
fn cursor_is_bound_to_one_list_and_malformed_text_is_refused() {
    let (_dir, store) = store();
    for name in ["a", "b", "c"] {
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing(name))).unwrap();
    }
    let scan = || Scan::index("name").limit(2);
    let page = store.read_now(|reader| reader.scan::<Thing>(HERE, scan())).unwrap();
    let cursor = page.next.unwrap();
    assert_eq!(Cursor::parse(&cursor.to_string()).unwrap(), cursor);
    assert!(cursor.to_string().bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let rest = store.read_now(|reader| reader.scan::<Thing>(HERE, scan().after(cursor.clone()))).unwrap();
    assert_eq!(rest.items.len(), 1);
    assert_eq!((rest.items[0].name.as_str(), rest.next), ("c", None));
    let mixed = store.read_now(|reader| reader.scan::<Thing>(HERE, Scan::table().after(cursor.clone())));
    assert!(matches!(mixed, Err(Error::Invalid(_))));
    for rubbish in ["", "a", "zz", "00", "783", "é1", "  ", "../..", &"ab".repeat(2000)] {
        if let Ok(cursor) = Cursor::parse(rubbish) {
            let read = store.read_now(|reader| reader.scan::<Thing>(HERE, scan().after(cursor)));
            assert!(matches!(read, Err(Error::Invalid(_))), "{rubbish}");
        }
    }
    let unknown = store.read_now(|reader| reader.scan::<Thing>(HERE, Scan::index("by_nothing")));
    assert!(matches!(unknown, Err(Error::Invalid(_))));
}

#[test]
fn rows_are_serialized_with_their_metadata() {
    let (_dir, store) = store();
    let id = (new_id(), new_id());
    let row = store.run_blocking(|tx| tx.insert_message(HERE, id, Message::default())).unwrap();
    let shown = serde_json::to_value(&row).unwrap();
    assert_eq!(shown["id"], id.1.to_string());
    assert_eq!(shown["version"], 1);
    assert_eq!(shown["created_at"], row.created_at.to_string());
    assert_eq!(shown["role"], "user");
    let at = Timestamp::from_millis(1_767_323_045_678);
    assert_eq!(at.to_string(), "2026-01-02T03:04:05.678Z");
    assert_eq!("2026-01-02T04:04:05.678+01:00".parse::<Timestamp>().unwrap(), at);
}

#[test]
fn sortable_bytes_are_in_the_order_of_timestamps() {
    let moments = [i64::MIN, -86_400_000, -1, 0, 1, 1_767_323_045_678, i64::MAX];
    let bytes: Vec<_> = moments.iter().map(|at| Timestamp::from_millis(*at).sortable()).collect();
    assert!(bytes.is_sorted());
}

#[test]
fn email_is_unique_regardless_of_case() {
    let (_dir, store) = store();
    let user = |email: &str| User { email: email.into(), ..User::default() };
    store.run_blocking(|tx| tx.insert(TenantId::SYSTEM, new_id(), user("ada@example.org"))).unwrap();
    let again = store.run_blocking(|tx| tx.insert(TenantId::SYSTEM, new_id(), user("ADA@example.org")));
    assert!(matches!(again, Err(Error::Taken { record: "user", index: "email" })));
    let key = User::email_key("Ada@Example.org");
    assert!(
        store.read_now(|reader| reader.by_unique::<User>(TenantId::SYSTEM, "email", &key)).unwrap().is_some()
    );
}

#[test]
fn the_live_index_holds_runs_until_they_end() {
    let (_dir, store) = store();
    let id = new_id();
    let live = || {
        let page = store.read_now(|reader| reader.scan::<Run>(HERE, Scan::index("live"))).unwrap();
        page.items.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    let mut run = store.run_blocking(|tx| tx.insert(HERE, id, Run::default())).unwrap();
    assert_eq!(live(), [id]);
    run.state = RunState::Cancelling;
    let mut run = store.run_blocking(|tx| tx.update(HERE, run.clone())).unwrap();
    assert_eq!(live(), [id]);
    run.state = RunState::Succeeded;
    run.expires_at = Some(Timestamp::from_millis(5));
    store.run_blocking(|tx| tx.update(HERE, run.clone())).unwrap();
    assert!(live().is_empty());
    let due = Scan::index("by_expiry").reverse().from(Timestamp::from_millis(5).sortable());
    assert_eq!(store.read_now(|reader| reader.scan::<Run>(HERE, due)).unwrap().items.len(), 1);
    let due = Scan::index("by_expiry").reverse().from(Timestamp::from_millis(4).sortable());
    assert!(store.read_now(|reader| reader.scan::<Run>(HERE, due)).unwrap().items.is_empty());
}

#[tokio::test]
async fn a_listener_is_notified_after_each_commit_and_misses_none() {
    let (_dir, store) = store();
    let id = new_id();
    let mut listener = store.subscribe(HERE, id);
    let mut other = store.subscribe(THERE, id);
    store.run(move |tx| tx.insert(HERE, id, thing("a"))).await.unwrap();
    // It was notified before the call of `changed`.
    listener.changed().await;
    let quiet = Duration::from_millis(30);
    assert!(tokio::time::timeout(quiet, listener.changed()).await.is_err(), "it was notified once");
    assert!(tokio::time::timeout(quiet, other.changed()).await.is_err(), "another tenant's");
    let late = listener.clone();
    drop(listener);
    let mut late = late;
    store.run(move |tx| tx.delete::<Thing>(HERE, &id)).await.unwrap();
    late.changed().await;
    let failed: Result<(), _> = store
        .run(move |tx| {
            tx.insert(HERE, id, thing("a"))?;
            Err(Error::Invalid("no".into()))
        })
        .await;
    assert!(failed.is_err());
    assert!(tokio::time::timeout(quiet, late.changed()).await.is_err(), "nothing was committed");
    drop((late, other));
    assert_eq!(store.inner.notifier.topics(), 0);
}

#[test]
fn tables_have_unique_key_bytes_and_are_listed() {
    let mut tables = Vec::new();
    for kind in kinds() {
        tables.push(kind.table);
        tables.extend(kind.indexes.iter().map(|index| index.table));
    }
    let listed: Vec<_> = TABLES.iter().map(|(table, _)| *table).collect();
    for table in &tables {
        assert!(listed.contains(table), "{} is not listed", table.escape_ascii());
    }
    // Thirteen tables have no record: format, epochs, journals, terminal records, secrets, sums, the ledger, the counters
    // of stored bytes, the messages that are to be indexed, and the four of activity.
    assert_eq!(tables.len() + 13, listed.len(), "the list contains a value that is not a table");
    let mut all: Vec<_> = listed.iter().chain(crate::records::RETIRED).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), listed.len() + crate::records::RETIRED.len(), "key bytes are used twice");
}
