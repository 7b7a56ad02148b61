use super::{Memory, Thing, sled_at};
use crate::StoreOptions;
use crate::engine::{Batch, Direction, Engine, KeyRange, SledEngine, SledOptions};
use crate::journal::PACKED;
use bytes::Bytes;
use proptest::prelude::*;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn options(compact_from: u64) -> SledOptions {
    SledOptions { cache_bytes: 8 << 20, power_safe: false, packed: PACKED, log_bytes: 64 << 10, compact_from }
}

fn everything(engine: &dyn Engine) -> Vec<(Bytes, Bytes)> {
    engine.scan(KeyRange::all(), Direction::Forward, usize::MAX).unwrap()
}

fn file(dir: &Path) -> u64 {
    std::fs::metadata(dir.join("db")).unwrap().len()
}

fn beside(dir: &Path, ending: &str) -> PathBuf {
    let name = dir.file_name().unwrap().to_str().unwrap();
    dir.with_file_name(format!("{name}{ending}"))
}

/// Much comes and goes, and little of it stays.
fn use_up(engine: &SledEngine, rounds: u8) {
    for round in 0..rounds {
        for gone in [false, true] {
            for at in 0..100u8 {
                let (mut batch, key) = (Batch::new(), vec![b'k', round, at]);
                match gone && at % 20 != 0 {
                    true => batch.delete(key),
                    false => batch.put(key, vec![at; 20_000]),
                }
                assert!(engine.commit(&[batch])[0].is_ok());
            }
        }
    }
    engine.settle();
}

#[test]
fn a_file_that_is_mostly_unused_is_rewritten_when_it_is_opened() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    use_up(&engine, 6);
    let (held, before) = (everything(&engine), file(&dir));
    assert_eq!(held.len(), 30);
    drop(engine);
    // Not where files of that size are left alone.
    let untouched = inode(&dir);
    drop(SledEngine::open(&dir, options(u64::MAX)).unwrap());
    assert_eq!(inode(&dir), untouched);
    let engine = SledEngine::open(&dir, options(1 << 20)).unwrap();
    let after = file(&dir);
    assert!(after * 2 < before, "{before} became {after}");
    assert_eq!(everything(&engine), held);
    let (said, counted) = engine.account();
    assert_eq!(said, counted);
    // It goes on, and what it has is there after a restart.
    use_up(&engine, 1);
    let held = everything(&engine);
    drop(engine);
    assert_eq!(everything(&SledEngine::open(&dir, options(1 << 20)).unwrap()), held);
    let beside: Vec<_> = std::fs::read_dir(parent.path()).unwrap().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

/// Which file the database is: another one whenever it was rewritten.
fn inode(dir: &Path) -> u64 {
    std::fs::metadata(dir.join("db")).map_or(0, |file| file.ino())
}

/// The `number`-th of many batches, each of which undoes much of what those before it did.
fn churn(number: u64) -> Batch {
    let mut batch = Batch::new();
    let key = |at: u64| vec![b'k', (at % 20) as u8];
    batch.put(vec![b'a'], number.to_be_bytes().to_vec());
    batch.put(key(number), vec![number as u8; 20_000]);
    batch.delete(key(number + 10));
    batch.put(vec![b'z'], number.to_be_bytes().to_vec());
    batch
}

/// What is there after so many batches.
fn churned(number: u64) -> Vec<(Bytes, Bytes)> {
    let model = Memory::default();
    (number.saturating_sub(30) + 1..=number)
        .for_each(|number| assert!(model.commit(&[churn(number)])[0].is_ok()));
    everything(&model)
}

fn number_of(value: Option<&Bytes>) -> u64 {
    value.map_or(0, |bytes| u64::from_be_bytes(bytes[..].try_into().unwrap()))
}

#[test]
fn a_database_is_rewritten_under_concurrent_reads_and_writes() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = SledEngine::open(&dir, options(256 << 10)).unwrap();
    let (mut number, mut files) = (0, HashSet::new());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            // Each scan is of one moment, and none is before the one before it.
            scope.spawn(|| {
                let mut last = 0;
                while !done.load(Ordering::SeqCst) {
                    let all = everything(&engine);
                    let now = number_of(all.first().map(|(_, value)| value));
                    assert!(now >= last, "{now} after {last}");
                    assert_eq!(all, churned(now));
                    last = now;
                }
            });
        }
        while files.len() < 4 {
            number += 1;
            assert!(number < 100_000, "it is rewritten: {files:?}");
            assert!(engine.commit(&[churn(number)])[0].is_ok());
            files.insert(inode(&dir));
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(everything(&engine), churned(number));
    let (said, counted) = engine.account();
    assert_eq!(said, counted);
    drop(engine);
    assert_eq!(everything(&SledEngine::open(&dir, options(u64::MAX)).unwrap()), churned(number));
    let beside: Vec<_> = std::fs::read_dir(parent.path()).unwrap().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

/// sled's own threads could all wait for one that waited for them: when a file that had just become shorter grew again.
#[test]
fn a_file_that_shrinks_and_grows_does_not_bring_the_database_to_a_standstill() {
    let parent = tempfile::tempdir().unwrap();
    let options = SledOptions { log_bytes: SledOptions::LOG_BYTES, ..options(u64::MAX) };
    let engine = SledEngine::open(&parent.path().join("engine"), options).unwrap();
    let at_end = Arc::new(AtomicBool::new(false));
    let ended = at_end.clone();
    let churn = std::thread::spawn(move || {
        let key = |number: u64| [&b"k"[..], &number.to_be_bytes()].concat();
        for number in 0..24_000u64 {
            let mut batch = Batch::new();
            batch.put(key(number / 4), vec![number as u8; 8_000 * (number as usize % 4 + 1)]);
            if number >= 1_200 {
                batch.delete(key(number / 4 - 300));
            }
            assert!(engine.commit(&[batch])[0].is_ok());
        }
        ended.store(true, Ordering::SeqCst);
    });
    let patience = Instant::now() + Duration::from_secs(300);
    while !churn.is_finished() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(at_end.load(Ordering::SeqCst), "it stands still");
}

const FOLDER: &str = "STORAGE_CHURN_FOLDER";

#[test]
#[ignore = "the process that is killed"]
fn churning() {
    let Some(dir) = std::env::var_os(FOLDER) else { return };
    let engine = SledEngine::open(Path::new(&dir), options(256 << 10)).unwrap();
    let from = number_of(engine.get(b"a").unwrap().as_ref());
    for number in from + 1.. {
        assert!(engine.commit(&[churn(number)])[0].is_ok());
        std::io::stdout().lock().write_all(format!("said {number}\n").as_bytes()).unwrap();
    }
}

#[test]
fn a_process_killed_during_a_rewrite_loses_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let (mut said, mut files, mut midst) = (0, HashSet::new(), 0);
    for round in 0u64..60 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::compact::churning", "--ignored", "--nocapture"])
            .env(FOLDER, &dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let numbers = lines.by_ref().filter_map(|line| line.strip_prefix("said ")?.parse::<u64>().ok());
        // Some commits after the rewrite has begun, or anywhere.
        let mut after = round * 7 % 60;
        for number in numbers {
            said = number;
            let begun = round % 2 == 1 || beside(&dir, ".new").exists();
            after -= u64::from(begun && after > 0);
            if after == 0 && begun {
                break;
            }
        }
        midst += u32::from(beside(&dir, ".new").exists() || beside(&dir, ".old").exists());
        child.kill().unwrap();
        child.wait().unwrap();
        let rest = lines.filter_map(|line| line.strip_prefix("said ")?.parse::<u64>().ok());
        said = rest.last().unwrap_or(said);
        let engine = SledEngine::open(&dir, options(u64::MAX)).unwrap();
        let there = number_of(engine.get(b"a").unwrap().as_ref());
        assert!(there >= said, "round {round}: {said} was said, and {there} is there");
        assert_eq!(everything(&engine), churned(there), "round {round}");
        drop(engine);
        files.insert(inode(&dir));
    }
    assert!(files.len() > 5 && midst > 5, "{} files, killed {midst} times in the midst", files.len());
}

#[test]
fn a_file_that_is_of_use_is_left_as_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    for at in 0..200u8 {
        let mut batch = Batch::new();
        batch.put(vec![b'k', at], vec![at; 20_000]);
        assert!(engine.commit(&[batch])[0].is_ok());
    }
    drop(engine);
    let mark = dir.join("mark");
    std::fs::write(&mark, "").unwrap();
    drop(SledEngine::open(&dir, options(1)).unwrap());
    assert!(mark.exists());
}

#[test]
fn a_crash_during_a_rewrite_loses_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    let engine = sled_at(&dir);
    use_up(&engine, 1);
    let held = everything(&engine);
    drop(engine);
    let (new, old) = (beside(&dir, ".new"), beside(&dir, ".old"));
    let is_whole = || {
        assert_eq!(everything(&sled_at(&dir)), held);
        assert!(!new.exists() && !old.exists());
    };
    // While the other was written.
    std::fs::create_dir(&new).unwrap();
    std::fs::write(new.join("db"), "half of it").unwrap();
    is_whole();
    // Between the two renames, with a new one that may be whole or not.
    std::fs::rename(&dir, &old).unwrap();
    std::fs::create_dir(&new).unwrap();
    is_whole();
    // Before the old one was deleted, all or a part of it.
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("log.0"), "what was left").unwrap();
    is_whole();
}

#[test]
fn a_store_is_compacted_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let tenant = super::HERE;
    let thing = |name: &str| Thing { name: name.to_owned(), ..Thing::default() };
    let id = crate::new_id();
    store.run_blocking::<_, crate::Error>(|tx| tx.insert(tenant, id, thing("kept")).map(drop)).unwrap();
    // Not while it is in use.
    assert!(crate::Store::compact(&StoreOptions::new(dir.path())).is_err());
    drop(store);
    let (before, after) = crate::Store::compact(&StoreOptions::new(dir.path())).unwrap();
    assert!(before > 0 && after > 0);
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let found = store.read_now::<_, crate::Error>(|reader| reader.get::<Thing>(tenant, &id)).unwrap();
    assert_eq!(found.map(|row| row.body.name).as_deref(), Some("kept"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever is written and removed, short, long and in blocks: the account says what is in the database.
    #[test]
    fn the_account_is_right(writes in prop::collection::vec((0..24u8, prop::option::of(0..40_000usize)), 1..120)) {
        let dir = tempfile::tempdir().unwrap();
        let engine = sled_at(&dir.path().join("engine"));
        for (at, len) in writes {
            // Half of them are events of two journals, which are kept in blocks.
            let key = match at % 2 {
                0 => vec![b'k', at],
                _ => [&PACKED[0].table[..], &vec![at % 4; PACKED[0].shared - 2], &[at]].concat(),
            };
            let mut batch = Batch::new();
            match len {
                Some(len) => batch.put(key, vec![at; len]),
                None => batch.delete(key),
            }
            prop_assert!(engine.commit(&[batch])[0].is_ok());
        }
        engine.settle();
        let (said, counted) = engine.account();
        prop_assert_eq!(said, counted);
    }
}
