//! A disk with little or no room.

use super::{HERE, Thing, sled_at};
use crate::engine::{Batch, Engine};
use crate::{Error, OpenError, RoomOptions, Store, StoreOptions, new_id};
use std::path::Path;

fn options(dir: &Path, low_water: u64, reserve: u64) -> StoreOptions {
    StoreOptions { room: RoomOptions { low_water, reserve }, ..StoreOptions::new(dir) }
}

fn insert(store: &Store, name: &str) -> Result<(), Error> {
    let thing = Thing { name: name.into(), ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone()).map(drop))
}

#[test]
fn room_below_the_low_water_mark_refuses_what_is_new_and_takes_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_with(options(dir.path(), u64::MAX, 0), None, &[]).unwrap();
    assert!(matches!(store.has_room(), Err(Error::Full)));
    insert(&store, "under way").unwrap();
    let room = store.room();
    assert!(room.is_low && !room.is_exhausted && room.free > 0);
}

#[test]
fn room_below_the_reserve_leaves_reads_alone_and_the_store_goes_on_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    // A first start needs room.
    let refused = Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).map(drop);
    assert!(matches!(refused, Err(OpenError::Full { .. })), "{refused:?}");
    let store = Store::open_with(options(dir.path(), 0, 0), None, &[]).unwrap();
    insert(&store, "one").unwrap();
    drop(store);
    let store = Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).unwrap();
    assert!(matches!(insert(&store, "two"), Err(Error::Full)));
    assert!(store.is_healthy(), "it is not for good");
    // A transaction that only reads is checked and passes.
    let found = store.run_blocking::<_, Error>(|tx| tx.scan::<Thing>(HERE, crate::Scan::table())).unwrap();
    assert_eq!(found.items.len(), 1);
    drop(store);
    insert(&Store::open_with(options(dir.path(), 0, 0), None, &[]).unwrap(), "two").unwrap();
}

#[test]
fn log_that_meets_the_end_of_the_disk_refuses_one_group_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let engine = sled_at(dir.path());
    let put = |key: &str| {
        let mut batch = Batch::new();
        batch.put(key.to_owned(), "v");
        [batch]
    };
    let full = engine.fill_disk();
    assert!(matches!(engine.commit(&put("a"))[..], [Err(Error::Full)]));
    engine.free_disk(full);
    assert!(engine.commit(&put("b"))[0].is_ok());
    drop(engine);
    let engine = sled_at(dir.path());
    assert_eq!(engine.get(b"a").unwrap(), None);
    assert_eq!(engine.get(b"b").unwrap().unwrap(), "v");
}

#[test]
fn reserve_is_a_file_that_a_start_on_a_full_disk_gives_up() {
    let dir = tempfile::tempdir().unwrap();
    let reserve = dir.path().join("reserve");
    drop(Store::open_with(options(dir.path(), 0, 1 << 20), None, &[]).unwrap());
    assert_eq!(std::fs::metadata(&reserve).unwrap().len(), 3 << 18);
    drop(Store::open_with(options(dir.path(), 0, u64::MAX), None, &[]).unwrap());
    assert!(!reserve.exists());
    // Not where that would take what is left.
    drop(Store::open_with(options(dir.path(), u64::MAX / 2, 1 << 20), None, &[]).unwrap());
    assert!(!reserve.exists());
}
