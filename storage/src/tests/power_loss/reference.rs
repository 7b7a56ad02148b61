//! The simplest engine that survives power losses: one log, which is synced with every commit and rewritten by every
//! opening. The tests must find each of its optional flaws.

use super::{Chore, Mode, Opening, Subject};
use crate::engine::{Batch, Direction, Engine, KeyRange};
use crate::error::{Error, Result};
use crate::files::{FileSystem, RandomAccessFile};
use crate::tests::Memory;
use bytes::{Buf, Bytes};
use flate2::Crc;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A deliberate mistake of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Never syncs a file.
    NoSync,
    /// Never syncs a directory.
    NoDirSync,
    /// Delays the write of a commit until the next one.
    Buffers,
    /// Acknowledges every other commit before it is synced.
    LateSync,
    /// Renames a new log before it is synced.
    EarlyRename,
    /// Applies the records after unreadable ones.
    SkipsGaps,
    /// Appends after an unreadable record.
    KeepsTornTail,
    /// Assumes that the data it reads is durable.
    TrustsPageCache,
    /// Writes one record per batch of a group.
    SplitsGroups,
    /// Shows a commit before it is in the log.
    ShowsEarly,
    /// Accepts commits after a failure.
    GoesOn,
    /// Refuses all commits after the disk was full.
    StaysFull,
    /// Reports that the disk is full, but leaves the commit in the log.
    LeavesRefused,
    /// Does not report a loss.
    ReportsNoLoss,
}

pub(super) struct Reference(pub Option<Flaw>);

pub(super) struct LogEngine {
    flaw: Option<Flaw>,
    mode: Mode,
    files: Arc<dyn FileSystem>,
    dir: PathBuf,
    lost: Option<String>,
    memory: Memory,
    log: Mutex<Log>,
}

struct Log {
    file: Arc<dyn RandomAccessFile>,
    boot: u64,
    end: u64,
    commits: u64,
    has_failed: bool,
    /// Records that have not been written yet.
    held: Vec<Vec<u8>>,
}

/// The content of a log.
#[derive(Default)]
struct Replay {
    map: BTreeMap<Bytes, Bytes>,
    boot: u64,
    is_lost: bool,
    /// The end of the readable part.
    end: u64,
}

const HEAD: usize = 8;

impl Subject for Reference {
    type Engine = LogEngine;

    fn open(&self, opening: Opening<'_>) -> Result<LogEngine> {
        let Opening { files, dir, mode, boot } = opening;
        let flaw = self.0;
        if files.names(dir).is_err() {
            files.create_dir(dir)?;
        }
        let syncs_dirs = flaw != Some(Flaw::NoDirSync);
        if syncs_dirs {
            files.sync_dir(dir.parent().unwrap_or(dir))?;
        }
        let path = dir.join("log");
        let there = match crate::files::read(&*files, &path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            other => Some(other?),
        };
        let mut replay = match &there {
            Some(content) => Replay::of(content, flaw == Some(Flaw::SkipsGaps)),
            None => Replay { boot, ..Replay::default() },
        };
        replay.is_lost |= mode == Mode::Process && replay.boot != boot;
        let is_lost = replay.is_lost && flaw != Some(Flaw::ReportsNoLoss);
        let lost = is_lost.then(|| "the end of the log may be missing".to_owned());
        let continues = matches!(flaw, Some(Flaw::KeepsTornTail | Flaw::TrustsPageCache));
        let log = match there {
            Some(content) if continues && replay.end > 0 => {
                let file = files.open(&path)?;
                let end = if flaw == Some(Flaw::KeepsTornTail) { content.len() as u64 } else { replay.end };
                file.set_len(end)?;
                file.sync()?;
                Log { file, boot, end, commits: 0, has_failed: false, held: Vec::new() }
            }
            _ => {
                let (file, end) = rewrite(&*files, dir, flaw, &replay.map, boot, replay.is_lost)?;
                if syncs_dirs {
                    files.sync_dir(dir)?;
                }
                Log { file, boot, end, commits: 0, has_failed: false, held: Vec::new() }
            }
        };
        let memory = Memory(replay.map.into());
        Ok(LogEngine { flaw, mode, files, dir: dir.to_owned(), lost, memory, log: Mutex::new(log) })
    }

    fn maintain(&self, engine: &LogEngine, chore: Chore) -> Result<()> {
        let mut log = engine.log.lock();
        match chore {
            _ if log.has_failed => Err(Error::Engine("it has failed".into())),
            Chore::Checkpoint => engine.sync(&mut log),
            Chore::Clean => engine.clean(&mut log),
        }
    }

    fn lost(&self, engine: &LogEngine) -> Option<String> {
        engine.lost.clone()
    }
}

/// Replaces the log by a new one that begins with these pairs. Its name is not durable yet.
fn rewrite(
    files: &dyn FileSystem,
    dir: &Path,
    flaw: Option<Flaw>,
    map: &BTreeMap<Bytes, Bytes>,
    boot: u64,
    is_lost: bool,
) -> Result<(Arc<dyn RandomAccessFile>, u64)> {
    let mut payload = boot.to_be_bytes().to_vec();
    payload.push(u8::from(is_lost));
    let pairs = map.iter().map(|(key, value)| (key, Some(value)));
    pairs.for_each(|(key, value)| encode(&mut payload, key, value));
    let record = record(&payload);
    let (new, path) = (dir.join("log.new"), dir.join("log"));
    let file = files.create(&new)?;
    file.write_at(&record, 0)?;
    if !matches!(flaw, Some(Flaw::NoSync | Flaw::EarlyRename)) {
        file.sync()?;
    }
    files.rename(&new, &path)?;
    Ok((file, record.len() as u64))
}

impl LogEngine {
    fn sync(&self, log: &mut Log) -> Result<()> {
        if self.flaw == Some(Flaw::NoSync) {
            return Ok(());
        }
        // The state after a failed sync is only known after the next opening.
        log.file.sync().inspect_err(|_| log.has_failed = self.flaw != Some(Flaw::GoesOn))?;
        Ok(())
    }

    fn clean(&self, log: &mut Log) -> Result<()> {
        let map = self.memory.0.read();
        let (file, end) = rewrite(&*self.files, &self.dir, self.flaw, &map, log.boot, false)?;
        (log.file, log.end) = (file, end);
        if self.flaw != Some(Flaw::NoDirSync) {
            self.files.sync_dir(&self.dir).inspect_err(|_| log.has_failed = true)?;
        }
        Ok(())
    }

    fn append(&self, log: &mut Log, mut records: Vec<Vec<u8>>) -> Result<()> {
        let begin = log.end;
        if self.flaw == Some(Flaw::Buffers) {
            std::mem::swap(&mut log.held, &mut records);
        }
        for record in records {
            if let Err(error) = log.file.write_at(&record, log.end) {
                return Err(self.refuse(log, begin, error));
            }
            log.end += record.len() as u64;
        }
        log.commits += 1;
        let is_late = self.flaw == Some(Flaw::LateSync) && log.commits.is_multiple_of(2);
        if self.mode == Mode::Process || is_late {
            return Ok(());
        }
        let synced = self.sync(log);
        let is_full = matches!(&synced, Err(Error::Io(error)) if error.kind() == ErrorKind::StorageFull);
        if is_full && self.flaw == Some(Flaw::LeavesRefused) {
            log.has_failed = false;
            return Err(Error::Full);
        }
        synced
    }

    /// Removes what could not be written completely. Continues only if the disk is full.
    fn refuse(&self, log: &mut Log, begin: u64, error: std::io::Error) -> Error {
        if error.kind() == ErrorKind::StorageFull && log.file.set_len(begin).is_ok() {
            log.end = begin;
            log.has_failed = self.flaw == Some(Flaw::StaysFull);
            return Error::Full;
        }
        log.has_failed = self.flaw != Some(Flaw::GoesOn);
        Error::Engine(error.to_string())
    }
}

impl Engine for LogEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        self.memory.scan(range, direction, limit)
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        let mut log = self.log.lock();
        let all = |error: &dyn Fn() -> Error| group.iter().map(|_| Err(error())).collect();
        if log.has_failed {
            return all(&|| Error::Engine("it has failed".into()));
        }
        if group.is_empty() {
            return Vec::new();
        }
        let before = self.memory.0.read().clone();
        let after = Memory(before.clone().into());
        let mut verdicts = Vec::new();
        let mut records = Vec::new();
        let parts: Vec<&[Batch]> =
            if self.flaw == Some(Flaw::SplitsGroups) { group.chunks(1).collect() } else { vec![group] };
        for part in parts {
            verdicts.extend(after.commit(part));
            let map = after.0.read();
            let mut payload = Vec::new();
            for key in part.iter().flat_map(|batch| &batch.ops).map(|op| op.key()) {
                encode(&mut payload, key, map.get(key));
            }
            records.push(record(&payload));
        }
        if self.flaw == Some(Flaw::ShowsEarly) {
            *self.memory.0.write() = after.0.read().clone();
        }
        match self.append(&mut log, records) {
            Ok(()) => *self.memory.0.write() = after.0.into_inner(),
            Err(Error::Full) => return all(&|| Error::Full),
            Err(error) => {
                let words = error.to_string();
                return all(&|| Error::Engine(words.clone()));
            }
        }
        verdicts
    }
}

impl Replay {
    /// Reads the records up to the first incomplete one.
    fn of(content: &[u8], skips_gaps: bool) -> Self {
        let mut replay = Self::default();
        let mut at = 0;
        while at + HEAD <= content.len() {
            match payload(&content[at..]) {
                Some(payload) if at == 0 => {
                    at += HEAD + payload.len();
                    replay.begin(payload);
                    replay.end = at as u64;
                }
                Some(payload) => {
                    at += HEAD + payload.len();
                    replay.apply(payload);
                    replay.is_lost = false;
                    replay.end = at as u64;
                }
                None if skips_gaps && at > 0 => at += 1,
                None => break,
            }
        }
        replay
    }

    fn begin(&mut self, mut payload: &[u8]) {
        self.boot = payload.get_u64();
        self.is_lost = payload.get_u8() != 0;
        self.apply(payload);
    }

    fn apply(&mut self, mut payload: &[u8]) {
        while !payload.is_empty() {
            let (key, value) = (payload.get_u32() as usize, payload.get_u32());
            let key = payload.copy_to_bytes(key);
            match value {
                u32::MAX => self.map.remove(&key),
                len => self.map.insert(key, payload.copy_to_bytes(len as usize)),
            };
        }
    }
}

/// Appends a key with its value, or without one if it was deleted.
fn encode(payload: &mut Vec<u8>, key: &Bytes, value: Option<&Bytes>) {
    payload.extend((key.len() as u32).to_be_bytes());
    payload.extend(value.map_or(u32::MAX, |value| value.len() as u32).to_be_bytes());
    payload.extend_from_slice(key);
    payload.extend_from_slice(value.map_or(&[], |value| value));
}

fn checksum(payload: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(&(payload.len() as u32).to_be_bytes());
    crc.update(payload);
    crc.sum()
}

fn record(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_be_bytes(), &checksum(payload).to_be_bytes(), payload].concat()
}

/// The payload of the record at the beginning of these bytes, if it is complete.
fn payload(mut bytes: &[u8]) -> Option<&[u8]> {
    let (len, sum) = (bytes.get_u32() as usize, bytes.get_u32());
    let payload = bytes.get(..len)?;
    (checksum(payload) == sum).then_some(payload)
}
