//! The log is cleaned while it is read and written, and cleaning survives any end of the process.

use super::{Memory, Thing, everything, small};
use crate::StoreOptions;
use crate::engine::{Batch, Engine, EngineOptions, LogEngine};
use bytes::Bytes;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of keys that are written and deleted repeatedly.
const KEYS: u64 = 20;

/// The `number`-th of many batches, each of which undoes much of the previous ones.
fn churn(number: u64) -> Batch {
    let mut batch = Batch::new();
    let key = |at: u64| vec![b'k', (at % KEYS) as u8];
    batch.put(vec![b'a'], number.to_be_bytes().to_vec());
    batch.put(key(number), vec![number as u8; 20_000]);
    batch.delete(key(number + KEYS / 2));
    batch.put(vec![b'z'], number.to_be_bytes().to_vec());
    batch
}

/// Keys that are written once and stay, so that they have to be moved.
fn steady() -> Batch {
    let mut batch = Batch::new();
    for at in 0..30u8 {
        batch.put(vec![b'b', at], vec![at; 100 * usize::from(at)]);
    }
    batch
}

/// The expected content after this many batches.
fn churned(number: u64) -> Vec<(Bytes, Bytes)> {
    let model = Memory::default();
    assert!(model.commit(&[steady()])[0].is_ok());
    (number.saturating_sub(30) + 1..=number)
        .for_each(|number| assert!(model.commit(&[churn(number)])[0].is_ok()));
    everything(&model)
}

fn number_of(all: &[(Bytes, Bytes)]) -> u64 {
    all.first()
        .filter(|(key, _)| key == "a")
        .map_or(0, |(_, value)| u64::from_be_bytes(value[..].try_into().unwrap()))
}

#[test]
fn the_log_is_cleaned_under_concurrent_reads_and_writes() {
    let dir = tempfile::tempdir().unwrap();
    let engine = LogEngine::open(dir.path(), small()).unwrap();
    assert!(engine.commit(&[steady()])[0].is_ok());
    let mut number = 0;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            // Each scan is a consistent snapshot, and none is older than the previous one.
            scope.spawn(|| {
                let mut last = 0;
                while !done.load(Ordering::SeqCst) {
                    let all = everything(&engine);
                    let now = number_of(&all);
                    assert!(now >= last, "{now} after {last}");
                    assert_eq!(all, churned(now));
                    for at in 0..30u8 {
                        assert_eq!(
                            engine.get(&[b'b', at]).unwrap().unwrap(),
                            vec![at; 100 * usize::from(at)]
                        );
                    }
                    last = now;
                }
            });
        }
        while number < 2_000 {
            number += 1;
            assert!(engine.commit(&[churn(number)])[0].is_ok());
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(everything(&engine), churned(number));
    engine.settle_for_test();
    let (bytes, live) = engine.bytes();
    // 40 MB were written, and about 300 KB are live.
    assert!(bytes < 4 << 20, "{bytes} bytes, of which {live} are live");
    assert_eq!(engine.verify().unwrap(), Vec::<String>::new());
    drop(engine);
    let engine = LogEngine::open(dir.path(), small()).unwrap();
    assert_eq!(everything(&engine), churned(number));
    engine.abandon();
    // From the log alone.
    let boot = Some("another".to_owned());
    let engine = LogEngine::open(dir.path(), EngineOptions { boot, power_safe: true, ..small() }).unwrap();
    assert_eq!(everything(&engine), churned(number));
}

const FOLDER: &str = "STORAGE_CHURN_FOLDER";

#[test]
#[ignore = "the process that is killed"]
fn churning() {
    let Some(dir) = std::env::var_os(FOLDER) else { return };
    let engine = LogEngine::open(Path::new(&dir), small()).unwrap();
    let from = number_of(&everything(&engine));
    if from == 0 {
        assert!(engine.commit(&[steady()])[0].is_ok());
    }
    for number in from + 1.. {
        assert!(engine.commit(&[churn(number)])[0].is_ok());
        std::io::stdout().lock().write_all(format!("said {number}\n").as_bytes()).unwrap();
    }
}

#[test]
fn kill_during_cleaning_loses_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("engine");
    for round in 0u64.. {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::cleaning::churning", "--ignored", "--nocapture"])
            .env(FOLDER, &dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut numbers = lines.by_ref().filter_map(|line| line.strip_prefix("said ")?.parse::<u64>().ok());
        let said = numbers.by_ref().nth((round * 13 % 90) as usize).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let rest = lines.filter_map(|line| line.strip_prefix("said ")?.parse::<u64>().ok());
        let said = rest.last().unwrap_or(said);
        // Every third time without the index.
        let boot = if round % 3 == 0 { Some("another".to_owned()) } else { small().boot };
        let engine = LogEngine::open(&dir, EngineOptions { boot, ..small() }).unwrap();
        let all = everything(&engine);
        let there = number_of(&all);
        assert!(there >= said, "round {round}: {said} was said, and {there} is there");
        assert_eq!(all, churned(there), "round {round}");
        let segments = std::fs::read_dir(dir.join("log")).unwrap();
        let oldest = segments.map(|entry| entry.unwrap().file_name()).min().unwrap();
        // How much is cleaned before each kill depends on the machine.
        if round >= 40 && oldest.to_str().unwrap() > "0000000005.log" {
            return;
        }
        assert!(round < 400, "{oldest:?} is the oldest after {said}");
    }
}

#[test]
fn compaction_shrinks_the_index_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let engine = LogEngine::open(dir.path(), small()).unwrap();
    let key = |number: u32| [&b"k"[..], &number.to_be_bytes()].concat();
    for round in 0..4u8 {
        for part in 0..100 {
            let mut batch = Batch::new();
            (0..50).for_each(|number| batch.put(key(part * 50 + number), vec![round; 60]));
            assert!(engine.commit(&[batch])[0].is_ok());
        }
    }
    let mut batch = Batch::new();
    (10..5_000).for_each(|number| batch.delete(key(number)));
    assert!(engine.commit(&[batch])[0].is_ok());
    let held = everything(&engine);
    drop(engine);
    let index = || std::fs::metadata(dir.path().join("index/db")).unwrap().len();
    let before = index();
    LogEngine::compact(dir.path(), small()).unwrap();
    assert!(index() * 2 < before, "{before} became {}", index());
    let engine = LogEngine::open(dir.path(), small()).unwrap();
    assert_eq!((held.len(), everything(&engine)), (10, held));
}

#[test]
fn a_store_is_compacted_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let tenant = super::HERE;
    let thing =
        |name: &str| Thing { name: name.to_owned(), tags: vec!["x".repeat(100_000)], ..Thing::default() };
    let id = crate::new_id();
    store.run_blocking::<_, crate::Error>(|tx| tx.insert(tenant, id, thing("first")).map(drop)).unwrap();
    for number in 0..50 {
        let changed = store.run_blocking::<_, crate::Error>(|tx| {
            let mut row = tx.require::<Thing>(tenant, &id)?;
            row.body = thing(&format!("number {number}"));
            tx.update(tenant, row).map(drop)
        });
        changed.unwrap();
    }
    // Fails while the store is in use.
    assert!(crate::Store::compact(&StoreOptions::new(dir.path())).is_err());
    drop(store);
    let (before, after) = crate::Store::compact(&StoreOptions::new(dir.path())).unwrap();
    assert!(before > 10 * after && after > 100_000, "{before} became {after}");
    let store = crate::Store::open(StoreOptions::new(dir.path())).unwrap();
    let found = store.read_now::<_, crate::Error>(|reader| reader.get::<Thing>(tenant, &id)).unwrap();
    assert_eq!(found.map(|row| row.body.name).as_deref(), Some("number 49"));
}
