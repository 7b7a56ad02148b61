//! A disk with little or no free space.

use super::{HERE, Thing, everything, put, small};
use crate::engine::index::IndexKind;
use crate::engine::{Engine, EngineOptions, LogEngine};
use crate::files::simulated::{Failure, Fault, Operation, SimulatedDisk};
use crate::{Error, OpenError, RoomOptions, Store, StoreOptions, new_id};
use std::path::Path;
use std::sync::Arc;

fn options(dir: &Path, low_water: u64, reserve: u64) -> StoreOptions {
    StoreOptions { room: RoomOptions { low_water, reserve }, ..StoreOptions::new(dir) }
}

fn insert(store: &Store, name: &str) -> Result<(), Error> {
    let thing = Thing { name: name.into(), ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone()).map(drop))
}

#[test]
fn store_below_the_low_water_mark_refuses_new_work_and_accepts_other_writes() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_with(options(dir.path(), u64::MAX, 0), None, &[]).unwrap();
    assert!(matches!(store.has_room(), Err(Error::Full)));
    insert(&store, "under way").unwrap();
    let room = store.room();
    assert!(room.is_low && !room.is_exhausted && room.free > 0);
}

#[test]
fn store_below_the_reserve_serves_reads_and_resumes_automatically() {
    let dir = tempfile::tempdir().unwrap();
    // A first start needs space.
    let refused = Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).map(drop);
    assert!(matches!(refused, Err(OpenError::Full { .. })), "{refused:?}");
    let store = Store::open_with(options(dir.path(), 0, 0), None, &[]).unwrap();
    insert(&store, "one").unwrap();
    drop(store);
    let store = Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).unwrap();
    assert!(matches!(insert(&store, "two"), Err(Error::Full)));
    assert!(store.is_healthy(), "it is not for good");
    // A transaction that only reads is validated and succeeds.
    let found = store.run_blocking::<_, Error>(|tx| tx.scan::<Thing>(HERE, crate::Scan::table())).unwrap();
    assert_eq!(found.items.len(), 1);
    drop(store);
    insert(&Store::open_with(options(dir.path(), 0, 0), None, &[]).unwrap(), "two").unwrap();
}

#[test]
fn log_on_a_full_disk_refuses_one_group_and_continues() {
    for power_safe in [false, true] {
        let disk = SimulatedDisk::new(1);
        // Each commit begins a segment.
        let files = Arc::new(disk.clone());
        let options = EngineOptions { files, index: IndexKind::Map, power_safe, segment_bytes: 1, ..small() };
        let dir = Path::new("/engine");
        let engine = LogEngine::open(dir, options.clone()).unwrap();
        assert!(engine.commit(&[put("a", b"1")])[0].is_ok());
        for after in 0..3 {
            disk.inject(Fault {
                on: Some(Operation::Write),
                after,
                times: u64::MAX,
                failure: Failure::NoSpace,
            });
            let mut refused = Vec::new();
            while refused.is_empty() {
                let verdicts = engine.commit(&[put("a", b"2"), put("b", b"2")]);
                refused.extend(verdicts.into_iter().filter_map(Result::err));
            }
            assert!(matches!(refused[..], [Error::Full, Error::Full]), "{refused:?}");
            disk.stop_failing();
            assert!(engine.commit(&[put("a", b"1"), put("c", b"3")]).iter().all(Result::is_ok));
        }
        let before = everything(&engine);
        engine.abandon();
        let engine = LogEngine::open(dir, options).unwrap();
        assert_eq!(everything(&engine), before);
        assert_eq!(engine.get(b"a").unwrap().unwrap(), "1");
    }
}

#[test]
fn reserve_file_is_deleted_by_a_start_on_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    let reserve = dir.path().join("reserve");
    drop(Store::open_with(options(dir.path(), 0, 1 << 20), None, &[]).unwrap());
    assert_eq!(std::fs::metadata(&reserve).unwrap().len(), 3 << 18);
    drop(Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).unwrap());
    assert!(!reserve.exists());
    // Not created if it would take the remaining space.
    drop(Store::open_with(options(dir.path(), u64::MAX / 2, 1 << 20), None, &[]).unwrap());
    assert!(!reserve.exists());
}
