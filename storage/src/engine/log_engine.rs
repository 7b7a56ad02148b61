//! The embedded engine for one node: a log of segments, and sled as the index of it.
//!
//! ```text
//! commit ──> log (durable) ──> memtable (visible) ┄┄ now and then, another thread ┄┄> index
//! read   <── memtable, else index ──> log
//! ```
//!
//! A commit is one record in the log, written by the committing thread itself; then its writes are shown, from memory.
//! When a memtable has grown, another thread brings the places of its values to the index, while commits go on in
//! another memtable. Opening reads from the log what the index lacks. The oldest segment of the log is removed once what
//! is still live of it was appended again.
//!
//! The log alone is the source of truth, and the only thing that has to be durable: the index is rebuilt from it when
//! the machine has lost power while it was open. sled does not survive that (it reuses space on the strength of
//! `sync_file_range`), wakes eight threads for each durable batch, and takes ten microseconds for each key.

use super::barrier::without_panic;
use super::log::Replay;
use super::open::{self, Opened, PowerLoss};
use super::options::EngineOptions;
use super::salvage::{self, Salvaged};
use super::scan::Limits;
use super::shared::{EngineStatus, Shared};
use super::state::State;
use super::{Batch, Chunk, Direction, Engine, Expect, KeyRange, Op, aside, counters, legacy, swap};
use crate::error::{Error, Result};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Writes of the memtable that a scan copies beyond as many as it returns; some of them are deletions.
const COPIED: usize = 64;

/// The embedded engine; see the module.
pub struct LogEngine {
    shared: Arc<Shared>,
    power_loss: Option<PowerLoss>,
    thread: Option<JoinHandle<()>>,
}

impl LogEngine {
    /// Opens the database in `dir`, or makes one. One of version 1 (sled alone) is converted first.
    ///
    /// # Errors
    /// `Corrupt` where files are missing or damaged; nothing was changed then.
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
        let engine = Self { shared, power_loss, thread };
        #[cfg(test)]
        engine.checkpoint_here();
        Ok(engine)
    }

    /// Rewrites the log in `dir` so that it holds live values only, and its index. Returns how many bytes the log had, and
    /// has.
    pub fn compact(dir: &Path, options: EngineOptions) -> Result<(u64, u64)> {
        legacy::convert(dir, &options)?;
        // Nothing else cleans at the same time.
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
        // An index that is rebuilt takes no more than its entries need.
        if let Some(mut state) = State::read(&*options.files, dir)? {
            state.rebuild_index = true;
            state.write(&*options.files, dir)?;
        }
        Self::open_converted(dir, options)?.close_durably()?;
        Ok((before, after))
    }

    /// Replaces the database in `dir` by one with everything that can be read of it, and preserves a copy of the damaged
    /// one.
    ///
    /// # Errors
    /// `Corrupt` where nothing can be read, `Invalid` where the disk has too little room. Nothing was changed then.
    pub fn salvage(dir: &Path, options: EngineOptions) -> Result<Salvaged> {
        legacy::convert(dir, &options)?;
        salvage::salvage(dir, options)
    }

    /// Files with commits that were set aside when the database in `dir` was opened, because commits before them were
    /// missing. They are reported until they are moved away.
    pub fn set_aside(dir: &Path, options: &EngineOptions) -> Vec<PathBuf> {
        aside::logs(&*options.files, dir)
    }

    /// Whether there is no database in `dir` yet.
    pub fn is_new(dir: &Path, options: &EngineOptions) -> Result<bool> {
        swap::finish(&*options.files, dir)?;
        Ok(!legacy::is_there(&*options.files, dir)? && open::is_new(dir, options)?)
    }

    /// What a power loss has taken before this start, where commits were not durable one by one.
    pub fn power_loss(&self) -> Option<&PowerLoss> {
        self.power_loss.as_ref()
    }

    fn roll(&self) -> Result<()> {
        let mut writer = self.shared.writer.lock();
        self.shared.freeze(&mut writer);
        writer.log.roll()?;
        // Something in the new segment, so that the index can cover the one before it.
        self.shared.append(&mut writer, Vec::new())?;
        drop(writer);
        self.settle()
    }

    /// Waits until the index has everything that was committed before.
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

    /// What a key holds, with what the group has written so far.
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

/// The writes of a group so far; keys in order, so that neighbours meet in the memtable.
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
            // Nothing was written, and the next group may find room.
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

    /// Closes the database, with all of it durable.
    ///
    /// # Errors
    /// It is not, and the next start reads its log.
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
            self.shared.distrust_index(error);
        }
    }

    /// Brings everything to the index, and makes all of it durable.
    fn close(&self) -> Result<()> {
        self.shared.is_sound()?;
        self.shared.segments.sync()?;
        // A failed sync may have taken pages that the system shows until then.
        self.shared.index.close().inspect_err(|error| self.shared.distrust_index(error))?;
        let mut state = self.shared.state.lock();
        // The next start reads what the index lacks, and writes the end of the log again.
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
        // So that the next start has nothing to read from the log; if it fails, it has.
        self.shared.freeze(&mut self.shared.writer.lock());
        self.shared.work.lock().closing = true;
        #[cfg(test)]
        self.checkpoint_here();
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It catches panics, so there is nothing to learn from the result.
            let _ = thread.join();
        }
        if let Err(error) = self.close() {
            tracing::warn!(%error, "the database was not closed properly; the next start reads its log");
        }
    }
}

#[cfg(test)]
impl LogEngine {
    /// Does what the thread would do, if there is none.
    fn checkpoint_here(&self) {
        if !self.shared.options.has_thread {
            self.shared.checkpoint_here();
        }
    }

    /// Keeps scans from reading the index as long as the result lives.
    pub fn hold_scans(&self) -> impl Drop + '_ {
        self.shared.gates.hold_scans()
    }

    /// How many scans wait for what [`hold_scans`](Self::hold_scans) holds.
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

    /// Brings everything to the index, and lets the log be cleaned as far as that is due.
    pub fn settle_for_test(&self) {
        self.settle().unwrap();
        let mut work = self.shared.work.lock();
        while work.busy || self.shared.cleaning_is_due() {
            self.shared.changed.wait(&mut work);
        }
    }

    /// Leaves what is in memory to the thread, which does not begin until the result is dropped.
    pub fn block_apply(&self) -> impl Drop + '_ {
        self.settle().unwrap();
        let held = self.shared.gates.apply();
        self.shared.freeze(&mut self.shared.writer.lock());
        held
    }

    /// Bytes of the log, and those that the index says are live.
    pub fn bytes(&self) -> (u64, u64) {
        (self.shared.segments.bytes(), self.shared.index.live_bytes())
    }

    /// Brings everything to the index, and makes it durable.
    pub fn checkpoint(&self) -> Result<()> {
        self.settle()?;
        self.shared.segments.sync()
    }

    /// Cleans the oldest segment, if there is one that can be.
    pub fn clean(&self) -> Result<bool> {
        self.shared.clean_oldest(&|| true)
    }

    /// Ends the process's hold on the database without closing it, as `kill -9` does.
    pub fn abandon(mut self) {
        self.shared.fail("abandoned".into());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = self.shared.index.close();
    }
}
