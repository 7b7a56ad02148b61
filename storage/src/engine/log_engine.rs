//! The embedded engine for one node: a log of segments, indexed by sled.
//!
//! ```text
//! commit ──> log (durable) ──> memtable (visible) ┄┄ periodically, on another thread ┄┄> index
//! read   <── memtable, else index ──> log
//! ```
//!
//! A commit is one record in the log, written by the committing thread itself. Its writes then become visible from
//! memory. When a memtable has grown large enough, another thread writes the positions of its values to the index,
//! while commits continue in another memtable. Opening reads the part of the log that the index lacks. The oldest
//! segment of the log is removed once its live values have been appended again.
//!
//! The log is the only source of truth, and the only part that has to be durable: the index is rebuilt from it if the
//! machine loses power while it is open. sled does not survive a power loss (it relies on `sync_file_range` when it
//! reuses space), wakes eight threads for each durable batch, and takes ten microseconds for each key.

use super::barrier::without_panic;
use super::log::Replay;
use super::open::{self, Opened, PowerLoss};
use super::options::EngineOptions;
use super::salvage::{self, Salvaged};
use super::scan::Limits;
use super::shared::{EngineStatus, Shared};
use super::state::State;
use super::{Batch, Chunk, Direction, Engine, Expect, KeyRange, Op, aside, counters, legacy, swap};
use crate::data_dir::FolderLock;
use crate::error::{Error, Result};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Number of writes that a scan copies from the memtable in excess of its limit, because some of them are deletions.
const COPIED: usize = 64;

/// The embedded engine; see the module documentation.
pub struct LogEngine {
    shared: Arc<Shared>,
    power_loss: Option<PowerLoss>,
    thread: Option<JoinHandle<()>>,
    /// The lock of the data folder. The last field, so that the folder is unlocked after the database has closed.
    lock: Option<Arc<FolderLock>>,
}

impl LogEngine {
    /// Opens the database in `dir`, or creates one. A database of version 1 (sled alone) is converted first.
    ///
    /// # Errors
    /// `Corrupt` if files are missing or damaged; nothing is changed in that case.
    pub fn open(dir: &Path, options: EngineOptions) -> Result<Self> {
        legacy::convert(dir, &options)?;
        Self::open_converted(dir, options)
    }

    pub(super) fn open_converted(dir: &Path, options: EngineOptions) -> Result<Self> {
        let Opened { shared, power_loss } = open::open(dir, options)?;
        let shared = Arc::new(shared);
        let mut thread = None;
        if shared.options.has_thread {
            let (name, other) = ("checkpoint".to_owned(), shared.clone());
            thread = Some(std::thread::Builder::new().name(name).spawn(move || other.checkpoint_loop())?);
        }
        let engine = Self { shared, power_loss, thread, lock: None };
        #[cfg(test)]
        engine.checkpoint_here();
        Ok(engine)
    }

    /// Rewrites the log in `dir` so that it contains only live values, and rebuilds its index. Returns the size of the
    /// log in bytes before and after.
    pub fn compact(dir: &Path, options: EngineOptions) -> Result<(u64, u64)> {
        legacy::convert(dir, &options)?;
        // These options prevent automatic cleaning at the same time.
        let engine =
            Self::open_converted(dir, EngineOptions { garbage_bytes: u64::MAX / 4, ..options.clone() })?;
        let before = engine.shared.segments.bytes();
        engine.roll()?;
        let last = engine.shared.segments.list().last().map_or(0, |last| last.number);
        while engine.shared.segments.oldest().is_some_and(|oldest| oldest.number < last) {
            if !engine.shared.clean_oldest(&|| true)? {
                break;
            }
        }
        let after = engine.shared.segments.bytes();
        engine.close_durably()?;
        // A rebuilt index takes no more space than its entries need.
        if let Some(mut state) = State::read(&*options.files, dir)? {
            state.rebuild_index = true;
            state.write(&*options.files, dir)?;
        }
        Self::open_converted(dir, options)?.close_durably()?;
        Ok((before, after))
    }

    /// Replaces the database in `dir` by a new one with all data that can be read, and preserves a copy of the damaged
    /// one.
    ///
    /// # Errors
    /// `Corrupt` if nothing can be read, `Invalid` if the disk has too little room. Nothing is changed in these cases.
    pub fn salvage(dir: &Path, options: EngineOptions) -> Result<Salvaged> {
        legacy::convert(dir, &options)?;
        salvage::salvage(dir, options)
    }

    /// Files with commits that were set aside when the database in `dir` was opened, because earlier commits were
    /// missing. They are reported until they are moved away.
    pub fn set_aside(dir: &Path, options: &EngineOptions) -> Vec<PathBuf> {
        aside::logs(&*options.files, dir)
    }

    /// Whether there is no database in `dir` yet.
    pub fn is_new(dir: &Path, options: &EngineOptions) -> Result<bool> {
        swap::finish(&*options.files, dir)?;
        Ok(!legacy::is_there(&*options.files, dir)? && open::is_new(dir, options)?)
    }

    /// Describes the commits that a power loss destroyed before this start, if commits were not individually durable.
    pub fn power_loss(&self) -> Option<&PowerLoss> {
        self.power_loss.as_ref()
    }

    /// Keeps the lock of the data folder until the database is closed. A commit or a read uses the database for longer than
    /// the store exists if the last handle of the store is dropped while it is in progress.
    pub(crate) fn hold(&mut self, lock: Arc<FolderLock>) {
        self.lock = Some(lock);
    }

    fn roll(&self) -> Result<()> {
        let mut writer = self.shared.writer.lock();
        self.shared.freeze(&mut writer);
        writer.log.roll()?;
        // Append a record to the new segment, so that the index can cover the previous one.
        self.shared.append(&mut writer, Vec::new())?;
        drop(writer);
        self.settle()
    }

    /// Waits until the index contains everything that was committed before.
    fn settle(&self) -> Result<()> {
        self.shared.freeze(&mut self.shared.writer.lock());
        #[cfg(test)]
        self.checkpoint_here();
        let mut work = self.shared.work.lock();
        while work.failed.is_none() && (work.busy || !self.shared.memory.read().frozen.is_empty()) {
            if work.blocked.is_some() {
                return Err(Error::Full);
            }
            self.shared.changed.wait(&mut work);
        }
        drop(work);
        self.shared.is_sound()
    }

    fn is_met(&self, expect: &Expect, written: &GroupWrites<'_>) -> Result<bool> {
        let (key, wanted) = match expect {
            Expect::Value { key, value } => (key, Some(value)),
            Expect::Absent { key } => (key, None),
            Expect::AtMost { key, most } => {
                let held = self.value_in_group(key, written)?;
                return Ok(counters::is_at_most(held.as_deref().unwrap_or_default(), *most));
            }
        };
        Ok(match written.get(key) {
            Some(found) => found.as_ref() == wanted,
            None => self.get(key)?.as_ref() == wanted,
        })
    }

    /// The value of a key, including the writes of the group so far.
    fn value_in_group(&self, key: &Bytes, written: &GroupWrites<'_>) -> Result<Option<Bytes>> {
        match written.get(key) {
            Some(found) => Ok(found.clone()),
            None => self.get(key),
        }
    }

    fn try_commit(&self, group: &[Batch]) -> Result<Vec<Result<()>>> {
        if group.is_empty() {
            self.shared.is_sound()?;
            self.shared.work.lock().sync = true;
            self.shared.changed.notify_all();
            return Ok(Vec::new());
        }
        self.shared.catch_up()?;
        let mut writer = self.shared.writer.lock();
        let mut written = GroupWrites::new();
        let mut verdicts = Vec::with_capacity(group.len());
        'batches: for batch in group {
            for expect in &batch.expects {
                if !self.is_met(expect, &written)? {
                    verdicts.push(Err(Error::Conflict));
                    continue 'batches;
                }
            }
            for op in &batch.ops {
                let (key, value) = match op {
                    Op::Put(key, value) => (key, Some(value.clone())),
                    Op::Delete(key) => (key, None),
                    Op::Add(key, by) => {
                        (key, Some(counters::add(self.value_in_group(key, &written)?.as_deref(), by)))
                    }
                    Op::Raise(key, value) => {
                        (key, Some(counters::greater(self.value_in_group(key, &written)?.as_deref(), value)))
                    }
                };
                written.insert(key, value);
            }
            verdicts.push(Ok(()));
        }
        if !written.is_empty() {
            let writes = written.into_iter().map(|(key, value)| (key.clone(), value)).collect();
            self.shared.append(&mut writer, writes)?;
        }
        Ok(verdicts)
    }
}

/// The writes of a group so far, ordered by key so that neighbouring keys are inserted into the memtable one after the
/// other.
type GroupWrites<'a> = BTreeMap<&'a Bytes, Option<Bytes>>;

impl Engine for LogEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.shared.get(key).inspect_err(|error| self.notice_damage(error))
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        let limits = Limits { keys: limit, bytes: usize::MAX, copied: usize::MAX };
        Ok(self.part(range, direction, limits)?.pairs)
    }

    fn chunk(&self, range: KeyRange, direction: Direction, limit: usize, bytes: usize) -> Result<Chunk> {
        self.part(range, direction, Limits { keys: limit, bytes, copied: limit.saturating_add(COPIED) })
    }

    fn is_behind(&self) -> bool {
        self.shared.is_behind()
    }

    fn sync(&self) -> Result<()> {
        self.shared.segments.sync()
    }

    fn verify(&self) -> Result<Vec<String>> {
        let mut damaged = Vec::new();
        let segments = &self.shared.segments;
        let end = self.shared.writer.lock().log.position();
        let list = segments.list();
        for (at, segment) in list.iter().enumerate() {
            let next = list.get(at + 1).map_or(end.next, |following| following.first);
            let from = open::start_of(segment);
            let mut replay = Replay::new(segments, from);
            let mut read = from.next;
            while read < next
                && let Some((place, record)) = replay.next()?
                && place.segment == segment.number
            {
                read = record.number + 1;
            }
            if read < next {
                let path = segments.path(segment.number);
                damaged.push(format!("{}: commit {read} cannot be read", path.display()));
            }
        }
        Ok(damaged)
    }

    fn status(&self) -> EngineStatus {
        self.shared.status()
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        let committed = self.try_commit(group);
        #[cfg(test)]
        self.checkpoint_here();
        match committed {
            Ok(verdicts) => verdicts,
            // Nothing was written, and the next group may find space.
            Err(Error::Full) => (0..group.len().max(1)).map(|_| Err(Error::Full)).collect(),
            Err(error) => {
                self.notice_damage(&error);
                let text = error.of_engine();
                self.shared.fail(text.clone());
                (0..group.len().max(1)).map(|_| Err(Error::Engine(text.clone()))).collect()
            }
        }
    }
}

impl LogEngine {
    fn part(&self, range: KeyRange, direction: Direction, limits: Limits) -> Result<Chunk> {
        if range.is_empty() {
            return Ok(Chunk::default());
        }
        let read = without_panic("a part of the index", || self.shared.chunk(range, direction, limits));
        read.inspect_err(|error| self.notice_damage(error))
    }

    /// Closes the database with all its data durable.
    ///
    /// # Errors
    /// Returns an error if that fails. The next start then reads the log.
    pub(super) fn close_durably(self) -> Result<()> {
        let shared = self.shared.clone();
        drop(self);
        match shared.state.lock().session {
            None => Ok(()),
            Some(_) => Err(Error::Engine("the database could not be closed".into())),
        }
    }

    fn notice_damage(&self, error: &Error) {
        if matches!(error, Error::Corrupt(_)) {
            self.shared.schedule_index_rebuild(error);
        }
    }

    /// Writes everything to the index, and makes all data durable.
    fn close(&self) -> Result<()> {
        self.shared.is_sound()?;
        self.shared.segments.sync()?;
        // After a failed sync, the system may have dropped pages that it showed until then.
        self.shared.index.close().inspect_err(|error| self.shared.schedule_index_rebuild(error))?;
        let mut state = self.shared.state.lock();
        // The next start reads the part that the index lacks, and writes the end of the log again.
        if !self.shared.memory.read().frozen.is_empty() || self.shared.segments.has_unfinished() {
            return Ok(());
        }
        (state.session, state.power_loss) = (None, None);
        state.write(&*self.shared.options.files, &self.shared.dir)
    }
}

impl Drop for LogEngine {
    fn drop(&mut self) {
        self.shared.work.lock().stopping = true;
        // Freeze the memtable so that the next start has nothing to read from the log. If this fails, the next start
        // reads it.
        self.shared.freeze(&mut self.shared.writer.lock());
        self.shared.work.lock().closing = true;
        #[cfg(test)]
        self.checkpoint_here();
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // The thread catches panics, so its result carries no information.
            let _ = thread.join();
        }
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the database was not closed properly; the next start reads its log");
        }
    }
}

#[cfg(test)]
impl LogEngine {
    /// Does the work of the background thread, if there is none.
    fn checkpoint_here(&self) {
        if !self.shared.options.has_thread {
            self.shared.checkpoint_here();
        }
    }

    /// Prevents scans from reading the index until the result is dropped.
    pub fn hold_scans(&self) -> impl Drop + '_ {
        self.shared.gates.hold_scans()
    }

    /// Number of scans that wait because of [`hold_scans`](Self::hold_scans).
    pub fn scans_waiting(&self) -> usize {
        self.shared.gates.scans_waiting()
    }

    /// Waits until the thread has stopped after an error.
    pub fn has_failed(&self) {
        let mut work = self.shared.work.lock();
        while work.failed.is_none() {
            self.shared.changed.wait(&mut work);
        }
    }

    /// Writes everything to the index, and waits until the log needs no cleaning.
    pub fn settle_for_test(&self) {
        self.settle().unwrap();
        let mut work = self.shared.work.lock();
        while work.busy || self.shared.cleaning_is_due() {
            self.shared.changed.wait(&mut work);
        }
    }

    /// Passes the content of memory to the thread, which does not begin until the result is dropped.
    pub fn block_apply(&self) -> impl Drop + '_ {
        self.settle().unwrap();
        let held = self.shared.gates.apply();
        self.shared.freeze(&mut self.shared.writer.lock());
        held
    }

    /// Bytes of the log, and how many of them are live according to the index.
    pub fn bytes(&self) -> (u64, u64) {
        (self.shared.segments.bytes(), self.shared.index.live_bytes())
    }

    /// Writes everything to the index, and makes the log durable.
    pub fn checkpoint(&self) -> Result<()> {
        self.settle()?;
        self.shared.segments.sync()
    }

    /// Cleans the oldest segment, if possible.
    pub fn clean(&self) -> Result<bool> {
        self.shared.clean_oldest(&|| true)
    }

    /// Releases the database without closing it, as `kill -9` does.
    pub fn abandon(mut self) {
        self.shared.fail("abandoned".into());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = self.shared.index.close();
    }
}
