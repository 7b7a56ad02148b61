//! Checks that the tests accept a correct engine and find the flaws of incorrect ones.

use super::reference::{Flaw, Reference};
use super::{Effort, Mode, Subject, Trial, Violation};
use std::sync::Arc;

/// The seeds within which a flaw must be found. They are always the same.
const SEEDS: u64 = 12;

type With<S> = fn(&Arc<Trial<S>>, u64) -> Result<(), Violation>;

/// Returns the first violation that is found.
fn found(flaw: Flaw, mode: Mode, with: With<Reference>) -> String {
    let trial = Trial::new(Reference(Some(flaw)), mode, Effort::SHORT);
    let violation = (0..SEEDS).find_map(|seed| with(&trial, seed).err());
    let violation = violation.unwrap_or_else(|| panic!("{flaw:?} was not found")).to_string();
    // Printed with `--nocapture`, to see what a violation looks like.
    println!("{flaw:?}: {violation}");
    violation
}

fn interrupt<S: Subject>(trial: &Arc<Trial<S>>, seed: u64) -> Result<(), Violation> {
    trial.interrupt_with(seed)
}

fn fail<S: Subject>(trial: &Arc<Trial<S>>, seed: u64) -> Result<(), Violation> {
    trial.fail_with(seed)
}

fn fill<S: Subject>(trial: &Arc<Trial<S>>, seed: u64) -> Result<(), Violation> {
    trial.fill_with(seed)
}

#[test]
fn reference_engine_survives_power_losses() {
    Trial::new(Reference(None), Mode::Power, Effort::SHORT).interrupt();
}

#[test]
fn reference_engine_survives_kills_and_reports_power_losses() {
    Trial::new(Reference(None), Mode::Process, Effort::SHORT).interrupt();
}

#[test]
fn reference_engine_survives_failing_and_full_disks() {
    for mode in [Mode::Power, Mode::Process] {
        Trial::new(Reference(None), mode, Effort::SHORT).fail();
        Trial::new(Reference(None), mode, Effort::SHORT).fill();
    }
}

#[test]
fn missing_and_late_syncs_are_found() {
    for flaw in [Flaw::NoSync, Flaw::NoDirSync, Flaw::LateSync, Flaw::EarlyRename] {
        let violation = found(flaw, Mode::Power, interrupt);
        assert!(
            violation.contains("PowerLoss") && violation.contains("was acknowledged"),
            "{flaw:?}: {violation}"
        );
    }
}

#[test]
fn data_lost_by_a_kill_is_found() {
    let violation = found(Flaw::Buffers, Mode::Process, interrupt);
    assert!(violation.contains("was acknowledged"), "{violation}");
}

#[test]
fn opening_that_shows_data_that_is_not_durable_is_found() {
    let violation = found(Flaw::EarlyRename, Mode::Process, interrupt);
    assert!(violation.contains("PowerLoss"), "{violation}");
}

#[test]
fn wrong_detection_of_the_end_of_a_log_is_found() {
    let violation = found(Flaw::SkipsGaps, Mode::Process, interrupt);
    assert!(violation.contains("shows no state"), "{violation}");
    for flaw in [Flaw::KeepsTornTail, Flaw::SplitsGroups] {
        found(flaw, Mode::Power, interrupt);
    }
}

#[test]
fn a_loss_without_a_report_is_found() {
    let violation = found(Flaw::ReportsNoLoss, Mode::Process, interrupt);
    assert!(violation.contains("reports no loss"), "{violation}");
}

#[test]
fn wrong_handling_of_failures_is_found() {
    found(Flaw::GoesOn, Mode::Power, fail);
    let early = found(Flaw::ShowsEarly, Mode::Power, fail);
    assert!(early.contains("shows other than what was acknowledged"), "{early}");
    // After a failed sync, a restart and a power loss, data that was shown in between is gone.
    let trusting = found(Flaw::TrustsPageCache, Mode::Power, fail);
    assert!(trusting.contains("PowerLoss"), "{trusting}");
}

#[test]
fn wrong_handling_of_a_full_disk_is_found() {
    found(Flaw::LeavesRefused, Mode::Power, fail);
    let violation = found(Flaw::StaysFull, Mode::Power, fill);
    assert!(violation.contains("has the verdicts [Err(Engine("), "{violation}");
}
