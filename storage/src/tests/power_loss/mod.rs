//! Power losses, kills, failing disks and full disks, at every file operation of an engine.
//!
//! An engine runs on a [`SimulatedDisk`]: it commits groups of batches, does its chores and is reopened, all drawn from
//! a seed. Within its operations the disk is copied, in the state that another process finds after a kill, or the
//! machine after a power loss. On such a copy the engine is opened, read and checked against the states that the groups
//! led to ([`History`]). It then continues in the same way, so that it is also interrupted while it opens, or soon
//! after.
//!
//! The properties that are checked, in terms of the sequence of groups:
//!
//! - After a kill, and after a power loss with [`Mode::Power`], the engine shows the state after some group: at least
//!   all acknowledged groups, at most all submitted groups.
//! - After a power loss with [`Mode::Process`], it shows the state after any group, but no state from before what an
//!   opening after an earlier power loss has shown. If acknowledged groups are missing, it reports a loss.
//! - Data that cannot be written is not shown, neither before nor after reopening, and an engine that has failed stays
//!   failed.
//!
//! `UNDERSTUDY_POWER_LOSS_SEEDS` sets the number of seeds. `UNDERSTUDY_SEED` is the first of them.

mod boundaries;
mod embedded;
mod flaws;
mod history;
mod life;
mod reads;
mod real_files;
mod reference;
mod workload;

pub(super) use history::Violation;

use crate::engine::Engine;
use crate::error::Result;
use crate::files::FileSystem;
use crate::files::simulated::{Failure, Fault, Random, SimulatedDisk};
use history::History;
use life::{End, Life};
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// The failures that a commit must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Power losses as well as the end of the process.
    Power,
    /// Only the end of the process.
    Process,
}

/// How an engine is opened.
pub(super) struct Opening<'a> {
    pub files: Arc<dyn FileSystem>,
    /// The folder in which the engine stores its data. Its parent exists.
    pub dir: &'a Path,
    pub mode: Mode,
    /// Changes with each power loss, but not with a kill. Corresponds to `/proc/sys/kernel/random/boot_id`.
    pub boot: u64,
}

/// Periodic work of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chore {
    /// Makes everything that was acknowledged durable.
    Checkpoint,
    /// Releases the space of overwritten and deleted data.
    Clean,
}

/// An engine under test.
pub(super) trait Subject: Send + Sync + 'static {
    type Engine: Engine;

    /// Opens the engine in its folder, whatever data the folder contains.
    fn open(&self, opening: Opening<'_>) -> Result<Self::Engine>;

    /// Does a chore and waits for its end. An error must not be final unless commits report it too.
    fn maintain(&self, engine: &Self::Engine, chore: Chore) -> Result<()>;

    /// A human-readable description of acknowledged data that is or may be missing since the end before this opening.
    fn lost(&self, engine: &Self::Engine) -> Option<String>;

    /// The part of the keys that the entries of one journal share. It is followed by a sequence number of 8 bytes.
    fn journal(&self, run: u8) -> Vec<u8> {
        vec![b'j', b'r', run]
    }
}

/// How much is tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub seeds: u64,
    /// Steps of the first life of a seed.
    pub steps: usize,
    /// Maximum number of operations of the first life within which copies are made.
    pub boundaries: u64,
    /// Power losses for each of them.
    pub cuts: usize,
    /// Generations of lives on copies.
    pub depth: u32,
}

impl Effort {
    /// Takes seconds without optimisation, for an engine that opens in less than a millisecond.
    pub(super) const SHORT: Self = Self { seeds: 4, steps: 40, boundaries: 24, cuts: 2, depth: 2 };

    /// The seeds, whose number and start the environment can override.
    fn seeds(self) -> impl Iterator<Item = u64> {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let first = number("UNDERSTUDY_SEED").unwrap_or_else(|| Uuid::new_v4().as_u128() as u64 % 1_000_000);
        first..first + number("UNDERSTUDY_POWER_LOSS_SEEDS").unwrap_or(self.seeds)
    }
}

/// A test of one engine.
pub(super) struct Trial<S> {
    subject: S,
    mode: Mode,
    effort: Effort,
}

impl<S: Subject> Trial<S> {
    pub(super) fn new(subject: S, mode: Mode, effort: Effort) -> Arc<Self> {
        Arc::new(Self { subject, mode, effort })
    }

    /// Interrupts lives by power losses and kills. Panics at the first violation, with the seed that reproduces it.
    pub(super) fn interrupt(self: &Arc<Self>) {
        self.each_seed(|seed| self.interrupt_with(seed));
    }

    /// Makes operations fail.
    pub(super) fn fail(self: &Arc<Self>) {
        self.each_seed(|seed| self.fail_with(seed));
    }

    /// Fills the disk.
    pub(super) fn fill(self: &Arc<Self>) {
        self.each_seed(|seed| self.fill_with(seed));
    }

    fn each_seed(&self, with: impl Fn(u64) -> Result<(), Violation>) {
        for seed in self.effort.seeds() {
            println!("{:?}: UNDERSTUDY_SEED={seed} UNDERSTUDY_POWER_LOSS_SEEDS=1 repeats this", self.mode);
            if let Err(violation) = with(seed) {
                panic!("seed {seed}, {:?}: {violation}", self.mode);
            }
        }
    }

    /// Runs [`interrupt`](Self::interrupt) with one seed.
    pub(super) fn interrupt_with(self: &Arc<Self>, seed: u64) -> Result<(), Violation> {
        let (disk, first) = (disk(seed), disk(seed));
        // The first run is not interrupted. It determines the number of operations.
        self.first_life(first.clone(), seed).run(self)?;
        let operations = first.operations() - disk.operations();
        let every = operations.div_ceil(self.effort.boundaries);
        let life = Life { depth: self.effort.depth, every, ..self.first_life(disk, seed) };
        life.run(self)
    }

    /// Runs [`fail`](Self::fail) with one seed.
    pub(super) fn fail_with(self: &Arc<Self>, seed: u64) -> Result<(), Violation> {
        let mut random = Random::new(seed);
        let first = disk(seed);
        self.first_life(first.clone(), seed).run(self)?;
        for _ in 0..self.effort.boundaries {
            let disk = disk(random.next());
            let failure = if random.once_in(3) { Failure::NoSpace } else { Failure::Io };
            let after = random.below(first.operations() - disk.operations());
            let times = [1, 1, 2, u64::MAX][random.below(4) as usize];
            disk.inject(Fault { on: None, after, times, failure });
            let life = Life { may_fail: true, ..self.first_life(disk, seed) };
            life.run(self).map_err(|violation| {
                violation.after(&format!("{failure:?} of operation {after}, {times} times"))
            })?;
        }
        Ok(())
    }

    /// Runs [`fill`](Self::fill) with one seed.
    pub(super) fn fill_with(self: &Arc<Self>, seed: u64) -> Result<(), Violation> {
        let mut random = Random::new(seed);
        let first = disk(seed);
        self.first_life(first.clone(), seed).run(self)?;
        let most = first.space();
        for _ in 0..self.effort.boundaries.div_ceil(4) {
            let disk = disk(random.next());
            // From less than the engine needs to open, up to what it needs to do most of its work.
            let capacity = random.between(0, most);
            disk.set_capacity(Some(capacity));
            let life = Life { may_fill: true, ..self.first_life(disk, seed) };
            life.run(self).map_err(|violation| violation.after(&format!("a disk of {capacity} bytes")))?;
        }
        Ok(())
    }

    fn first_life(&self, disk: SimulatedDisk, seed: u64) -> Life {
        Life {
            disk,
            history: History::new(),
            end: End::PowerLoss,
            seed,
            steps: self.effort.steps,
            depth: 0,
            every: u64::MAX,
            may_fail: false,
            may_fill: false,
        }
    }
}

/// An empty disk with the parent folder of the engine.
fn disk(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    let made = disk.create_dir(Path::new(life::ABOVE)).and_then(|()| disk.sync_dir(Path::new("/")));
    made.expect("an empty disk");
    disk
}
