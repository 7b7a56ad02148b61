//! The embedded engine on a disk that loses power.

use super::{Chore, Effort, Mode, Opening, Subject, Trial};
use crate::engine::index::IndexKind;
use crate::engine::{EngineOptions, LogEngine, Packed};
use crate::error::Result;

/// The embedded engine, with sizes so small that segments and memtables come and go.
struct Embedded;

const PACKED: &[Packed] = &[Packed { table: *b"jr", shared: 3 }];

fn options(opening: &Opening<'_>) -> EngineOptions {
    EngineOptions {
        power_safe: opening.mode == Mode::Power,
        memtable_bytes: 4 << 10,
        segment_bytes: 8 << 10,
        garbage_bytes: 16 << 10,
        files: opening.files.clone(),
        boot: Some(opening.boot.to_string()),
        index: IndexKind::Map,
        // So that a seed repeats what it has found.
        has_thread: false,
        ..EngineOptions::new(PACKED)
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
fn embedded_engine_goes_on_after_a_full_disk() {
    for mode in [Mode::Power, Mode::Process] {
        Trial::new(Embedded, mode, Effort::SHORT).fill();
    }
}
