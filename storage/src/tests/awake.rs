//! The indexes of runs that are in memory and of runs that are not.

use super::doctor::{harm, look};
use super::{HERE, store};
use crate::engine::{Direction, KeyRange};
use crate::migrations::MIGRATIONS;
use crate::records::{Run, RunState};
use crate::{Scan, Store, StoreOptions, Timestamp, new_id};
use std::time::Duration;
use uuid::Uuid;

const ANN: Uuid = Uuid::from_u128(501);

fn insert(store: &Store, run: &Run) -> Uuid {
    let id = new_id();
    store.run_blocking(|tx| tx.insert(HERE, id, run.clone()).map(drop)).unwrap();
    id
}

fn found(store: &Store, scan: Scan) -> Vec<Uuid> {
    let page = store.read_now(|reader| reader.scan::<Run>(HERE, scan)).unwrap();
    page.items.iter().map(|row| row.id).collect()
}

#[test]
fn run_is_indexed_as_awake_or_unloaded_until_it_ends() {
    let (_dir, store) = store();
    let now = Timestamp::now();
    let run = |unloaded, wake_at| {
        insert(&store, &Run { user: ANN, state: RunState::Waiting, unloaded, wake_at, ..Run::default() })
    };
    let awake = run(false, None);
    let (late, soon) = (run(true, Some(now + Duration::from_secs(60))), run(true, Some(now)));
    let never = run(true, None);
    assert_eq!(found(&store, Scan::index("awake")), [awake]);
    assert_eq!(found(&store, Scan::index("by_wake")), [soon, late]);
    assert_eq!(found(&store, Scan::index("unloaded_by_user").prefix(*ANN.as_bytes())), [late, soon, never]);
    assert_eq!(found(&store, Scan::index("live")).len(), 4);
    store
        .run_blocking(|tx| {
            let mut row = tx.require::<Run>(HERE, &soon)?;
            row.state = RunState::Cancelled;
            tx.update(HERE, row).map(drop)
        })
        .unwrap();
    assert_eq!(found(&store, Scan::index("by_wake")), [late]);
}

#[test]
fn migration_indexes_runs_of_older_data_as_awake() {
    let dir = tempfile::tempdir().unwrap();
    let live = {
        let store = Store::open_with(StoreOptions::new(dir.path()), None, &MIGRATIONS[..4]).unwrap();
        let live = insert(&store, &Run { state: RunState::Waiting, ..Run::default() });
        insert(&store, &Run { state: RunState::Succeeded, ..Run::default() });
        let entries = store.inner.engine.scan(KeyRange::prefix(b"r5"), Direction::Forward, 100).unwrap();
        harm(&store, |batch| entries.into_iter().for_each(|(key, _)| batch.delete(key)));
        live
    };
    let store = Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    assert_eq!(found(&store, Scan::index("awake")), [live]);
    let problems = look(&store, false).problems;
    assert!(problems.iter().all(|problem| !problem.what.contains("awake")), "{problems:?}");
}
