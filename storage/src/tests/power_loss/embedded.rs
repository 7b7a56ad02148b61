//! The embedded engine on a disk that loses power.

use super::{Chore, Effort, Mode, Opening, Subject, Trial};
use crate::engine::index::IndexKind;
use crate::engine::{Batch, Engine, EngineOptions, LogEngine};
use crate::error::{Error, Result};
use crate::files::simulated::{Failure, Fault, Operation, Random, SimulatedDisk};
use std::path::Path;
use std::sync::Arc;

/// The embedded engine, with small sizes so that segments and memtables are created and removed often.
struct Embedded;

fn options(opening: &Opening<'_>) -> EngineOptions {
    EngineOptions {
        power_safe: opening.mode == Mode::Power,
        memtable_bytes: 4 << 10,
        segment_bytes: 8 << 10,
        garbage_bytes: 16 << 10,
        files: opening.files.clone(),
        boot: Some(opening.boot.to_string()),
        index: IndexKind::Map,
        // Makes failures reproducible from their seed.
        has_thread: false,
        ..EngineOptions::new(&[])
    }
}

impl Subject for Embedded {
    type Engine = LogEngine;

    fn open(&self, opening: Opening<'_>) -> Result<LogEngine> {
        LogEngine::open(opening.dir, options(&opening))
    }

    fn maintain(&self, engine: &LogEngine, chore: Chore) -> Result<()> {
        match chore {
            Chore::Checkpoint => engine.checkpoint(),
            Chore::Clean => engine.checkpoint().and_then(|()| engine.clean().map(drop)),
        }
    }

    fn lost(&self, engine: &LogEngine) -> Option<String> {
        engine.power_loss().map(|loss| format!("{loss:?}"))
    }
}

#[test]
fn embedded_engine_survives_power_losses_and_kills_with_power_durability() {
    Trial::new(Embedded, Mode::Power, Effort::SHORT).interrupt();
}

#[test]
fn embedded_engine_survives_kills_and_shows_a_prefix_after_power_losses_with_process_durability() {
    Trial::new(Embedded, Mode::Process, Effort::SHORT).interrupt();
}

#[test]
fn embedded_engine_survives_a_failing_disk() {
    for mode in [Mode::Power, Mode::Process] {
        Trial::new(Embedded, mode, Effort::SHORT).fail();
    }
}

#[test]
fn embedded_engine_continues_after_a_full_disk() {
    for mode in [Mode::Power, Mode::Process] {
        Trial::new(Embedded, mode, Effort::SHORT).fill();
    }
}

#[test]
fn data_of_a_failed_sync_is_never_considered_durable() {
    let disk = super::disk(1);
    let files = Arc::new(disk.clone());
    let opening =
        || Opening { files: files.clone(), dir: Path::new("/data/engine"), mode: Mode::Process, boot: 1 };
    let engine = LogEngine::open(opening().dir, options(&opening())).unwrap();
    let put = |key: &str, bytes: usize| {
        let mut batch = Batch::new();
        batch.put(key.to_owned(), vec![b'v'; bytes]);
        assert!(engine.commit(&[batch])[0].is_ok());
    };
    put("key", 5);
    (0..30).for_each(|number| put(&number.to_string(), 1_000));
    engine.checkpoint().unwrap();
    disk.inject(Fault { on: Some(Operation::Sync), after: 0, times: 1, failure: Failure::Io });
    // Appends the first value again, and cannot sync that.
    engine.clean().unwrap_err();
    engine.checkpoint().unwrap_err();
    drop(engine);
    let again = LogEngine::open(opening().dir, options(&opening())).unwrap();
    assert_eq!(again.get(b"key").unwrap().unwrap(), "vvvvv");
    again.checkpoint().unwrap();
}

#[test]
fn segment_that_found_no_space_is_rewritten_after_closing() {
    let disk = super::disk(1);
    let open = |disk: &SimulatedDisk, boot| {
        let (files, dir) = (Arc::new(disk.clone()), Path::new("/data/engine"));
        let opening = Opening { files, dir, mode: Mode::Power, boot };
        LogEngine::open(dir, options(&opening)).unwrap()
    };
    let put = |engine: &LogEngine, key: &str| {
        let mut batch = Batch::new();
        batch.put(key.to_owned(), vec![b'v'; 9_000]);
        engine.commit(&[batch]).pop().unwrap()
    };
    let engine = open(&disk, 1);
    put(&engine, "first").unwrap();
    // The next commit begins another segment.
    disk.inject(Fault { on: Some(Operation::Sync), after: 0, times: 1, failure: Failure::NoSpace });
    assert!(matches!(put(&engine, "second"), Err(Error::Full)));
    drop(engine);
    let engine = open(&disk, 1);
    put(&engine, "third").unwrap();
    drop(engine);
    for seed in 0..20 {
        let engine = open(&disk.lose_power(&mut Random::new(seed)), 2);
        let has = |key: &str| engine.get(key.as_bytes()).unwrap().is_some();
        assert_eq!([has("first"), has("second"), has("third")], [true, false, true]);
    }
}

#[test]
fn an_index_that_could_not_be_synced_is_rebuilt() {
    let disk = super::disk(1);
    let files = Arc::new(disk.clone());
    let opening = Opening { files, dir: Path::new("/data/engine"), mode: Mode::Power, boot: 1 };
    let is_to_be_rebuilt = || {
        let state = crate::files::read(&disk, &opening.dir.join("state")).unwrap();
        String::from_utf8(state).unwrap().contains("\"rebuild_index\":true")
    };
    let engine = LogEngine::open(opening.dir, options(&opening)).unwrap();
    let mut batch = Batch::new();
    batch.put("key", "value");
    assert!(engine.commit(&[batch])[0].is_ok());
    // The next sync is that of the index when it is closed.
    disk.inject(Fault { on: Some(Operation::Sync), after: 0, times: 1, failure: Failure::Io });
    drop(engine);
    assert!(is_to_be_rebuilt());
    drop(LogEngine::open(opening.dir, options(&opening)).unwrap());
    assert!(!is_to_be_rebuilt());
}
