//! The thread that transfers commits to the index, syncs the log in the background, and cleans it.

use super::barrier::catch_panic;
use super::memtable::FrozenMemtable;
use super::shared::{BACKLOG, Shared, Work};
use crate::error::{Error, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the thread waits before it tries again to write to a full disk.
const RETRY: Duration = Duration::from_secs(1);

enum Task {
    Apply(Arc<FrozenMemtable>),
    Sync,
    Clean,
}

impl Shared {
    /// The loop of the thread until the engine is closed or has failed.
    pub fn checkpoint_loop(&self) {
        while let Some(task) = self.wait_for_task() {
            if self.run(&task) {
                continue;
            }
            let mut work = self.work.lock();
            if work.closing {
                return;
            }
            self.changed.wait_for(&mut work, RETRY);
        }
    }

    /// Does the work of the thread on the caller's thread, until nothing is left or the disk is full.
    #[cfg(test)]
    pub fn checkpoint_here(&self) {
        loop {
            let task = self.next_task(&mut self.work.lock());
            if !task.is_some_and(|task| self.run(&task)) {
                return;
            }
        }
    }

    /// Returns false if the disk is full, so that the task has to be tried again.
    fn run(&self, task: &Task) -> bool {
        let done = catch_panic(|| match task {
            Task::Apply(frozen) => self.apply(frozen),
            Task::Sync => self.sync(),
            Task::Clean => self.clean_oldest(&|| !self.work.lock().stopping).map(drop),
        });
        let mut work = self.work.lock();
        work.busy = false;
        // Commits proceed as long as the memory limit is not reached.
        work.blocked = matches!(done, Err(Error::Full)).then(|| "the disk is full".to_owned());
        let is_blocked = work.blocked.is_some();
        if let Err(error) = done
            && !is_blocked
        {
            work.failed.get_or_insert(error.of_engine());
        }
        drop(work);
        self.changed.notify_all();
        !is_blocked
    }

    fn wait_for_task(&self) -> Option<Task> {
        let mut work = self.work.lock();
        loop {
            let task = self.next_task(&mut work);
            if task.is_some() || work.failed.is_some() || work.closing {
                return task;
            }
            self.changed.wait(&mut work);
        }
    }

    fn next_task(&self, work: &mut Work) -> Option<Task> {
        if work.failed.is_some() {
            return None;
        }
        let front = self.memory.read().frozen.front().cloned();
        let task = match front {
            Some(frozen) => Some(Task::Apply(frozen)),
            None if std::mem::take(&mut work.sync) => Some(Task::Sync),
            None if !work.stopping && self.cleaning_is_due() => Some(Task::Clean),
            None => None,
        };
        work.busy = task.is_some();
        if task.is_none() {
            work.progress = None;
        }
        task
    }

    fn sync(&self) -> Result<()> {
        match self.options.power_safe {
            true => Ok(()),
            false => self.segments.sync(),
        }
    }

    fn apply(&self, frozen: &FrozenMemtable) -> Result<()> {
        #[cfg(test)]
        let _gate = self.gates.apply();
        // A power loss can only destroy data that was appended since this sync.
        self.sync()?;
        self.begin_apply(frozen.number);
        self.index.apply(frozen).map_err(|error| self.of_index(error))?;
        self.recent.forget(frozen.table.iter().map(|(key, _)| key));
        self.memory.write().frozen.pop_front();
        let mut work = self.work.lock();
        work.progress = Some(Instant::now());
        let is_stopping = work.stopping;
        drop(work);
        self.changed.notify_all();
        if is_stopping {
            return Ok(());
        }
        let proceed = || !self.work.lock().stopping;
        self.index.tidy(&proceed).map_err(|error| self.of_index(error))?;
        // Also under constant load, so that the log does not grow without limit.
        while self.cleaning_is_due() && self.memory.read().frozen.len() <= BACKLOG / 2 && proceed() {
            self.clean_oldest(&proceed)?;
        }
        Ok(())
    }

    /// The index can be rebuilt after any of its errors.
    fn of_index(&self, error: Error) -> Error {
        if !matches!(error, Error::Full) {
            self.schedule_index_rebuild(&error);
        }
        error
    }
}
