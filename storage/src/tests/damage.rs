//! Damaged data folders: refused with a message that helps, and recovered as far as they can be read.

use super::{HERE, Thing, sled_at};
use crate::engine::{Batch, Direction, Engine, KeyRange, SledEngine};
use crate::{Error, OpenError, Scan, Store, StoreOptions, Timestamp, new_id};
use bytes::Bytes;
use std::path::{Path, PathBuf};

fn put(key: &str, value: &[u8]) -> Batch {
    let mut batch = Batch::new();
    batch.put(key.to_owned(), value.to_vec());
    batch
}

fn everything(engine: &dyn Engine) -> Vec<(Bytes, Bytes)> {
    engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn open(dir: &Path) -> Result<Store, OpenError> {
    Store::open_with(StoreOptions::new(dir), None, &[])
}

/// What is said of a damaged folder, which is refused and left as it is.
#[track_caller]
fn refused(dir: &Path) -> String {
    match open(dir) {
        Err(error @ OpenError::Damaged { .. }) => {
            let message = error.to_string();
            assert!(message.contains("understudy doctor --repair --data"), "{message}");
            message
        }
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was opened"),
    }
}

fn names(store: &Store) -> Vec<String> {
    let page = store.read_now(|reader| reader.scan::<Thing>(HERE, Scan::index("name"))).unwrap();
    page.items.into_iter().map(|row| row.body.name).collect()
}

/// A folder as a killed process leaves it: nothing of 60 rows is in the database, all are in the first log.
fn killed() -> (tempfile::TempDir, PathBuf) {
    loop {
        let parent = tempfile::tempdir().unwrap();
        let (live, dir) = (parent.path().join("live"), parent.path().join("data"));
        let store = open(&live).unwrap();
        for number in 0..60 {
            let thing = Thing { name: format!("{number:02}"), ..Thing::default() };
            store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
        }
        copy(&live, &dir);
        // On a busy machine, the engine may have found time for its chores.
        let log = std::fs::read(dir.join("engine/log.0")).unwrap();
        if has(&log, "\"name\":\"00\"") && has(&log, "\"name\":\"59\"") {
            return (parent, dir);
        }
    }
}

fn has(log: &[u8], text: &str) -> bool {
    log.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

/// The offset of the record that holds this text, roughly: some byte of it.
fn place_of(log: &[u8], text: &str) -> usize {
    log.windows(text.len()).position(|bytes| bytes == text.as_bytes()).unwrap()
}

#[test]
fn log_with_a_bent_byte_before_good_records_is_refused_and_salvaged() {
    let (_parent, dir) = killed();
    let path = dir.join("engine/log.0");
    let mut log = std::fs::read(&path).unwrap();
    let at = place_of(&log, "\"name\":\"25\"");
    log[at + 8] ^= 4;
    std::fs::write(&path, &log).unwrap();
    let message = refused(&dir);
    assert!(message.contains("engine/log.0") && message.contains("the record at byte"), "{message}");
    assert!(message.contains("35 commits cannot be applied") && message.contains("34 of which"), "{message}");
    assert_eq!(std::fs::read(&path).unwrap(), log, "it was left as it is");
    // Again, since nothing was changed.
    refused(&dir);
    let salvage = Store::salvage(&StoreOptions::new(&dir)).unwrap();
    assert_eq!(std::fs::read(salvage.damaged_copy.join("log.0")).unwrap(), log);
    let [loss] = &salvage.losses[..] else { panic!("{salvage:?}") };
    assert!(loss.contains("35 commits") && loss.contains("log.0"), "{loss}");
    let store = open(&dir).unwrap();
    assert_eq!(names(&store), (0..25).map(|number| format!("{number:02}")).collect::<Vec<_>>());
    // It goes on, over another restart.
    let thing = Thing { name: "more".into(), ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    drop(store);
    assert_eq!(names(&open(&dir).unwrap()).len(), 26);
}

#[test]
fn torn_tail_of_a_log_is_normal() {
    let (_parent, dir) = killed();
    let path = dir.join("engine/log.0");
    let log = std::fs::read(&path).unwrap();
    let end = log.len() - log.iter().rev().take_while(|byte| **byte == 0).count();
    std::fs::write(&path, &log[..end - 5]).unwrap();
    let store = open(&dir).unwrap();
    assert_eq!(names(&store).len(), 59);
    assert!(store.set_aside().is_empty());
}

#[test]
fn missing_files_are_no_first_start() {
    for name in ["log.0", "log.1", "conf", "db", "snap."] {
        let (_parent, dir) = killed();
        if name == "snap." {
            // There is one once a start has found something in the database.
            for _ in 0..2 {
                drop(open(&dir).unwrap());
            }
        }
        let found = std::fs::read_dir(dir.join("engine")).unwrap().map(|entry| entry.unwrap().path());
        let gone: Vec<_> =
            found.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(name)).collect();
        assert!(!gone.is_empty(), "{name}");
        gone.iter().for_each(|path| std::fs::remove_file(path).unwrap());
        let message = refused(&dir);
        assert!(message.contains("is missing") && message.contains(name), "{message}");
        // Nothing was made in its place.
        refused(&dir);
        let salvage = Store::salvage(&StoreOptions::new(&dir));
        if name == "db" {
            let message = salvage.unwrap_err().to_string();
            assert!(message.contains("restore a backup"), "{message}");
            refused(&dir);
            continue;
        }
        let salvage = salvage.unwrap();
        let lost = usize::from(name.starts_with("log."));
        assert_eq!(salvage.losses.len(), lost, "{name}: {salvage:?}");
        let left = names(&open(&dir).unwrap()).len();
        assert_eq!(left, if name == "log.0" { 0 } else { 60 }, "{name}");
    }
}

#[test]
fn emptied_logs_are_no_first_start() {
    for name in ["log.0", "log.1"] {
        let (_parent, dir) = killed();
        std::fs::write(dir.join("engine").join(name), "").unwrap();
        let message = refused(&dir);
        assert!(message.contains(name) && message.contains("is empty"), "{message}");
    }
}

#[test]
fn missing_database_beside_keys_or_files_is_no_first_start() {
    let (_parent, dir) = killed();
    std::fs::remove_dir_all(dir.join("engine")).unwrap();
    let message = refused(&dir);
    assert!(message.contains("secrets.key shows that this is not the first start"), "{message}");
    assert!(!dir.join("engine").exists(), "nothing was made");
    let message = Store::salvage(&StoreOptions::new(&dir)).unwrap_err().to_string();
    assert!(message.contains("no database to recover"), "{message}");
    // Files of users tell as much.
    std::fs::remove_file(dir.join("secrets.key")).unwrap();
    std::fs::create_dir_all(dir.join("blobs/x")).unwrap();
    assert!(refused(&dir).contains("blobs"));
}

#[test]
fn start_that_is_cut_short_while_it_makes_the_database_begins_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    std::fs::create_dir(&engine).unwrap();
    std::fs::write(engine.join("creating"), "").unwrap();
    std::fs::write(engine.join("db"), "half of it").unwrap();
    drop(open(dir.path()).unwrap());
    assert!(!engine.join("creating").exists());
    // After the key was made, and before the first commit.
    std::fs::remove_dir_all(&engine).unwrap();
    drop(sled_at(&engine));
    drop(open(dir.path()).unwrap());
    // With a key that is made later, there were commits.
    std::fs::remove_dir_all(&engine).unwrap();
    drop(sled_at(&engine));
    std::fs::write(dir.path().join("signing.key"), "made once there are users").unwrap();
    assert!(refused(dir.path()).contains("signing.key"));
}

#[test]
fn commits_behind_a_gap_are_set_aside_and_not_applied() {
    let dir = tempfile::tempdir().unwrap();
    let (live, dir) = (dir.path().join("live"), dir.path().join("data"));
    let store = open(&live).unwrap();
    drop(store);
    let engine = sled_at(&live.join("engine"));
    assert!(engine.commit(&[put("xa", b"1")])[0].is_ok());
    copy(&live, &dir);
    engine.settle();
    assert!(engine.commit(&[put("xa", b"2")])[0].is_ok());
    engine.settle();
    assert!(engine.commit(&[put("xa", b"3"), put("xb", b"3")])[0].is_ok());
    // A power cut took the database back to where it was, and the log of its first commit was overwritten.
    for log in ["log.0", "log.1"] {
        std::fs::copy(live.join("engine").join(log), dir.join("engine").join(log)).unwrap();
    }
    let store = open(&dir).unwrap();
    let files = store.set_aside().to_vec();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| file.starts_with(dir.join("engine.damaged"))), "{files:?}");
    assert_eq!(store.read_now(|reader| reader.raw_get(b"xb")).unwrap(), None);
    // What is committed from now on follows on what is there.
    store.commit_blocking(put("xc", b"4")).unwrap();
    drop(store);
    let store = open(&dir).unwrap();
    assert_eq!(store.read_now(|reader| reader.raw_get(b"xc")).unwrap().unwrap(), "4");
    assert_eq!(store.set_aside(), files, "they are reported until they are moved away");
    drop(store);
    files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    assert!(open(&dir).unwrap().set_aside().is_empty());
}

#[test]
fn log_that_lost_its_end_holds_back_the_one_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    let (at, cut) = (dir.path().join("live"), dir.path().join("engine"));
    let engine = sled_at(&at);
    engine.settle();
    copy(&at, &cut);
    let value = vec![7; 30_000];
    for key in ["xa", "xb", "xc", "xd", "xe"] {
        assert!(engine.commit(&[put(key, &value)])[0].is_ok());
    }
    // Three are in the first log, and two in the other, whose mark says how many there were before them.
    for log in ["log.0", "log.1"] {
        std::fs::copy(at.join(log), cut.join(log)).unwrap();
    }
    let log = std::fs::read(cut.join("log.0")).unwrap();
    std::fs::write(cut.join("log.0"), &log[..log.len() - 10]).unwrap();
    let engine = sled_at(&cut);
    let keys: Vec<_> = everything(&engine).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["xa", "xb"]);
    assert_eq!(SledEngine::set_aside(&cut).len(), 1);
}

/// Whatever happens to any file of the database: no panic, and either a refusal that helps or a store.
#[test]
fn database_with_any_file_cut_or_bent_never_panics() {
    let (parent, dir) = killed();
    let store = open(&dir).unwrap();
    let long = Thing { name: "long".into(), tags: vec!["x".repeat(300_000)], ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), long.clone())).unwrap();
    drop(store);
    let files: Vec<PathBuf> =
        std::fs::read_dir(dir.join("engine")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (mut number, mut refusals) = (0, 0);
    for file in files.iter().filter(|file| file.is_file()) {
        let content = std::fs::read(file).unwrap();
        let len = content.len();
        let mut variants: Vec<Vec<u8>> = [0, 1, len / 3, len / 2, len.saturating_sub(1)]
            .map(|cut| content[..cut.min(len)].to_vec())
            .into();
        for at in [0, 9, len / 4, len / 2] {
            let mut bent = content.clone();
            if let Some(byte) = bent.get_mut(at) {
                *byte ^= 0x10;
                variants.push(bent);
            }
        }
        for variant in variants {
            number += 1;
            let damaged = parent.path().join(format!("damaged-{number}"));
            copy(&dir, &damaged);
            let path = damaged.join("engine").join(file.file_name().unwrap());
            std::fs::write(&path, variant).unwrap();
            match open(&damaged) {
                Ok(store) => drop(store),
                Err(OpenError::Damaged { what, .. }) => {
                    assert!(!what.is_empty());
                    refusals += 1;
                    match Store::salvage(&StoreOptions::new(&damaged)) {
                        Ok(salvage) => {
                            assert!(salvage.damaged_copy.join("db").is_file());
                            // A key may be lost, but the folder opens as a database.
                            sled_at(&damaged.join("engine"));
                        }
                        Err(error) => {
                            assert!(
                                error.to_string().contains("restore a backup"),
                                "{}: {error}",
                                path.display()
                            );
                        }
                    }
                }
                Err(other) => panic!("{}: {other:?}", path.display()),
            }
            std::fs::remove_dir_all(damaged).unwrap();
        }
    }
    assert!(refusals > 3, "{refusals} of {number}");
}

#[test]
fn engine_takes_nothing_more_after_a_failed_sync_and_restarts_from_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let options = crate::engine::SledOptions {
        cache_bytes: 8 << 20,
        power_safe: true,
        packed: crate::journal::PACKED,
        log_bytes: 1,
        compact_from: u64::MAX,
    };
    let engine = SledEngine::open(dir.path(), options).unwrap();
    assert!(engine.commit(&[put("a", b"1")])[0].is_ok());
    engine.settle();
    engine.break_sync();
    assert!(engine.commit(&[put("a", b"2")])[0].is_ok());
    // Hands the first over; the sync fails beside.
    let second = engine.commit(&[put("b", b"2")]);
    engine.has_failed();
    let third = engine.commit(&[put("c", b"3")]);
    assert!(matches!(third[..], [Err(Error::Engine(_))]), "{third:?}");
    drop(engine);
    // The database had not noted that it has the commit, so it comes from the log.
    let engine = SledEngine::open(dir.path(), options).unwrap();
    assert_eq!(engine.get(b"a").unwrap().unwrap(), "2");
    assert_eq!(engine.get(b"b").unwrap().is_some(), second[0].is_ok());
    assert_eq!(engine.get(b"c").unwrap(), None);
}

#[test]
fn names_of_salvage_copies_are_times() {
    let (_parent, dir) = killed();
    std::fs::remove_file(dir.join("engine/conf")).unwrap();
    let before = Timestamp::now().as_millis();
    let copy = Store::salvage(&StoreOptions::new(&dir)).unwrap().damaged_copy;
    let time: i64 = copy.file_name().unwrap().to_str().unwrap().parse().unwrap();
    assert!((before..=Timestamp::now().as_millis()).contains(&time));
}
