//! The embedded engine for one node.
//!
//! ```text
//! commit ──> log (durable) ──> memtable (visible) ┄┄ now and then, another thread ┄┄> database
//! read   <── memtable, else database
//! ```
//!
//! A commit is one record in a [`Wal`], written by the committing thread itself; then its writes
//! are shown, from memory. When a log has grown, its memtable is handed to a thread that brings
//! it to the database in one go, while commits go on in the other log; what was written over and
//! over in the meantime is written there once. Opening reads from the logs what the database lacks.
//!
//! sled alone could make each batch durable, but wakes eight threads for it and waits for two
//! writes, and takes ten microseconds for each key.

use super::barrier::without_panic;
use super::compact::{self, Database};
use super::handover::{Shared, Writer};
use super::opened::OpenDatabase;
use super::salvage::{self, Salvaged};
use super::sled_options::SledOptions;
use super::{Batch, Chunk, Direction, Engine, Expect, KeyRange, Op, aside, counters, opened};
use crate::error::{Error, Result};
use bytes::Bytes;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Writes of the memtable that a scan copies beyond as many as it returns; some of them are removals.
const COPIED: usize = 64;

/// The engine over sled; see the module.
pub struct SledEngine {
    shared: Arc<Shared>,
    writer: Mutex<Writer>,
    thread: Option<JoinHandle<()>>,
}

impl SledEngine {
    /// Opens or makes the database in `dir`; rewrites it when most of its file is of no use.
    pub fn open(dir: &Path, options: SledOptions) -> Result<Self> {
        compact::finish_swap(dir)?;
        let OpenDatabase { disk, logs, epoch } = OpenDatabase::read(dir, options)?;
        let database = Database::new(disk, dir, options);
        database.tidy(&|| true)?;
        let log_bytes = options.log_bytes;
        let mut writer = Writer { logs, current: 0, log_bytes };
        writer.log().begin_epoch(epoch + 1, None)?;
        let shared = Arc::new(Shared::new(database));
        let other = shared.clone();
        let thread = std::thread::Builder::new().name("database".into()).spawn(move || other.flush_loop())?;
        Ok(Self { shared, writer: Mutex::new(writer), thread: Some(thread) })
    }

    /// Rewrites the database in `dir`, whatever its size. Tells how many bytes its file had, and has.
    pub fn compact(dir: &Path, options: SledOptions) -> Result<(u64, u64)> {
        compact::finish_swap(dir)?;
        let database = Database::new(OpenDatabase::read(dir, options)?.disk, dir, options);
        let (_, before) = database.disk()?.room()?;
        database.rewrite(&|| true)?;
        let (_, after) = database.disk()?.room()?;
        Ok((before, after))
    }

    /// Replaces the database in `dir` by one with everything that can be read of it, and keeps a copy of the damaged one.
    ///
    /// # Errors
    /// `Corrupt` where nothing can be read, `Invalid` where the disk has too little room. Nothing was changed then.
    pub fn salvage(dir: &Path, options: SledOptions) -> Result<Salvaged> {
        salvage::salvage(dir, options)
    }

    /// Logs with commits that were set aside when the database in `dir` was opened, because commits before them were
    /// missing. They are reported until they are moved away.
    pub fn set_aside(dir: &Path) -> Vec<PathBuf> {
        aside::logs(dir)
    }

    /// Whether there is no database in `dir` yet.
    pub fn is_new(dir: &Path) -> Result<bool> {
        compact::finish_swap(dir)?;
        opened::is_new(dir)
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
        match written.get(key) {
            Some(found) => Ok(found.as_deref() == wanted),
            None => Ok(self.get(key)?.as_ref() == wanted),
        }
    }

    /// What a key holds, with what the group has written so far.
    fn value_in_group(&self, key: &Bytes, written: &GroupWrites<'_>) -> Result<Option<Bytes>> {
        match written.get(key) {
            Some(found) => Ok(found.as_deref().cloned()),
            None => self.get(key),
        }
    }

    fn try_commit(&self, group: &[Batch]) -> Result<Vec<Result<()>>> {
        let mut writer = self.writer.lock();
        self.shared.is_sound()?;
        if group.is_empty() {
            self.shared.hand_over(&mut writer)?;
            return Ok(Vec::new());
        }
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
                match op {
                    Op::Put(key, value) => written.insert(key, Some(Cow::Borrowed(value))),
                    Op::Delete(key) => written.insert(key, None),
                    Op::Add(key, by) => {
                        let sum = counters::add(self.value_in_group(key, &written)?.as_deref(), by);
                        written.insert(key, Some(Cow::Owned(sum)))
                    }
                    Op::Raise(key, value) => {
                        let greater =
                            counters::greater(self.value_in_group(key, &written)?.as_deref(), value);
                        written.insert(key, Some(Cow::Owned(greater)))
                    }
                };
            }
            verdicts.push(Ok(()));
        }
        if written.is_empty() {
            return Ok(verdicts);
        }
        if writer.log().len() > writer.log_bytes {
            self.shared.hand_over(&mut writer)?;
        }
        let ops = written.iter().map(|(key, value)| (&key[..], value.as_ref().map(|value| &value[..])));
        writer.log().append(ops)?;
        let mut memory = self.shared.memory.write();
        for (key, value) in written {
            memory.active.write(key.clone(), value.map(Cow::into_owned));
        }
        Ok(verdicts)
    }
}

/// The writes of a group so far; keys in order, so that neighbours meet in the memtable.
type GroupWrites<'a> = BTreeMap<&'a Bytes, Option<Cow<'a, Bytes>>>;

impl Engine for SledEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        {
            let memory = self.shared.memory.read();
            if let Some(value) = memory.active.get(key).or_else(|| memory.leaving.get(key)) {
                return Ok(value.clone());
            }
        }
        without_panic("a part of the database", || self.shared.database.disk()?.get(key))
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let all = || self.shared.chunk(range, direction, limit, usize::MAX, usize::MAX);
        Ok(without_panic("a part of the database", all)?.pairs)
    }

    fn chunk(&self, range: KeyRange, direction: Direction, limit: usize, bytes: usize) -> Result<Chunk> {
        if range.is_empty() {
            return Ok(Chunk::default());
        }
        without_panic("a part of the database", || {
            self.shared.chunk(range, direction, limit, bytes, limit.saturating_add(COPIED))
        })
    }

    fn is_behind(&self) -> bool {
        self.shared.is_behind(&self.writer.lock())
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        match self.try_commit(group) {
            Ok(verdicts) => verdicts,
            // Nothing was written, and the next group may find room.
            Err(Error::Full) => (0..group.len().max(1)).map(|_| Err(Error::Full)).collect(),
            Err(error) => {
                let text = error.of_engine();
                self.shared.fail(text.clone());
                (0..group.len().max(1)).map(|_| Err(Error::Engine(text.clone()))).collect()
            }
        }
    }
}

impl Drop for SledEngine {
    fn drop(&mut self) {
        self.shared.handover.lock().stopping = true;
        // So that the next start has nothing to read from the logs; if it fails, it has.
        if let Err(error) = self.shared.hand_over(&mut self.writer.lock()) {
            tracing::warn!(%error, "the last commits stay in the log until the next start");
        }
        self.shared.handover.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It catches panics, so there is nothing to learn from the result.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
impl SledEngine {
    /// Keeps scans from reading the database as long as the answer lives.
    pub fn hold_scans(&self) -> impl Drop + '_ {
        self.shared.scan_gate.write()
    }

    /// How many scans wait for what [`hold_scans`](Self::hold_scans) holds.
    pub fn scans_waiting(&self) -> usize {
        self.shared.scans_waiting.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// Lets every further sync of the database's file fail.
    pub fn break_sync(&self) {
        self.shared.database.break_sync();
    }

    /// Lets every further write to the current log find the disk full, until the file is given back.
    pub fn fill_disk(&self) -> std::fs::File {
        self.writer.lock().log().fill_disk()
    }

    /// Gives the current log its file back.
    pub fn free_disk(&self, file: std::fs::File) {
        self.writer.lock().log().go_on_in(file);
    }

    /// Waits until the thread that writes to the database has stopped after an error.
    pub fn has_failed(&self) {
        self.shared.has_failed();
    }

    /// Lets every further write to the logs fail.
    pub fn break_log(&self) {
        self.writer.lock().logs.iter_mut().for_each(super::wal::Wal::break_it);
    }

    /// Brings everything to the database.
    pub fn settle(&self) {
        self.shared.at_rest();
        self.shared.hand_over(&mut self.writer.lock()).unwrap();
        self.shared.at_rest();
    }

    /// Hands over what is in memory, and blocks further handovers until the returned guard is dropped.
    pub fn block_handover(&self) -> impl Drop + '_ {
        self.shared.at_rest();
        let held = self.shared.gate.lock();
        self.shared.hand_over(&mut self.writer.lock()).unwrap();
        held
    }

    /// How many pieces of values there are in the database.
    pub fn pieces(&self) -> usize {
        self.shared.database.disk().unwrap().pieces()
    }

    /// Bytes that the account says are in the database, and bytes that are.
    pub fn account(&self) -> (u64, u64) {
        self.shared.database.disk().unwrap().account()
    }

    /// How many stored values there are in the database, blocks and not entries.
    pub fn stored(&self) -> usize {
        self.shared.database.disk().unwrap().stored()
    }
}
