//! Damaged data folders are refused with a helpful message, and recovered as far as they can be read.

use super::{HERE, Thing, copy, engine_at, small};
use crate::engine::{Engine, EngineOptions, LogEngine};
use crate::{Error, OpenError, Scan, Store, StoreOptions, Timestamp, new_id};
use std::path::{Path, PathBuf};

/// The first segment of the log.
const SEGMENT: &str = "engine/log/0000000001.log";

fn open(dir: &Path) -> Result<Store, OpenError> {
    Store::open_with(StoreOptions::new(dir), None, &[])
}

/// The error message for a damaged folder, which is refused and left unchanged.
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

fn numbers(numbers: impl Iterator<Item = u8>) -> Vec<String> {
    numbers.map(|number| format!("{number:02}")).collect()
}

/// A folder as a killed process leaves it, with 60 rows in its log and nothing in its index.
fn killed() -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let (live, dir) = (parent.path().join("live"), parent.path().join("data"));
    let store = open(&live).unwrap();
    for number in 0..60 {
        let thing = Thing { name: format!("{number:02}"), ..Thing::default() };
        store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    }
    copy(&live, &dir);
    (parent, dir)
}

/// The position of a byte in the record that contains this text.
fn place_of(log: &[u8], text: &str) -> usize {
    log.windows(text.len()).position(|bytes| bytes == text.as_bytes()).unwrap()
}

#[test]
fn log_with_a_damaged_byte_before_valid_records_is_refused_and_salvaged() {
    let (_parent, dir) = killed();
    let path = dir.join(SEGMENT);
    let mut log = std::fs::read(&path).unwrap();
    let at = place_of(&log, "\"name\":\"25\"");
    log[at + 8] ^= 4;
    std::fs::write(&path, &log).unwrap();
    let message = refused(&dir);
    assert!(message.contains(SEGMENT) && message.contains("the record at byte"), "{message}");
    assert!(message.contains("35 commits cannot be applied") && message.contains("34 of which"), "{message}");
    assert_eq!(std::fs::read(&path).unwrap(), log, "it was left as it is");
    // Refused again, because nothing was changed.
    refused(&dir);
    let salvage = Store::salvage(&StoreOptions::new(&dir)).unwrap();
    assert_eq!(std::fs::read(salvage.damaged_copy.join("log/0000000001.log")).unwrap(), log);
    let [loss] = &salvage.losses[..] else { panic!("{salvage:?}") };
    assert!(loss.contains("1 commits at byte") && loss.contains(SEGMENT), "{loss}");
    assert!(loss.contains("xt"), "the tables of the record: {loss}");
    let store = open(&dir).unwrap();
    assert_eq!(names(&store), numbers((0..60).filter(|number| *number != 25)));
    // The store keeps working, also after another restart.
    let thing = Thing { name: "more".into(), ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), thing.clone())).unwrap();
    drop(store);
    assert_eq!(names(&open(&dir).unwrap()).len(), 60);
}

#[test]
fn torn_tail_of_a_log_is_accepted() {
    let (_parent, dir) = killed();
    let path = dir.join(SEGMENT);
    let log = std::fs::read(&path).unwrap();
    std::fs::write(&path, &log[..log.len() - 5]).unwrap();
    let store = open(&dir).unwrap();
    assert_eq!(names(&store).len(), 59);
    assert!(store.set_aside().is_empty());
}

#[test]
fn missing_files_are_not_taken_for_a_first_start() {
    for name in [SEGMENT, "engine/state", "engine/log"] {
        let (_parent, dir) = killed();
        let path = dir.join(name);
        match path.is_dir() {
            true => std::fs::remove_dir_all(&path).unwrap(),
            false => std::fs::remove_file(&path).unwrap(),
        }
        let message = refused(&dir);
        assert!(message.contains("is missing") && message.contains(name), "{message}");
        // Nothing was created in its place.
        refused(&dir);
        let salvage = Store::salvage(&StoreOptions::new(&dir));
        if name == "engine/state" {
            assert_eq!(salvage.unwrap().losses, Vec::<String>::new());
            assert_eq!(names(&open(&dir).unwrap()).len(), 60);
        } else {
            let message = salvage.unwrap_err().to_string();
            assert!(message.contains("restore a backup"), "{message}");
            refused(&dir);
        }
    }
    // The index may be missing.
    let (_parent, dir) = killed();
    std::fs::remove_dir_all(dir.join("engine/index")).unwrap();
    assert_eq!(names(&open(&dir).unwrap()).len(), 60);
}

#[test]
fn missing_database_next_to_keys_or_blobs_is_not_taken_for_a_first_start() {
    let (_parent, dir) = killed();
    std::fs::remove_dir_all(dir.join("engine")).unwrap();
    let message = refused(&dir);
    assert!(message.contains("secrets.key shows that this is not the first start"), "{message}");
    assert!(!dir.join("engine").exists(), "nothing was made");
    let message = Store::salvage(&StoreOptions::new(&dir)).unwrap_err().to_string();
    assert!(message.contains("no log to recover"), "{message}");
    // Files of users prove an earlier start as well.
    std::fs::remove_file(dir.join("secrets.key")).unwrap();
    std::fs::create_dir_all(dir.join("blobs/x")).unwrap();
    assert!(refused(&dir).contains("blobs"));
}

#[test]
fn start_interrupted_while_creating_the_database_can_be_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    std::fs::create_dir_all(engine.join("log")).unwrap();
    std::fs::write(engine.join("state.new"), "half of it").unwrap();
    drop(open(dir.path()).unwrap());
    // After the key was created, and before the first commit.
    std::fs::remove_dir_all(&engine).unwrap();
    drop(engine_at(&engine));
    drop(open(dir.path()).unwrap());
    // A key that is created later proves that there were commits.
    std::fs::remove_dir_all(&engine).unwrap();
    drop(engine_at(&engine));
    std::fs::write(dir.path().join("signing.key"), "made once there are users").unwrap();
    assert!(refused(dir.path()).contains("signing.key"));
}

/// Whatever happens to any file of the database, there is no panic, and the result is either a helpful refusal or a
/// store.
#[test]
fn open_of_a_database_with_any_truncated_or_damaged_file_never_panics() {
    let (parent, dir) = killed();
    let store = open(&dir).unwrap();
    let long = Thing { name: "long".into(), tags: vec!["x".repeat(300_000)], ..Thing::default() };
    store.run_blocking(|tx| tx.insert(HERE, new_id(), long.clone())).unwrap();
    drop(store);
    let mut files = Vec::new();
    for folder in ["engine", "engine/log", "engine/index"] {
        let found = std::fs::read_dir(dir.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(found.filter(|path| path.is_file()));
    }
    let (mut number, mut refusals) = (0, 0);
    for file in files {
        let content = std::fs::read(&file).unwrap();
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
            let path = damaged.join(file.strip_prefix(&dir).unwrap());
            std::fs::write(&path, variant).unwrap();
            match open(&damaged) {
                Ok(store) => drop(store),
                Err(OpenError::Damaged { what, .. }) => {
                    assert!(!what.is_empty());
                    refusals += 1;
                    match Store::salvage(&StoreOptions::new(&damaged)) {
                        Ok(salvage) => {
                            assert!(salvage.damaged_copy.join("log").is_dir());
                            // A key may be lost, but the folder opens as a database.
                            engine_at(&damaged.join("engine"));
                        }
                        Err(error) => {
                            let message = error.to_string();
                            assert!(message.contains("restore a backup"), "{}: {message}", path.display());
                        }
                    }
                }
                Err(OpenError::Failed { source: Error::Invalid(why), .. }) => {
                    assert!(why.contains("version"), "{why}")
                }
                Err(other) => panic!("{}: {other:?}", path.display()),
            }
            std::fs::remove_dir_all(damaged).unwrap();
        }
    }
    assert!(refusals > 3, "{refusals} of {number}");
}

#[test]
fn damaged_record_covered_by_the_index_is_reported_and_never_removed() {
    let dir = tempfile::tempdir().unwrap();
    let fill = |engine: &LogEngine, from: u32| {
        for number in from..from + 300 {
            let mut batch = crate::Batch::new();
            batch.put(format!("k{:03}", number % 100), vec![number as u8; 2_000]);
            assert!(engine.commit(&[batch])[0].is_ok());
        }
        engine.settle_for_test();
    };
    let keep = EngineOptions { garbage_bytes: u64::MAX / 4, ..small() };
    let engine = LogEngine::open(dir.path(), keep).unwrap();
    fill(&engine, 0);
    assert_eq!(engine.verify().unwrap(), Vec::<String>::new());
    drop(engine);
    let path = dir.path().join("log/0000000001.log");
    let mut log = std::fs::read(&path).unwrap();
    let middle = log.len() / 2;
    log[middle] ^= 1;
    std::fs::write(&path, &log).unwrap();
    let engine = engine_at(dir.path());
    let [damage] = &engine.verify().unwrap()[..] else { panic!() };
    assert!(damage.contains("0000000001.log") && damage.contains("cannot be read"), "{damage}");
    fill(&engine, 300);
    assert!(!engine.clean().unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), log);
}

#[test]
fn salvage_copies_are_named_by_time() {
    let (_parent, dir) = killed();
    std::fs::remove_file(dir.join("engine/state")).unwrap();
    let before = Timestamp::now().as_millis();
    let copy = Store::salvage(&StoreOptions::new(&dir)).unwrap().damaged_copy;
    let time: i64 = copy.file_name().unwrap().to_str().unwrap().parse().unwrap();
    assert!((before..=Timestamp::now().as_millis()).contains(&time));
}
