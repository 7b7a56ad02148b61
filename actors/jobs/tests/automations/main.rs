//! Automations on a clock that the test sets: ticks, overlaps, what is made up for, pauses, crashes.

mod ledger;
mod overlap;
mod restarts;
mod scene;
#[path = "../../../assist/tests/stage/mod.rs"]
mod stage;
mod trouble;
