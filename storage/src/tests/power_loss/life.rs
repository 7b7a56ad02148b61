//! The life of an engine on a disk, from an opening to an interruption.

use super::boundaries::{Boundaries, Watched};
use super::history::{Contents, History, Violation, differences};
use super::workload::{Expected, Step, Workload};
use super::{Mode, Opening, Subject, Trial, reads};
use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::files::simulated::{Random, SimulatedDisk};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The folder that exists before the engine is opened.
pub(super) const ABOVE: &str = "/data";
const DIR: &str = "/data/engine";
/// Maximum number of steps of a life on a copy.
const STEPS: u64 = 4;
/// Commits on a full disk before space is freed.
const FULL: u32 = 3;

/// How the previous life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Kill,
    PowerLoss,
}

pub(super) struct Life {
    pub disk: SimulatedDisk,
    /// The history of the previous lives.
    pub history: History,
    /// How the previous life ended.
    pub end: End,
    pub seed: u64,
    pub steps: usize,
    /// Generations of lives on copies of this disk.
    pub depth: u32,
    /// Copies are made within one in this many operations.
    pub every: u64,
    /// Whether operations fail.
    pub may_fail: bool,
    /// Whether the disk becomes full.
    pub may_fill: bool,
}

impl Life {
    /// A short life on the disk that an interruption leaves behind.
    pub(super) fn after(
        end: End,
        disk: &SimulatedDisk,
        history: &History,
        depth: u32,
        random: &mut Random,
    ) -> Self {
        let disk = match end {
            End::Kill => disk.kill(random),
            End::PowerLoss => disk.lose_power(random),
        };
        disk.set_capacity(None);
        let steps = random.between(0, STEPS) as usize;
        let (history, seed) = (history.clone(), random.next());
        Self { disk, history, end, seed, steps, depth, every: 6, may_fail: false, may_fill: false }
    }

    pub(super) fn run<S: Subject>(mut self, trial: &Arc<Trial<S>>) -> Result<(), Violation> {
        self.history.end(self.end, self.seed);
        // Otherwise a failed sync could remove data from the page cache that the engine promises to retain until the
        // process ends.
        self.disk.drop_pages_of_failed_syncs(trial.mode == Mode::Power);
        let watched = Arc::new(Watched::new(self.history.clone()));
        if self.depth > 0 {
            self.disk.observe(Boundaries::new(trial.clone(), watched.clone(), &self));
        }
        let random = Random::new(self.seed);
        let mut work = Work { trial, life: &self, watched: &watched, random, is_relieved: false };
        let result = work.run();
        watched.violation().map_or(result, Err).map_err(|violation| {
            let operations = self.disk.last_operations().replace('\n', "\n    ");
            Violation::new(format!("{violation}\n  operations of its disk:\n    {operations}"))
        })?;
        let history = watched.history.lock().clone();
        self.ends(trial, &history)
    }

    /// Runs lives after all interruptions that are possible now.
    fn ends<S: Subject>(&self, trial: &Arc<Trial<S>>, history: &History) -> Result<(), Violation> {
        if self.steps == 0 {
            return Ok(());
        }
        let mut random = Random::new(!self.seed);
        for end in [End::Kill, End::PowerLoss] {
            let depth = self.depth.saturating_sub(1);
            let mut next = Self::after(end, &self.disk, history, depth, &mut random);
            if self.depth == 0 && self.steps <= STEPS as usize {
                next.steps = 0;
            }
            next.run(trial).map_err(|violation| violation.after(&format!("{end:?} at the end of a life")))?;
        }
        Ok(())
    }
}

/// An engine in use.
struct Work<'a, S> {
    trial: &'a Trial<S>,
    life: &'a Life,
    watched: &'a Watched,
    random: Random,
    /// Whether a disk that was full has space again.
    is_relieved: bool,
}

/// The outcome of a commit.
enum Commit {
    Done,
    Full,
    Failed,
}

impl<S: Subject> Work<'_, S> {
    fn run(&mut self) -> Result<(), Violation> {
        let Some(mut engine) = self.open()? else { return Ok(()) };
        let mut workload = Workload::new(&self.trial.subject, self.random.next());
        let mut times_full = 0;
        for number in 1..=self.life.steps {
            if self.watched.has_violation() {
                return Ok(());
            }
            let state = self.acknowledged();
            let step = workload.next(&state);
            let with_step =
                |violation: Violation| violation.after(&format!("step {number}, {}", step.brief()));
            match &step {
                Step::Commit(group) => match self.commit(&engine, &state, group).map_err(with_step)? {
                    Commit::Done => {}
                    Commit::Full => {
                        times_full += 1;
                        if times_full == FULL {
                            self.free_space(&engine);
                        }
                    }
                    Commit::Failed => return self.stays_failed(&engine).map_err(with_step),
                },
                Step::Idle => {
                    let failed = engine.commit(&[]).into_iter().find_map(Result::err);
                    self.chore_went(failed).map_err(with_step)?;
                }
                Step::Chore(chore) => {
                    let failed = self.trial.subject.maintain(&engine, *chore).err();
                    self.chore_went(failed).map_err(with_step)?;
                }
                Step::Reopen => {
                    drop(engine);
                    let Some(opened) = self.open().map_err(with_step)? else { return Ok(()) };
                    engine = opened;
                }
            }
            if self.random.once_in(4) {
                self.shows_the_acknowledged(&engine).map_err(with_step)?;
            }
        }
        self.shows_the_acknowledged(&engine)
    }

    /// Opens the engine and checks what it shows; `None` if a failing disk prevents that.
    fn open(&mut self) -> Result<Option<S::Engine>, Violation> {
        let (mode, boot) = (self.trial.mode, self.watched.history.lock().boot());
        self.watched.is_opening.store(true, Ordering::Relaxed);
        let files = Arc::new(self.life.disk.clone());
        let opened = self.trial.subject.open(Opening { files, dir: Path::new(DIR), mode, boot });
        self.watched.is_opening.store(false, Ordering::Relaxed);
        let shown = opened.and_then(|engine| Ok((reads::shown(&engine, &mut self.random)?, engine)));
        let (shown, engine) = match shown {
            Ok((shown, engine)) => (shown?, engine),
            Err(_) if self.may_fail() => return Ok(None),
            Err(error) => return Err(Violation::new(format!("cannot be opened: {error}"))),
        };
        let loss = self.trial.subject.lost(&engine);
        self.watched.history.lock().opened(shown, mode, loss.as_deref())?;
        Ok(Some(engine))
    }

    /// Whether opening and chores may fail.
    fn may_fail(&self) -> bool {
        self.life.may_fail || self.life.may_fill && !self.is_relieved
    }

    fn acknowledged(&self) -> Contents {
        self.watched.history.lock().acknowledged().clone()
    }

    fn commit(&mut self, engine: &S::Engine, state: &Contents, group: &[Batch]) -> Result<Commit, Violation> {
        let expected = Expected::of(state, group);
        self.watched.history.lock().submit(expected.state.clone());
        let verdicts = engine.commit(group);
        if expected.has(&verdicts) {
            self.watched.history.lock().acknowledge();
            return Ok(Commit::Done);
        }
        let is_whole = verdicts.len() == group.len() && verdicts.iter().all(Result::is_err);
        let is_full = verdicts.iter().all(|verdict| matches!(verdict, Err(Error::Full | Error::Conflict)));
        if is_whole && is_full && self.may_fail() && !self.is_relieved {
            self.watched.history.lock().withdraw();
            self.shows_the_acknowledged(engine)?;
            return Ok(Commit::Full);
        }
        if is_whole && !is_full && self.life.may_fail {
            return Ok(Commit::Failed);
        }
        Err(Violation::new(format!(
            "a group has the verdicts {verdicts:?}; expected {:?}",
            expected.verdicts
        )))
    }

    /// Frees space, and lets the engine notice.
    fn free_space(&mut self, engine: &S::Engine) {
        self.life.disk.set_capacity(None);
        self.life.disk.stop_failing();
        engine.commit(&[]);
        self.is_relieved = true;
    }

    fn chore_went(&self, failed: Option<Error>) -> Result<(), Violation> {
        match failed {
            Some(error) if !self.may_fail() => Err(Violation::new(format!("fails: {error}"))),
            _ => Ok(()),
        }
    }

    /// Checks an engine that has failed: it shows the acknowledged data and refuses writes.
    fn stays_failed(&mut self, engine: &S::Engine) -> Result<(), Violation> {
        self.shows_the_acknowledged(engine)?;
        let mut batch = Batch::new();
        batch.put("after the failure", "x");
        if engine.commit(&[batch]).iter().any(Result::is_ok) {
            return Err(Violation::new("commits after it has failed"));
        }
        self.shows_the_acknowledged(engine)
    }

    fn shows_the_acknowledged(&mut self, engine: &S::Engine) -> Result<(), Violation> {
        let shown = match reads::shown(engine, &mut self.random) {
            Ok(shown) => shown?,
            Err(_) if self.life.may_fail => return Ok(()),
            Err(error) => return Err(Violation::new(format!("cannot be read: {error}"))),
        };
        let acknowledged = self.acknowledged();
        let mut differences = differences(&acknowledged, &shown);
        if differences.is_empty() {
            return Ok(());
        }
        differences.truncate(6);
        Err(Violation::new(format!("shows other than what was acknowledged: {}", differences.join(", "))))
    }
}
