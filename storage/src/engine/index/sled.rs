//! The index in sled.

use super::pace::Pace;
use super::rewrite::{self, wait_until_released};
use super::stored::{self, Packed, Stored, damaged, group_of};
use super::{Covered, Entries, Entry, Index};
use crate::engine::barrier::without_panic;
use crate::engine::log::Position;
use crate::engine::memtable::{FrozenMemtable, Value};
use crate::engine::options::EngineOptions;
use crate::engine::{Direction, KeyRange, after_prefix};
use crate::error::{Error, Result};
use crate::files::{SystemFiles, remove_all, sync_all};
use crate::room::{free, is_full};
use ::sled::{Batch, Db, IVec};
use bytes::Bytes;
use parking_lot::{MappedRwLockReadGuard, Mutex, RwLock, RwLockReadGuard};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where the database holds a [`Note`].
const NOTE: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'n'];
/// What the name of a snapshot ends with while it is written.
const UNFINISHED: &str = ".generating";
/// How long the files may still be held after the database was closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// Keys that are copied between two looks whether to proceed.
const LOOK: usize = 256;
/// Bytes of a file that is left as it is, whatever is in it.
const LEAST: u64 = 32 << 20;
/// How many times as large as what is in it a file may be. One that was just written is two to three times as large.
const TIMES: u64 = 6;
/// Bytes of entries that are rewritten while the server runs: a matter of seconds.
const AT_ONCE: u64 = 256 << 20;

impl From<::sled::Error> for Error {
    fn from(error: ::sled::Error) -> Self {
        match error {
            ::sled::Error::Corruption { .. } => Self::Corrupt(error.to_string()),
            ::sled::Error::Io(error) if is_full(&error) => Self::Full,
            other => Self::Engine(other.to_string()),
        }
    }
}

/// What the database says of itself, as of the last complete apply.
#[derive(Clone, Copy, Debug)]
struct Note {
    covered: Covered,
    /// See [`Index::live_bytes`].
    live: u64,
    /// Bytes of keys and stored values.
    held: u64,
    /// The file when it had just been rewritten; 0 if it never was.
    rewritten: u64,
}

impl Note {
    fn encode(self) -> Vec<u8> {
        let Self { covered: Covered { end, salt }, live, held, rewritten } = self;
        let numbers = [u64::from(end.segment), end.offset, end.next, salt, live, held, rewritten];
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn decode(stored: &[u8]) -> Option<Self> {
        let mut numbers = stored.as_chunks::<8>().0.iter().map(|number| u64::from_be_bytes(*number));
        let mut next = || numbers.next();
        let end = Position { segment: u32::try_from(next()?).ok()?, offset: next()?, next: next()? };
        let covered = Covered { end, salt: next()? };
        Some(Self { covered, live: next()?, held: next()?, rewritten: next()? })
    }
}

/// The index in sled; see the module.
pub(super) struct SledIndex {
    dir: PathBuf,
    cache_bytes: u64,
    packed: &'static [Packed],
    /// Write-locked while several stored values change at once, and while the database is replaced.
    db: RwLock<Option<Db>>,
    writer: Mutex<Writer>,
    live: AtomicU64,
}

#[derive(Default)]
struct Writer {
    scratch: Vec<u8>,
    pace: Pace,
    live: u64,
    held: u64,
    rewritten: u64,
    covered: Option<Covered>,
    /// Bytes of the file from which on it is looked at again.
    from: u64,
}

impl SledIndex {
    pub fn open(dir: &Path, options: &EngineOptions) -> Result<Self> {
        without_panic(&dir.display().to_string(), || {
            rewrite::finish(dir)?;
            let db = open_db(dir, options.cache_bytes)?;
            let mut writer = Writer { from: LEAST, ..Writer::default() };
            if let Some(stored) = db.get(NOTE)? {
                let Note { covered, live, held, rewritten } =
                    Note::decode(&stored).ok_or_else(|| damaged(NOTE, "the wrong length"))?;
                writer = Writer { live, held, rewritten, covered: Some(covered), ..writer };
            }
            Ok(Self {
                dir: dir.to_owned(),
                cache_bytes: options.cache_bytes,
                packed: options.packed,
                db: RwLock::new(Some(db)),
                live: AtomicU64::new(writer.live),
                writer: Mutex::new(writer),
            })
        })
    }

    fn db(&self) -> Result<MappedRwLockReadGuard<'_, Db>> {
        let closed = |_| Error::Engine("the index is closed".into());
        RwLockReadGuard::try_map(self.db.read(), Option::as_ref).map_err(closed)
    }

    fn decode(&self, key: &[u8], stored: &[u8]) -> Result<Stored> {
        stored::decode(key, group_of(self.packed, key), stored)
    }

    fn write_one(&self, db: &Db, writer: &mut Writer, key: &Bytes, value: Option<&Value>) -> Result<()> {
        let Some(value) = value else {
            writer.pace.before_write(db, key, 0)?;
            if let Some(old) = db.remove(key)? {
                return self.forget(writer, key, &old);
            }
            return Ok(());
        };
        let entry = Entry::from(value);
        writer.scratch.clear();
        stored::encode(&mut writer.scratch, &entry);
        writer.pace.before_write(db, key, writer.scratch.len())?;
        writer.live += entry.live_bytes(key);
        writer.held += (key.len() + writer.scratch.len()) as u64;
        if let Some(old) = db.insert(key, &writer.scratch[..])? {
            self.forget(writer, key, &old)?;
        }
        Ok(())
    }

    /// Takes a stored value out of the account.
    fn forget(&self, writer: &mut Writer, key: &[u8], stored: &[u8]) -> Result<()> {
        let live = match self.decode(key, stored)? {
            Stored::One(entry) => entry.live_bytes(key),
            Stored::Block(entries) => entries.iter().map(|(key, entry)| entry.live_bytes(key)).sum(),
        };
        writer.live = writer.live.saturating_sub(live);
        writer.held = writer.held.saturating_sub((key.len() + stored.len()) as u64);
        Ok(())
    }

    /// Writes entries of one group: new blocks behind those that are there or, if the writes are not all new and last,
    /// all blocks of the group again.
    fn write_group(
        &self,
        writer: &mut Writer,
        group: &[u8],
        writes: &[(&Bytes, &Option<Value>)],
    ) -> Result<()> {
        let db = self.db()?;
        writer.pace.before_write(&db, group, writes.len() * 24)?;
        let range = || db.range(group.to_vec()..after_prefix(group));
        let last = match range().next_back().transpose()? {
            Some((first, stored)) => match self.decode(&first, &stored)? {
                Stored::Block(mut entries) => entries.pop().map(|(key, _)| key),
                Stored::One(_) => return Err(damaged(&first, "no block")),
            },
            None => None,
        };
        let comes_last = writes.first().is_none_or(|(key, _)| last.as_ref().is_none_or(|last| last < *key));
        let mut all = BTreeMap::new();
        let mut batch = Batch::default();
        if !(comes_last && (last.is_none() || writes.iter().all(|(_, value)| value.is_some()))) {
            for pair in range() {
                let (first, stored) = pair?;
                self.forget(writer, &first, &stored)?;
                match self.decode(&first, &stored)? {
                    Stored::Block(entries) => all.extend(entries),
                    Stored::One(_) => return Err(damaged(&first, "no block")),
                }
                batch.remove(first);
            }
        }
        for (key, value) in writes {
            match value {
                Some(value) => all.insert((*key).clone(), Entry::from(value)),
                None => all.remove(*key),
            };
        }
        for (key, entry) in &all {
            writer.live += entry.live_bytes(key);
        }
        for (key, block) in stored::blocks(group.len(), all.iter()) {
            writer.held += (key.len() + block.len()) as u64;
            batch.insert(&key[..], block);
        }
        drop(db);
        let db = self.db.write();
        let db = db.as_ref().ok_or_else(|| Error::Engine("the index is closed".into()))?;
        Ok(db.apply_batch(batch)?)
    }

    fn write_note(&self, writer: &mut Writer, covered: Covered) -> Result<()> {
        let db = self.db()?;
        // The note must not be there before what it says.
        db.flush()?;
        let Writer { live, held, rewritten, .. } = *writer;
        db.insert(NOTE, Note { covered, live, held, rewritten }.encode())?;
        db.flush()?;
        writer.covered = Some(covered);
        self.live.store(live, Ordering::Relaxed);
        Ok(())
    }

    fn file_bytes(&self) -> Result<u64> {
        Ok(std::fs::metadata(self.dir.join("db"))?.len())
    }

    fn rewrite(&self, writer: &mut Writer, proceed: &dyn Fn() -> bool) -> Result<()> {
        let new = rewrite::new_of(&self.dir);
        remove_all(&SystemFiles, &new)?;
        let before = self.file_bytes()?;
        if let Err(error) = self.copy_to(&new, writer, proceed) {
            remove_all(&SystemFiles, &new)?;
            return Err(error);
        }
        let mut db = self.db.write();
        drop(db.take());
        let swapped = wait_until_released(&self.dir).and_then(|()| rewrite::swap(&self.dir));
        rewrite::finish(&self.dir)?;
        *db = Some(open_db(&self.dir, self.cache_bytes)?);
        drop(db);
        swapped?;
        writer.rewritten = self.file_bytes()?;
        tracing::info!(
            before_mib = before >> 20,
            after_mib = writer.rewritten >> 20,
            "the index was rewritten"
        );
        Ok(())
    }

    fn copy_to(&self, new: &Path, writer: &mut Writer, proceed: &dyn Fn() -> bool) -> Result<()> {
        let fresh = open_db(new, self.cache_bytes)?;
        let mut pace = Pace::default();
        let (mut live, mut held) = (0, 0);
        let db = self.db()?.clone();
        for (number, pair) in db.iter().enumerate() {
            let (key, value) = pair?;
            if number % LOOK == 0 && !proceed() {
                return Err(Error::Engine("the rewrite was stopped".into()));
            }
            pace.before_write(&fresh, &key, value.len())?;
            if &key[..] != NOTE {
                held += (key.len() + value.len()) as u64;
                live += match self.decode(&key, &value)? {
                    Stored::One(entry) => entry.live_bytes(&key),
                    Stored::Block(entries) => entries.iter().map(|(key, entry)| entry.live_bytes(key)).sum(),
                };
            }
            fresh.insert(key, value)?;
        }
        // What a crash between two checkpoints left out of the account is in it again.
        (writer.live, writer.held) = (live, held);
        fresh.flush()?;
        drop(fresh);
        wait_until_released(new)
    }
}

impl Index for SledIndex {
    fn get(&self, key: &[u8]) -> Result<Option<Entry>> {
        without_panic("a part of the index", || {
            let db = self.db()?;
            let Some(group) = group_of(self.packed, key) else {
                let Some(stored) = db.get(key)? else { return Ok(None) };
                return match self.decode(key, &stored)? {
                    Stored::One(entry) => Ok(Some(entry)),
                    Stored::Block(_) => Err(damaged(key, "a block")),
                };
            };
            let Some(block) = db.range(group..=key).next_back() else { return Ok(None) };
            let (first, stored) = block?;
            let Stored::Block(mut entries) = self.decode(&first, &stored)? else {
                return Err(damaged(&first, "no block"));
            };
            let found = entries.binary_search_by(|(own, _)| own[..].cmp(key)).ok();
            Ok(found.map(|at| entries.swap_remove(at).1))
        })
    }

    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>> {
        let db = self.db()?;
        let mut start = range.start.clone();
        // The block with the first key of the range may begin before it.
        if let Some(group) = group_of(self.packed, &range.start)
            && let Some(first) = db.range(group..=&range.start[..]).next_back()
        {
            start = first?.0.to_vec();
        }
        let rest = db.range(start..range.end.clone());
        Ok(Box::new(SledScan {
            index: self,
            range: range.clone(),
            direction,
            rest,
            ready: Vec::new(),
            _db: db,
        }))
    }

    fn apply(&self, memtable: &FrozenMemtable) -> Result<()> {
        without_panic("the index", || {
            let mut writer = self.writer.lock();
            let mut rest = memtable.table.iter().peekable();
            while let Some((key, value)) = rest.next() {
                let Some(group) = group_of(self.packed, key) else {
                    let db = self.db()?;
                    self.write_one(&db, &mut writer, key, value.as_ref())?;
                    continue;
                };
                let mut writes = vec![(key, value)];
                while let Some(write) = rest.next_if(|(key, _)| key.starts_with(group)) {
                    writes.push(write);
                }
                self.write_group(&mut writer, group, &writes)?;
            }
            self.write_note(&mut writer, Covered { end: memtable.end, salt: memtable.salt })
        })
    }

    fn covered(&self) -> Result<Option<Covered>> {
        Ok(self.writer.lock().covered)
    }

    fn live_bytes(&self) -> u64 {
        self.live.load(Ordering::Relaxed)
    }

    fn tidy(&self, proceed: &dyn Fn() -> bool) -> Result<()> {
        without_panic("the index", || {
            let mut writer = self.writer.lock();
            let file = self.file_bytes()?;
            let Some(covered) = writer.covered else { return Ok(()) };
            if file < writer.from || file <= writer.held * TIMES || file <= writer.rewritten * 2 {
                return Ok(());
            }
            if writer.held > AT_ONCE || free(&self.dir)? < writer.held * TIMES + LEAST {
                let (file_mib, held_mib) = (file >> 20, writer.held >> 20);
                tracing::warn!(
                    file_mib,
                    held_mib,
                    "most of the index's file is unused; `understudy compact` shrinks it"
                );
                writer.from = file.saturating_mul(2);
                return Ok(());
            }
            match self.rewrite(&mut writer, proceed) {
                Ok(()) => self.write_note(&mut writer, covered),
                Err(error) => {
                    tracing::warn!(%error, "the index could not be rewritten");
                    writer.from = file + file / 4;
                    self.db().map(drop)
                }
            }
        })
    }

    fn close(&self) -> Result<()> {
        let _writer = self.writer.lock();
        let Some(db) = self.db.write().take() else { return Ok(()) };
        let flushed = without_panic("the index", || Ok(db.flush().map(drop)?));
        drop(db);
        flushed?;
        wait_until_released(&self.dir)?;
        Ok(sync_all(&SystemFiles, &self.dir)?)
    }
}

/// An iterator over the entries of a range.
struct SledScan<'i> {
    index: &'i SledIndex,
    range: KeyRange,
    direction: Direction,
    rest: ::sled::Iter,
    /// Entries of the current block, the next one last.
    ready: Vec<(Bytes, Entry)>,
    /// Keeps blocks from being changed.
    _db: MappedRwLockReadGuard<'i, Db>,
}

impl SledScan<'_> {
    fn open(&mut self, (key, stored): (IVec, IVec)) -> Result<()> {
        match self.index.decode(&key, &stored)? {
            Stored::One(entry) => self.ready.push((Bytes::copy_from_slice(&key), entry)),
            Stored::Block(mut entries) => {
                entries.retain(|(key, _)| *key >= self.range.start && *key < self.range.end);
                if self.direction == Direction::Forward {
                    entries.reverse();
                }
                self.ready = entries;
            }
        }
        Ok(())
    }
}

impl Iterator for SledScan<'_> {
    type Item = Result<(Bytes, Entry)>;
    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            let stored = match self.direction {
                Direction::Forward => self.rest.next(),
                Direction::Reverse => self.rest.next_back(),
            };
            if let Err(error) = stored?.map_err(Error::from).and_then(|pair| self.open(pair)) {
                return Some(Err(error));
            }
        }
        self.ready.pop().map(Ok)
    }
}

/// Opens a database of sled's, or makes one.
///
/// # Errors
/// `Corrupt` where its files are damaged, `Full` where the disk has no space.
pub(in crate::engine) fn open_db(dir: &Path, cache_bytes: u64) -> Result<Db> {
    remove_unfinished(dir)?;
    // Every checkpoint flushes by itself.
    let config = ::sled::Config::new().path(dir).cache_capacity(cache_bytes).flush_every_ms(None);
    let begun = Instant::now();
    loop {
        match config.open() {
            // When it was closed a moment ago, a thread of sled's may hold its file for a little longer.
            Err(::sled::Error::Io(error))
                if error.to_string().contains("could not acquire lock") && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(::sled::Error::Io(error)) if is_full(&error) => return Err(Error::Full),
            Err(error) => return Err(Error::Corrupt(error.to_string())),
            Ok(db) => return Ok(db),
        }
    }
}

/// Removes a snapshot that was not finished when the process ended. sled would read it, and fail.
fn remove_unfinished(dir: &Path) -> Result<()> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
