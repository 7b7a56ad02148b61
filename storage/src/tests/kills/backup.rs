//! Backups and restores.

use super::super::{HERE, Thing, everything, put};
use super::{at_every_operation, names};
use crate::backup::{BackupOptions, RestoreOptions, backup, restore, restore_on, write_file_on, write_to};
use crate::files::FileSystem;
use crate::files::simulated::{Random, SimulatedDisk};
use crate::files::stopping::StoppingFiles;
use crate::{Error, OpenError, Store, StoreOptions, new_id};
use bytes::Bytes;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn open(dir: &Path) -> Result<Store, OpenError> {
    Store::open_with(StoreOptions::new(dir), None, &[])
}

/// A store with rows, blobs, and values that take several writes of an archive.
pub(in crate::tests) fn filled() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("data")).unwrap();
    let mut random = Random::new(1);
    for number in 0..40 {
        let thing = Thing { name: format!("thing {number}"), ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
        store.commit_blocking(put(&format!("xb{number:04}"), &random.bytes(60_000))).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for size in [0, 1, 300_000] {
        runtime.block_on(store.blobs().put_bytes(HERE, random.bytes(size).into())).unwrap();
    }
    (dir, store)
}

pub(in crate::tests) fn all(store: &Store) -> Vec<(Bytes, Bytes)> {
    everything(&*store.inner.engine)
}

fn check_whole(dir: &Path, expected: &[(Bytes, Bytes)], context: &str) {
    let store = open(dir).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(all(&store) == expected, "{context}: other records");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(store.blobs().list()).unwrap().len(), 3, "{context}");
}

/// Checks a folder that was to be restored: it is refused, is complete, or is empty. Returns whether it is complete.
pub(in crate::tests) fn is_refused_or_whole(to: &Path, expected: &[(Bytes, Bytes)], context: &str) -> bool {
    let found = names(to);
    if found.iter().any(|name| name == "restoring") {
        let refused = open(to).map(drop).unwrap_err().to_string();
        assert!(refused.contains("restore"), "{context}: {refused}");
        return false;
    }
    let is_begun = found.iter().any(|name| name != "lock");
    if is_begun {
        check_whole(to, expected, context);
    }
    is_begun
}

#[test]
fn backup_killed_at_any_file_operation_has_its_name_only_if_complete() {
    let (dir, store) = filled();
    let expected = all(&store);
    let stops = at_every_operation(|stop| {
        let to = tempfile::tempdir_in(dir.path()).unwrap();
        let file = to.path().join("backups/of today.tar.gz");
        let files = StoppingFiles::new(stop);
        let written: Result<_, Error> =
            write_file_on(&files, &file, |to| write_to(&store, to, BackupOptions::default(), &mut |_| {}));
        let stopped = files.stopped_at();
        let context = format!("{stop:?}, at {stopped:?}");
        assert_eq!(written.is_ok(), stopped.is_none(), "{context}: {written:?}");
        // A later backup to the same name is not obstructed by leftovers.
        match backup(&store, &file, &mut |_| {}) {
            Ok(_) => {}
            Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => panic!("{context}: {error}"),
        }
        let restored = to.path().join("restored");
        restore(&file, &restored, &RestoreOptions::default(), &mut |_| {}).unwrap();
        check_whole(&restored, &expected, &context);
        stopped.map(|stopped| stopped.can_be_torn())
    });
    assert!(stops >= 12, "a backup has {stops} operations");
    store.commit_blocking(put("xb", b"after")).unwrap();
}

#[test]
fn restore_killed_at_any_file_operation_is_refused_or_complete() {
    let (dir, store) = filled();
    let (expected, file) = (all(&store), dir.path().join("backup"));
    backup(&store, &file, &mut |_| {}).unwrap();
    let stops = at_every_operation(|stop| {
        let parent = tempfile::tempdir_in(dir.path()).unwrap();
        let to = parent.path().join("to");
        let files = StoppingFiles::new(stop);
        let options = RestoreOptions::default();
        let restored = restore_on(Arc::new(files.clone()), &file, &to, &options, &mut |_| {});
        let stopped = files.stopped_at();
        let context = format!("{stop:?}, at {stopped:?}");
        assert_eq!(restored.is_ok(), stopped.is_none(), "{context}: {restored:?}");
        is_refused_or_whole(&to, &expected, &context);
        stopped.map(|stopped| stopped.can_be_torn())
    });
    assert!(stops >= 30, "a restore has {stops} operations");
}

/// Writes an archive to a disk as a backup does, in several pieces.
fn write(disk: &SimulatedDisk, path: &Path, content: &[u8]) -> Result<(), Error> {
    write_file_on(disk, path, |to| {
        for piece in content.chunks(300_000) {
            to.write_all(piece)?;
        }
        Ok(())
    })
}

#[test]
fn backup_with_a_power_loss_at_any_file_operation_has_its_name_only_if_complete() {
    let content = Random::new(1).bytes(2_500_000);
    let path = Path::new("/srv/data/backups/format-1.tar.gz");
    for stop in 0.. {
        let disk = SimulatedDisk::new(stop);
        disk.stop_after(stop);
        let written = write(&disk, path, &content);
        let mut random = Random::new(stop);
        for outcome in 0..4 {
            let context = format!("stopped after {stop}, outcome {outcome}");
            let left = disk.lose_power(&mut random);
            match crate::files::read(&left, path) {
                Ok(found) => assert!(found == content, "{context}: a part has the name of a whole"),
                Err(_) => assert!(written.is_err(), "{context}: a finished backup is lost"),
            }
            // The leftovers do not obstruct the next backup.
            if crate::files::find(&left, path).unwrap().is_none() {
                write(&left, path, &content).unwrap();
                let left = left.lose_power(&mut random);
                assert!(crate::files::read(&left, path).unwrap() == content, "{context}");
                let above = left.names(path.parent().unwrap()).unwrap();
                assert_eq!(above, ["format-1.tar.gz"], "{context}");
            }
        }
        if written.is_ok() {
            break;
        }
    }
}
