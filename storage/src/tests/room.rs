//! A disk with little or no room.

use super::{HERE, Thing, engine_at, everything, put, small};
use crate::engine::{Engine, EngineOptions, LogEngine};
use crate::files::{FileSystem, RandomAccessFile, SystemFiles};
use crate::{Error, OpenError, RoomOptions, Store, StoreOptions, new_id};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// The system's files on a disk that can be full.
#[derive(Debug, Default)]
struct FullDisk(Arc<AtomicBool>);

#[derive(Debug)]
struct FullFile(Arc<dyn RandomAccessFile>, Arc<AtomicBool>);

fn room_on(is_full: &AtomicBool) -> std::io::Result<()> {
    match is_full.load(Ordering::SeqCst) {
        true => Err(ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}

impl FileSystem for FullDisk {
    fn open(&self, path: &Path) -> std::io::Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(FullFile(SystemFiles.open(path)?, self.0.clone())))
    }
    fn create(&self, path: &Path) -> std::io::Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(FullFile(SystemFiles.create(path)?, self.0.clone())))
    }
    fn names(&self, dir: &Path) -> std::io::Result<Vec<String>> {
        SystemFiles.names(dir)
    }
    fn create_dir(&self, dir: &Path) -> std::io::Result<()> {
        SystemFiles.create_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        SystemFiles.rename(from, to)
    }
    fn remove(&self, path: &Path) -> std::io::Result<()> {
        SystemFiles.remove(path)
    }
    fn remove_dir(&self, dir: &Path) -> std::io::Result<()> {
        SystemFiles.remove_dir(dir)
    }
    fn sync_dir(&self, dir: &Path) -> std::io::Result<()> {
        SystemFiles.sync_dir(dir)
    }
}

impl RandomAccessFile for FullFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        // A part of it reaches the file.
        if self.1.load(Ordering::SeqCst) {
            self.0.write_at(&bytes[..bytes.len() / 2], offset)?;
        }
        room_on(&self.1)?;
        self.0.write_at(bytes, offset)
    }
    fn len(&self) -> std::io::Result<u64> {
        self.0.len()
    }
    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.0.set_len(len)
    }
    fn sync(&self) -> std::io::Result<()> {
        self.0.sync()
    }
}

#[test]
fn log_that_meets_the_end_of_the_disk_refuses_one_group_and_goes_on() {
    for power_safe in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let disk = FullDisk::default();
        let is_full = disk.0.clone();
        // Each commit begins a segment.
        let options = EngineOptions { files: Arc::new(disk), power_safe, segment_bytes: 1, ..small() };
        let engine = LogEngine::open(dir.path(), options).unwrap();
        assert!(engine.commit(&[put("a", b"1")])[0].is_ok());
        for _ in 0..2 {
            is_full.store(true, Ordering::SeqCst);
            assert!(matches!(
                engine.commit(&[put("a", b"2"), put("b", b"2")])[..],
                [Err(Error::Full), Err(Error::Full)]
            ));
            assert_eq!(engine.get(b"a").unwrap().unwrap(), "1");
            is_full.store(false, Ordering::SeqCst);
        }
        assert!(engine.commit(&[put("c", b"3")])[0].is_ok());
        engine.abandon();
        let engine = engine_at(dir.path());
        assert_eq!(everything(&engine), [("a".into(), "1".into()), ("c".into(), "3".into())]);
    }
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
