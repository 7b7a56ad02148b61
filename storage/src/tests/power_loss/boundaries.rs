//! Copies of a disk within operations, and lives on them.

use super::history::{History, Violation};
use super::life::{End, Life};
use super::{Subject, Trial};
use crate::files::simulated::{Observer, Random, SimulatedDisk};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opening is a small part of the operations, and otherwise the least tested one.
const EVERY_OPENING: u64 = 3;
/// Number of operations within which a life on a copy is copied again.
const NESTED: u64 = 3;

/// State shared by the engine in use and the observer of its disk.
pub(super) struct Watched {
    pub history: Mutex<History>,
    /// The first violation on a copy.
    violation: Mutex<Option<Violation>>,
    pub is_opening: AtomicBool,
}

impl Watched {
    pub(super) fn new(history: History) -> Self {
        Self { history: Mutex::new(history), violation: Mutex::new(None), is_opening: AtomicBool::new(false) }
    }

    pub(super) fn has_violation(&self) -> bool {
        self.violation.lock().is_some()
    }

    pub(super) fn violation(&self) -> Option<Violation> {
        self.violation.lock().take()
    }
}

/// Interrupts the life of an engine within some of its operations, on copies of its disk.
pub(super) struct Boundaries<S> {
    trial: Arc<Trial<S>>,
    watched: Arc<Watched>,
    random: Random,
    every: u64,
    depth: u32,
    cuts: usize,
    left: u64,
}

impl<S: Subject> Boundaries<S> {
    pub(super) fn new(trial: Arc<Trial<S>>, watched: Arc<Watched>, life: &Life) -> Self {
        let is_first = life.depth == trial.effort.depth;
        let (cuts, left) = if is_first { (trial.effort.cuts, u64::MAX) } else { (1, NESTED) };
        Self {
            trial,
            watched,
            random: Random::new(life.seed ^ 1),
            every: life.every,
            depth: life.depth,
            cuts,
            left,
        }
    }
}

impl<S: Subject> Observer for Boundaries<S> {
    fn wants(&mut self, _number: u64) -> bool {
        let is_opening = self.watched.is_opening.load(Ordering::Relaxed);
        let every = if is_opening { self.every.min(EVERY_OPENING) } else { self.every };
        let wants = self.left > 0 && !self.watched.has_violation() && self.random.once_in(every);
        self.left -= u64::from(wants);
        wants
    }

    fn within(&mut self, number: u64, disk: &SimulatedDisk) {
        let history = self.watched.history.lock().clone();
        let what = if self.watched.is_opening.load(Ordering::Relaxed) { "opening" } else { "working" };
        for end in std::iter::once(End::Kill).chain(std::iter::repeat_n(End::PowerLoss, self.cuts)) {
            let life = Life::after(end, disk, &history, self.depth - 1, &mut self.random);
            if let Err(violation) = life.run(&self.trial) {
                let violation = violation.after(&format!("{end:?} within operation {number}, while {what}"));
                *self.watched.violation.lock() = Some(violation);
                return;
            }
        }
    }
}
