//! The state that the engine and its thread share.

use super::cleaner::Cleaning;
use super::index::{Entry, Index};
use super::log::{Log, Segments, Span};
use super::memory::Memory;
use super::memtable::Value;
use super::options::EngineOptions;
use super::recent_values::RecentValues;
use super::state::State;
use crate::error::{Error, Result};
use bytes::Bytes;
use parking_lot::{Condvar, Mutex, RwLock};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Number of memtables that may wait for the index before commits wait for it as well.
pub(super) const BACKLOG: usize = 8;
/// The log may grow to this many times the size of the memtable before the memtable is frozen. This bounds how much of
/// the log a start has to read.
const LOG_BYTES: u64 = 8;

/// The state that the engine and its thread share.
pub(super) struct Shared {
    pub dir: PathBuf,
    pub options: EngineOptions,
    pub segments: Arc<Segments>,
    pub index: Box<dyn Index>,
    pub memory: RwLock<Memory>,
    /// Consulted after `memory` and before `index`.
    pub recent: RecentValues,
    /// The committing side. Locked during each commit.
    pub writer: Mutex<Writer>,
    pub state: Mutex<State>,
    pub work: Mutex<Work>,
    pub changed: Condvar,
    pub cleaning: Cleaning,
    /// The number of the last memtable whose transfer to the index has begun.
    applying: AtomicU64,
    #[cfg(test)]
    pub gates: super::gates::Gates,
}

/// The end of the log.
pub(super) struct Writer {
    pub log: Log,
    pub spans: Vec<Option<Span>>,
    /// Bytes appended since the memtable was last frozen.
    pub appended: u64,
}

/// The tasks of the thread, and its status.
#[derive(Default)]
pub(super) struct Work {
    /// The first failure after which the engine refuses commits.
    pub failed: Option<String>,
    /// Why the index cannot be written at present.
    pub blocked: Option<String>,
    /// Whether appended data has to be synced.
    pub sync: bool,
    /// Whether long tasks have to end early.
    pub stopping: bool,
    /// Whether the thread has to end once there is no more work.
    pub closing: bool,
    /// Whether the thread is working.
    pub busy: bool,
    /// When the thread last made progress with the memtables that wait for the index.
    pub progress: Option<Instant>,
}

/// How far the index lags behind the commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineStatus {
    /// Bytes of memtables that wait for the index.
    pub backlog_bytes: u64,
    /// How long there has been no progress although memtables wait.
    pub stalled: Duration,
    /// The reason, if known.
    pub why: Option<String>,
    /// Whether the engine refuses commits.
    pub has_failed: bool,
    /// Size of the log in bytes, and approximately how many of them are live.
    pub log_bytes: u64,
    pub live_bytes: u64,
}

impl Shared {
    pub fn new(
        dir: PathBuf,
        options: EngineOptions,
        index: Box<dyn Index>,
        memory: Memory,
        writer: Writer,
        state: State,
    ) -> Self {
        Self {
            dir,
            options,
            segments: writer.log.segments().clone(),
            index,
            memory: RwLock::new(memory),
            recent: RecentValues::default(),
            writer: Mutex::new(writer),
            state: Mutex::new(state),
            work: Mutex::default(),
            changed: Condvar::new(),
            cleaning: Cleaning::default(),
            applying: AtomicU64::new(0),
            #[cfg(test)]
            gates: super::gates::Gates::default(),
        }
    }

    /// The number of the last memtable whose transfer to the index has begun.
    pub fn applying(&self) -> u64 {
        self.applying.load(Ordering::SeqCst)
    }

    /// Called before the index is changed.
    pub fn begin_apply(&self, number: u64) {
        self.applying.store(number, Ordering::SeqCst);
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let moment = self.recent.moment();
        if let Some(found) = self.in_memory(key) {
            return self.load_one(key, found);
        }
        if let Some(value) = self.recent.get(key) {
            return Ok(value);
        }
        let found = self.index.get(key)?;
        let value = self.load_one(key, found)?;
        self.recent.insert(key, &value, moment);
        Ok(value)
    }

    /// Returns the value of an entry that was just found for the key.
    fn load_one(&self, key: &[u8], mut found: Option<Entry>) -> Result<Option<Bytes>> {
        loop {
            let (place, len) = match found {
                None => return Ok(None),
                Some(Entry::Inline(value)) => return Ok(Some(value)),
                Some(Entry::At(place, len)) => (place, len),
            };
            if let Some(value) = self.segments.read(place, len)? {
                return Ok(Some(value));
            }
            // Either the segment has been removed since, or the index is wrong.
            let again = match self.in_memory(key) {
                Some(found) => found,
                None => self.index.get(key)?,
            };
            if again == Some(Entry::At(place, len)) {
                return Err(Error::Corrupt("the index refers to a segment that is not there".into()));
            }
            found = again;
        }
    }

    /// The most recent write to the key, if it is still in memory.
    fn in_memory(&self, key: &[u8]) -> Option<Option<Entry>> {
        let memory = self.memory.read();
        let found = memory.get(key)?;
        Some(found.as_ref().map(|value| match &value.bytes {
            Some(bytes) => Entry::Inline(bytes.clone()),
            None => Entry::At(value.place, value.len),
        }))
    }

    /// Appends writes to the log, and makes them visible.
    ///
    /// # Errors
    /// `Full` if the disk has no space for them. After any other error, the engine refuses commits.
    pub fn append(&self, writer: &mut Writer, writes: Vec<(Bytes, Option<Bytes>)>) -> Result<()> {
        self.is_sound()?;
        let before = writer.log.position();
        let ops = writes.iter().map(|(key, value)| (&key[..], value.as_deref()));
        let record = writer.log.append(ops, &mut writer.spans).inspect_err(|error| {
            // While the writer is locked: nothing may be appended after a record whose outcome is unknown.
            if !matches!(error, Error::Full) {
                self.fail(error.of_engine());
            }
        })?;
        let after = writer.log.position();
        writer.appended +=
            after.offset.saturating_sub(if after.segment == before.segment { before.offset } else { 0 });
        let mut memory = self.memory.write();
        for ((key, value), span) in writes.into_iter().zip(&writer.spans) {
            let value = value.zip(*span).map(|(bytes, span)| {
                let place =
                    super::log::Place { segment: record.segment, offset: record.offset + span.offset };
                Value::new(place, bytes)
            });
            memory.active.write(key, value);
        }
        let is_due = memory.active.bytes() >= self.options.memtable_bytes
            || writer.appended >= self.options.memtable_bytes as u64 * LOG_BYTES;
        drop(memory);
        if is_due {
            self.freeze(writer);
        }
        Ok(())
    }

    /// Freezes the active memtable and passes it to the thread.
    pub fn freeze(&self, writer: &mut Writer) {
        let mut memory = self.memory.write();
        if memory.active.is_empty() && writer.appended == 0 {
            return;
        }
        memory.freeze(writer.log.position(), writer.log.salt());
        writer.appended = 0;
        drop(memory);
        self.work.lock().progress.get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// Whether the next commit may have to wait for the index.
    pub fn is_behind(&self) -> bool {
        self.memory.read().frozen.len() > BACKLOG
    }

    /// Waits until the next commit can take place.
    ///
    /// # Errors
    /// `Engine` after a failure. `Full` if the index cannot be written for lack of space.
    pub fn catch_up(&self) -> Result<()> {
        let mut work = self.work.lock();
        loop {
            if let Some(error) = &work.failed {
                return Err(Error::Engine(error.clone()));
            }
            if !self.is_behind() {
                return Ok(());
            }
            if work.blocked.is_some() {
                return Err(Error::Full);
            }
            self.changed.wait(&mut work);
        }
    }

    /// Returns an error if the engine has failed.
    ///
    /// # Errors
    /// `Engine`, with the first failure.
    pub fn is_sound(&self) -> Result<()> {
        match &self.work.lock().failed {
            Some(error) => Err(Error::Engine(error.clone())),
            None => Ok(()),
        }
    }

    /// Records a failure after which the engine refuses commits. Only the first one is stored.
    pub fn fail(&self, error: String) {
        self.work.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Makes the next start rebuild the index from the log.
    pub fn schedule_index_rebuild(&self, why: &Error) {
        let mut state = self.state.lock();
        if !state.rebuild_index {
            tracing::error!(%why, "the index is damaged; the next start rebuilds it from the log");
            state.rebuild_index = true;
            if let Err(error) = state.write(&*self.options.files, &self.dir) {
                tracing::error!(%error, "the state of the database could not be written");
            }
        }
    }

    /// Returns how far the index lags behind.
    pub fn status(&self) -> EngineStatus {
        let work = self.work.lock();
        let backlog_bytes = self.memory.read().backlog() as u64;
        let stalled = work.progress.filter(|_| backlog_bytes > 0).map_or(Duration::ZERO, |at| at.elapsed());
        EngineStatus {
            backlog_bytes,
            stalled,
            why: work.failed.clone().or_else(|| work.blocked.clone()),
            has_failed: work.failed.is_some(),
            log_bytes: self.segments.bytes(),
            live_bytes: self.index.live_bytes(),
        }
    }
}
