use super::{HERE, Thing};
use crate::backup::{BackupOptions, RestoreOptions, backup, restore, write, write_file, write_to};
use crate::engine::{Batch, Direction, KeyRange};
use crate::files::simulated::Random;
use crate::journal::{self, JournalEvent};
use crate::{Error, OpenError, Progress, Scan, Store, StoreOptions, new_id};
use bytes::Bytes;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

fn open(dir: &Path) -> Result<Store, OpenError> {
    Store::open_with(StoreOptions::new(dir), None, &[])
}

fn filled() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("data")).unwrap();
    for name in 0..50 {
        let thing = Thing { name: name.to_string(), ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    }
    store
        .run_blocking(|tx| {
            let event = JournalEvent { seq: 1, kind: "text.delta".into(), json: vec![b'x'; 30_000].into() };
            journal::append(tx.batch(), HERE, new_id(), &[event]);
            tx.put_secret(HERE, "provider", b"sk-1")
        })
        .unwrap();
    std::fs::write(dir.path().join("data/signing.key"), "signing").unwrap();
    (dir, store)
}

fn all(store: &Store) -> Vec<(Bytes, Bytes)> {
    store.inner.engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

fn into(file: &Path, dir: &Path) -> Result<(), Error> {
    restore(file, dir, &RestoreOptions::default(), &mut |_| {}).map(drop)
}

fn whole(dir: &TempDir, store: &Store) -> PathBuf {
    let file = dir.path().join("backup.tar.gz");
    backup(store, &file, &mut |_| {}).unwrap();
    file
}

#[tokio::test]
async fn restore_recreates_the_folder_that_was_backed_up() {
    let (dir, store) = filled();
    let blob = store.blobs().put_bytes(HERE, vec![9; 700_000].into()).await.unwrap();
    let empty = store.blobs().put_bytes(HERE, Bytes::new()).await.unwrap();
    let file = dir.path().join("backup.tar.gz");
    let mut steps: Vec<Progress> = Vec::new();
    // Within a runtime, and on a separate thread without one.
    let summary = backup(&store, &file, &mut |progress| steps.push(progress)).unwrap();
    assert_eq!((summary.blobs, summary.keys, summary.records), (2, 2, all(&store).len() as u64));
    assert!(steps.iter().any(|step| step.step == "records"));
    assert!(steps.iter().any(|step| step.step == "blobs" && step.total == Some(2)));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let to = dir.path().join("restored");
    std::thread::scope(|scope| scope.spawn(|| into(&file, &to).unwrap()).join().unwrap());
    let restored = open(&to).unwrap();
    assert_eq!(all(&restored), all(&store));
    assert_eq!(restored.run_blocking(|tx| tx.get_secret(HERE, "provider")).unwrap().unwrap(), b"sk-1");
    assert_eq!(std::fs::read_to_string(to.join("signing.key")).unwrap(), "signing");
    assert_eq!(std::fs::metadata(to.join("signing.key")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(restored.blobs().size(HERE, &blob).await.unwrap(), Some(700_000));
    assert_eq!(restored.blobs().size(HERE, &empty).await.unwrap(), Some(0));
    // An existing file is not overwritten.
    assert!(matches!(backup(&store, &file, &mut |_| {}), Err(Error::Io(_))));
}

#[test]
fn backup_during_writes_is_a_consistent_snapshot() {
    let (dir, store) = filled();
    let ids: Vec<_> = (0..40).map(|_| new_id()).collect();
    for (at, id) in ids.iter().enumerate() {
        let thing = Thing { name: format!("account {at}"), group: 9, amount: 100, ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, *id, thing.clone())).unwrap();
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let transfers = std::thread::spawn({
        let (store, is_over, ids) = (store.clone(), is_over.clone(), ids.clone());
        move || {
            for round in 0.. {
                if is_over.load(Ordering::SeqCst) {
                    return round;
                }
                let (from, to) = (ids[round % 40], ids[(round * 7 + 3) % 40]);
                store
                    .run_blocking(|tx| {
                        let mut row = tx.require::<Thing>(HERE, &from)?;
                        row.amount -= 1;
                        tx.update(HERE, row)?;
                        let mut row = tx.require::<Thing>(HERE, &to)?;
                        row.amount += 1;
                        tx.update(HERE, row)?;
                        // Rows are also added and deleted.
                        let name = format!("passing {round}");
                        let thing = Thing { name, group: 8, ..Thing::default() };
                        tx.insert(HERE, new_id(), thing)?;
                        let page = tx.scan::<Thing>(HERE, Scan::index("by_group").prefix([8]).limit(5))?;
                        match page.next {
                            Some(_) => tx.delete::<Thing>(HERE, &page.items[0].id),
                            None => Ok(false),
                        }
                    })
                    .unwrap();
            }
            0
        }
    });
    for round in 0..8 {
        let file = dir.path().join(format!("{round}.tar.gz"));
        write(&store, &file, BackupOptions { blobs: false }, &mut |_| {}).unwrap();
        let to = dir.path().join(format!("restored {round}"));
        into(&file, &to).unwrap();
        let restored = open(&to).unwrap();
        let page = restored
            .read_now(|reader| reader.scan::<Thing>(HERE, Scan::index("by_group").prefix([9])))
            .unwrap();
        assert_eq!(page.items.iter().map(|row| row.amount).sum::<i64>(), 4_000);
        let passing =
            restored.read_now(|reader| reader.scan::<Thing>(HERE, Scan::index("by_group").prefix([8])));
        assert!(passing.unwrap().items.len() <= 6);
        // Index entries are from the same moment as the rows.
        let count = |table: &[u8]| all(&restored).iter().filter(|(key, _)| key.starts_with(table)).count();
        assert_eq!((count(b"x1"), count(b"x2")), (count(b"xt"), count(b"xt")));
    }
    is_over.store(true, Ordering::SeqCst);
    assert!(transfers.join().unwrap() > 50, "too few writes to show anything");
}

/// Commits values whenever something is written to it, and waits for the commits.
struct Slow {
    store: Store,
    values: Vec<Vec<u8>>,
    written: Vec<u8>,
}

fn value_key(number: usize) -> Bytes {
    format!("xb{number:04}").into()
}

impl std::io::Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Once, while the records are copied, commits more than a part of the archive; otherwise a small value each
        // time.
        let values = if self.written.len() > 1 << 20 { std::mem::take(&mut self.values) } else { Vec::new() };
        let store = self.store.clone();
        let (done, is_done) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for (number, value) in values.into_iter().chain([vec![1]]).enumerate() {
                let mut batch = Batch::new();
                batch.put(value_key(number), value);
                store.commit_blocking(batch).unwrap();
            }
            done.send(()).unwrap();
        });
        is_done.recv_timeout(Duration::from_secs(60)).expect("commits wait for the receiver of a backup");
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn commits_do_not_wait_for_the_receiver_of_a_backup() {
    let (dir, store) = filled();
    let mut random = Random::new(1);
    for number in 0..100 {
        let mut batch = Batch::new();
        batch.put(value_key(number), random.bytes(60_000));
        store.commit_blocking(batch).unwrap();
    }
    let values: Vec<_> = (0..100).map(|_| random.bytes(60_000)).collect();
    let mut to = Slow { store: store.clone(), values: values.clone(), written: Vec::new() };
    write_to(&store, &mut to, BackupOptions::default(), &mut |_| {}).unwrap();
    assert!(to.values.is_empty());
    let (file, restored) = (dir.path().join("backup"), dir.path().join("restored"));
    std::fs::write(&file, &to.written).unwrap();
    into(&file, &restored).unwrap();
    let restored = open(&restored).unwrap();
    let value = |number| restored.read_now(|reader| reader.raw_get(&value_key(number))).unwrap().unwrap();
    assert!((1..100).all(|number| value(number) == values[number]), "they were committed before the end");
}

#[tokio::test]
async fn sweep_spares_blobs_that_a_backup_has_not_copied_yet() {
    let (dir, store) = filled();
    let orphan = store.blobs().put_bytes(HERE, "orphan".into()).await.unwrap();
    let path = super::blobs::path_of_in(&dir.path().join("data"), &orphan);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(7200)).unwrap();
    drop(store);
    // The blob was not stored by this process, so only the backup spares it.
    let store = open(&dir.path().join("data")).unwrap();
    let copy = store.blobs().begin_copy();
    assert!(store.sweep_blobs().await.unwrap().is_empty() && path.exists());
    drop(copy);
    assert_eq!(store.sweep_blobs().await.unwrap().len(), 1);
    assert!(!path.exists());
}

#[test]
fn failed_backup_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("deep/backup");
    let written: Result<(), Error> = write_file(&file, |to| {
        std::io::Write::write_all(to, b"some")?;
        Err(Error::Busy)
    });
    assert!(matches!(written, Err(Error::Busy)));
    assert_eq!(std::fs::read_dir(dir.path().join("deep")).unwrap().count(), 0);
    let written: Result<_, Error> = write_file(&file, |to| Ok(std::io::Write::write_all(to, b"some")?));
    written.unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"some");
}

#[test]
fn restore_refuses_a_folder_that_is_not_empty() {
    let (dir, store) = filled();
    let file = whole(&dir, &store);
    let to = dir.path().join("to");
    std::fs::create_dir(&to).unwrap();
    std::fs::write(to.join("mine"), "mine").unwrap();
    assert!(matches!(into(&file, &to), Err(Error::Invalid(_))));
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1);
    assert!(matches!(into(&dir.path().join("no such"), &dir.path().join("new")), Err(Error::Io(_))));
    assert!(!dir.path().join("new").exists());
}

#[test]
fn restore_refuses_a_damaged_backup_and_leaves_the_folder_empty() {
    let (dir, store) = filled();
    let file = whole(&dir, &store);
    let bytes = std::fs::read(&file).unwrap();
    let to = dir.path().join("to");
    let broken = dir.path().join("broken");
    let mut flips: Vec<Vec<u8>> = (0..10)
        .map(|at| {
            let mut bent = bytes.clone();
            let place = 20 + at * (bytes.len() - 40) / 10;
            bent[place] ^= 0x40;
            bent
        })
        .collect();
    flips.extend([
        bytes[..bytes.len() / 2].to_vec(),
        bytes[..bytes.len() - 9].to_vec(),
        vec![],
        b"rubbish".to_vec(),
    ]);
    let mut harmless = 0;
    for (at, content) in flips.into_iter().enumerate() {
        std::fs::write(&broken, content).unwrap();
        let restored = into(&broken, &to);
        if restored.is_ok() {
            // A changed byte that decompresses to the same bytes (such as the distance to one of several identical `x`)
            // does no harm.
            assert_eq!(all(&open(&to).unwrap()), all(&store), "{at} was taken");
            harmless += 1;
            std::fs::remove_dir_all(&to).unwrap();
            continue;
        }
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0, "{at}: {restored:?}");
    }
    assert!(harmless <= 2, "{harmless} of 14 were taken");
    into(&file, &to).unwrap();
    open(&to).unwrap();
}

fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    let file = std::fs::File::create(path).unwrap();
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
}

#[test]
fn restore_refuses_malicious_archives() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("evil.tar.gz");
    let head: &[u8] = br#"{"format":1,"made_at":"2026-01-02T03:04:05.678Z","made_by":"x"}"#;
    let end: &[u8] = br#"{"records":0,"blobs":0,"keys":0}"#;
    let newer = br#"{"format":9,"made_at":"2026-01-02T03:04:05.678Z","made_by":"x"}"#;
    let cases: &[&[(&str, &[u8])]] = &[
        &[("understudy.json", head), ("keys/../../out.key", b"x"), ("end.json", end)],
        &[("understudy.json", head), ("../out.key", b"x"), ("end.json", end)],
        &[("understudy.json", head), ("/out.key", b"x"), ("end.json", end)],
        &[("understudy.json", head), ("keys/evil.sh", b"x"), ("end.json", end)],
        &[("understudy.json", head), ("blobs/x/aa/aa", b"x"), ("end.json", end)],
        &[("understudy.json", head), ("records/0", b"\x01\xff\xff\xff\xffx"), ("end.json", end)],
        &[("understudy.json", head), ("end.json", br#"{"records":1,"blobs":0,"keys":0}"#)],
        &[("understudy.json", head)],
        &[("end.json", end)],
        &[("understudy.json", newer), ("end.json", end)],
    ];
    for (at, entries) in cases.iter().enumerate() {
        archive(&file, entries);
        let to = dir.path().join("deep/er/to");
        assert!(into(&file, &to).is_err(), "case {at}");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0, "case {at}");
        assert!(!dir.path().join("deep/out.key").exists() && !dir.path().join("deep/er/out.key").exists());
    }
    archive(&file, &[("understudy.json", head), ("end.json", end)]);
    into(&file, &dir.path().join("fine")).unwrap();
}

/// Commits the next number. All writers share the numbers. Row `number` is put, the row before the last [`WINDOW`] rows
/// is deleted, and the counter is set.
fn commit_next(store: &Store, random: &mut Random) -> u64 {
    const COUNTER: &[u8] = b"xb counter";
    let size = random.below(3_000) as usize;
    let content = random.bytes(size);
    loop {
        let counter = store.read_now(|reader| reader.raw_get(COUNTER)).unwrap();
        let number =
            1 + counter.as_ref().map_or(0, |stored| u64::from_be_bytes(stored[..].try_into().unwrap()));
        let mut batch = Batch::new();
        batch.expect(COUNTER, counter);
        batch.put(COUNTER, number.to_be_bytes().to_vec());
        batch.put(number_key(number), content.clone());
        if number > WINDOW {
            batch.delete(number_key(number - WINDOW));
        }
        match store.commit_blocking(batch) {
            Ok(()) => return number,
            Err(Error::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Number of rows of [`commit_next`] that exist at a time.
const WINDOW: u64 = 40;

fn number_key(number: u64) -> Vec<u8> {
    [b"xb number ".as_slice(), &number.to_be_bytes()].concat()
}

#[test]
fn backup_during_writes_is_a_prefix_with_all_commits_acknowledged_before_it() {
    let (dir, store) = filled();
    let (is_over, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (store, is_over, acknowledged) = (&store, &is_over, &acknowledged);
            scope.spawn(move || {
                let mut random = Random::new(writer);
                while !is_over.load(Ordering::SeqCst) {
                    acknowledged.fetch_max(commit_next(store, &mut random), Ordering::SeqCst);
                }
            });
        }
        for round in 0..6 {
            let file = dir.path().join(format!("prefix {round}.tar.gz"));
            let before = acknowledged.load(Ordering::SeqCst);
            write(&store, &file, BackupOptions { blobs: false }, &mut |_| {}).unwrap();
            // Each writer may have committed one more than it has acknowledged.
            let after = acknowledged.load(Ordering::SeqCst) + 3;
            let to = dir.path().join(format!("prefix restored {round}"));
            into(&file, &to).unwrap();
            let pairs = all(&open(&to).unwrap());
            let of = |prefix: &[u8]| -> Vec<u64> {
                let found = pairs.iter().filter(|(key, _)| key.starts_with(prefix));
                found.map(|(key, _)| u64::from_be_bytes(*key.last_chunk().unwrap())).collect()
            };
            let counter = pairs.iter().find(|(key, _)| key.starts_with(b"xb counter"));
            let last = counter.map_or(0, |(_, value)| u64::from_be_bytes(value[..].try_into().unwrap()));
            assert!((before..=after).contains(&last), "round {round}: {last} of {before}..={after}");
            let expected: Vec<u64> = (last.saturating_sub(WINDOW) + 1..=last).collect();
            assert_eq!(of(b"xb number "), expected, "round {round}");
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(acknowledged.into_inner() > 50, "too few writes to show anything");
}
