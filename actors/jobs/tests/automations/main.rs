//! Tests of automations with a clock that the test sets: ticks, overlaps, catching up, pauses and crashes.

mod ledger;
mod overlap;
mod restarts;
mod scene;
#[path = "../../../assist/tests/runs/stage/mod.rs"]
mod stage;
mod trouble;
