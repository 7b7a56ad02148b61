//! The index, stored in sled.

use super::block::{self, BlockReader, BlockWriter, Damaged, EntryRef, Merged};
use super::pace::Pace;
use super::rewrite::{self, wait_until_released};
use super::{Covered, Entries, Entry, Index};
use crate::disk_space::{free, is_full};
use crate::engine::barrier::without_panic;
use crate::engine::log::Position;
use crate::engine::memtable::{FrozenMemtable, Value};
use crate::engine::options::EngineOptions;
use crate::engine::{Direction, KeyRange};
use crate::error::{Error, Result};
use crate::files::{FileSystem, remove_all, sync_all};
use ::sled::{Batch, Db, IVec};
use bytes::Bytes;
use parking_lot::{MappedRwLockReadGuard, Mutex, RwLock, RwLockReadGuard};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The key of the [`Note`] in the database.
const NOTE: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'n'];
/// The suffix of a snapshot's file name while it is written.
const UNFINISHED: &str = ".generating";
/// How long the files may still be locked after the database was closed.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The version of the encoding of blocks and the note.
const VERSION: u64 = 2;
/// Approximate number of bytes of writes that are applied to a block at a time.
const AT_A_TIME: usize = 64 << 10;
/// Number of blocks that are copied between two calls of `proceed`.
const LOOK: usize = 64;
/// Size in bytes below which a file is left unchanged, whatever its content.
const MIN_BYTES: u64 = 32 << 20;
/// Maximum ratio of the size of a file to its content. A file that was just written is two to three times as large as
/// its content.
const TIMES: u64 = 6;
/// Maximum number of bytes of entries that are rewritten while the server runs. This takes seconds.
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

/// Metadata of the database, as of the last complete apply.
#[derive(Clone, Copy, Debug)]
struct Note {
    covered: Covered,
    /// See [`Index::live_bytes`].
    live: u64,
    /// Bytes of keys and stored values.
    held: u64,
    /// Size of the file directly after it was last rewritten; 0 if it never was.
    rewritten: u64,
}

impl Note {
    fn encode(self) -> Vec<u8> {
        let Self { covered: Covered { end, salt }, live, held, rewritten } = self;
        let numbers = [VERSION, u64::from(end.segment), end.offset, end.next, salt, live, held, rewritten];
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn decode(stored: &[u8]) -> Option<Self> {
        let mut numbers = stored.as_chunks::<8>().0.iter().map(|number| u64::from_be_bytes(*number));
        let mut next = || numbers.next();
        next().filter(|version| *version == VERSION)?;
        let end = Position { segment: u32::try_from(next()?).ok()?, offset: next()?, next: next()? };
        let covered = Covered { end, salt: next()? };
        Some(Self { covered, live: next()?, held: next()?, rewritten: next()? })
    }
}

/// The index in sled; see the module documentation.
pub(super) struct SledIndex {
    files: Arc<dyn FileSystem>,
    dir: PathBuf,
    cache_bytes: u64,
    /// Write-locked while several stored values change together, and while the database is replaced.
    db: RwLock<Option<Db>>,
    writer: Mutex<Writer>,
    live: AtomicU64,
}

#[derive(Default)]
struct Writer {
    pace: Pace,
    live: u64,
    held: u64,
    rewritten: u64,
    covered: Option<Covered>,
    /// Size of the file in bytes from which on the need for a rewrite is checked again.
    from: u64,
}

impl SledIndex {
    pub fn open(dir: &Path, options: &EngineOptions) -> Result<Self> {
        without_panic(&dir.display().to_string(), || {
            rewrite::finish(&*options.files, dir)?;
            let db = open_db(&*options.files, dir, options.cache_bytes)?;
            let mut writer = Writer { from: MIN_BYTES, ..Writer::default() };
            if let Some(stored) = db.get(NOTE)? {
                let Note { covered, live, held, rewritten } =
                    Note::decode(&stored).ok_or_else(|| damaged(NOTE))?;
                writer = Writer { live, held, rewritten, covered: Some(covered), ..writer };
            }
            Ok(Self {
                files: options.files.clone(),
                dir: dir.to_owned(),
                cache_bytes: options.cache_bytes,
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

    /// Applies the next writes to the block that they belong to.
    fn write_block<'m>(
        &self,
        writer: &mut Writer,
        rest: &mut Peekable<impl Iterator<Item = (&'m Bytes, &'m Option<Value>)>>,
    ) -> Result<()> {
        let db = self.db()?;
        let Some((first, _)) = rest.peek().copied() else { return Ok(()) };
        let before = db.range(..=&first[..]).next_back().transpose()?;
        let (key, block) = before.clone().unwrap_or_else(|| (IVec::from(&first[..]), IVec::default()));
        let next = db.get_gt(&key)?.map(|(next, _)| next);
        let (mut writes, mut bytes) = (Vec::new(), 0);
        while let Some((key, value)) =
            rest.next_if(|(key, _)| bytes < AT_A_TIME && next.as_ref().is_none_or(|next| key[..] < next[..]))
        {
            let write = (&key[..], value.as_ref().map(EntryRef::from));
            bytes += block::size_of(&write);
            writes.push(write);
        }
        writer.pace.before_write(&db, &key, block.len() + bytes)?;
        let Merged { mut blocks, added, removed } =
            block::merge(&key, &block, &writes).map_err(|Damaged| damaged(&key))?;
        let held = |blocks: &[(Vec<u8>, Vec<u8>)]| {
            blocks.iter().map(|(key, block)| (key.len() + block.len()) as u64).sum::<u64>()
        };
        writer.live = (writer.live + added).saturating_sub(removed);
        writer.held += held(&blocks);
        if before.is_some() {
            writer.held = writer.held.saturating_sub((key.len() + block.len()) as u64);
        }
        match blocks.len() {
            0 => drop(db.remove(&key)?),
            1 if blocks[0].1[..] == block[..] => {}
            1 => drop(blocks.pop().map(|(_, block)| db.insert(&key, block)).transpose()?),
            _ => {
                let mut batch = Batch::default();
                for (key, block) in blocks {
                    batch.insert(key, block);
                }
                drop(db);
                // Readers must not see some of the blocks without the others.
                let db = self.db.write();
                let db = db.as_ref().ok_or_else(|| Error::Engine("the index is closed".into()))?;
                db.apply_batch(batch)?;
            }
        }
        Ok(())
    }

    fn write_note(&self, writer: &mut Writer, covered: Covered) -> Result<()> {
        let db = self.db()?;
        // The note must not be durable before the data that it describes.
        db.flush()?;
        let Writer { live, held, rewritten, .. } = *writer;
        db.insert(NOTE, Note { covered, live, held, rewritten }.encode())?;
        db.flush()?;
        writer.covered = Some(covered);
        self.live.store(live, Ordering::Relaxed);
        Ok(())
    }

    fn file_bytes(&self) -> Result<u64> {
        Ok(self.files.metadata(&self.dir.join("db"))?.len)
    }

    fn rewrite(&self, writer: &mut Writer, proceed: &dyn Fn() -> bool) -> Result<()> {
        let new = rewrite::new_of(&self.dir);
        remove_all(&*self.files, &new)?;
        let before = self.file_bytes()?;
        if let Err(error) = self.copy_to(&new, writer, proceed) {
            remove_all(&*self.files, &new)?;
            return Err(error);
        }
        let mut db = self.db.write();
        drop(db.take());
        let swapped = wait_until_released(&self.dir).and_then(|()| rewrite::swap(&*self.files, &self.dir));
        rewrite::finish(&*self.files, &self.dir)?;
        *db = Some(open_db(&*self.files, &self.dir, self.cache_bytes)?);
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
        let fresh = open_db(&*self.files, new, self.cache_bytes)?;
        let mut pace = Pace::default();
        let (mut live, mut held) = (0, 0);
        let mut blocks = BlockWriter::of_many();
        let db = self.db()?.clone();
        let mut insert = |(key, block): (Vec<u8>, Vec<u8>)| {
            held += (key.len() + block.len()) as u64;
            pace.before_write(&fresh, &key, block.len())?;
            fresh.insert(key, block)?;
            Ok::<_, Error>(())
        };
        for (number, pair) in db.range(..NOTE).enumerate() {
            let (key, block) = pair?;
            if number % LOOK == 0 && !proceed() {
                return Err(Error::Engine("the rewrite was stopped".into()));
            }
            let mut entries = BlockReader::new(&key, &block);
            while let Some((key, entry)) = entries.next().map_err(|Damaged| damaged(&key))? {
                live += entry.live_bytes(key);
                blocks.push(key, entry);
            }
            blocks.take_complete().into_iter().try_for_each(&mut insert)?;
        }
        blocks.finish().into_iter().try_for_each(insert)?;
        if let Some(note) = db.get(NOTE)? {
            fresh.insert(NOTE, note)?;
        }
        // The recount includes what the counters missed because of a crash between two checkpoints.
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
            let Some(block) = db.range(..=key).next_back() else { return Ok(None) };
            let (block_key, block) = block?;
            let found = block::find(&block_key, &block, key).map_err(|Damaged| damaged(&block_key))?;
            Ok(found.map(Entry::from))
        })
    }

    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>> {
        let db = self.db()?;
        // The block with the first key of the range may begin before it.
        let start = match db.range(..=&range.start[..]).next_back() {
            Some(first) => first?.0.to_vec(),
            None => range.start.clone(),
        };
        // The key of the note is beyond the end of every range, even of the range of all keys.
        let rest = db.range(start..range.end.clone());
        Ok(Box::new(SledScan { range: range.clone(), direction, rest, ready: Vec::new(), _db: db }))
    }

    fn apply(&self, memtable: &FrozenMemtable) -> Result<()> {
        without_panic("the index", || {
            let mut writer = self.writer.lock();
            let mut rest = memtable.table.iter().peekable();
            while rest.peek().is_some() {
                self.write_block(&mut writer, &mut rest)?;
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
            if writer.held > AT_ONCE || free(&self.dir)? < writer.held * TIMES + MIN_BYTES {
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
        Ok(sync_all(&*self.files, &self.dir)?)
    }
}

fn damaged(key: &[u8]) -> Error {
    Error::Corrupt(format!("the block of the index at key {} is damaged", key.escape_ascii()))
}

/// An iterator over the entries of a range.
struct SledScan<'i> {
    range: KeyRange,
    direction: Direction,
    rest: ::sled::Iter,
    /// Entries of the current block, the next one last.
    ready: Vec<(Bytes, Entry)>,
    /// Prevents blocks from being changed.
    _db: MappedRwLockReadGuard<'i, Db>,
}

impl SledScan<'_> {
    fn open(&mut self, (key, block): (IVec, IVec)) -> Result<()> {
        let mut entries = BlockReader::new(&key, &block);
        while let Some((own, entry)) = entries.next().map_err(|Damaged| damaged(&key))? {
            if own >= &self.range.start[..] && own < &self.range.end[..] {
                self.ready.push((Bytes::copy_from_slice(own), entry.into()));
            }
        }
        if self.direction == Direction::Forward {
            self.ready.reverse();
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

/// Opens a database of sled, or creates one.
///
/// # Errors
/// `Corrupt` if its files are damaged, `Full` if the disk has no space.
pub(in crate::engine) fn open_db(files: &dyn FileSystem, dir: &Path, cache_bytes: u64) -> Result<Db> {
    remove_unfinished(files, dir)?;
    // Every checkpoint flushes explicitly.
    let config = ::sled::Config::new().path(dir).cache_capacity(cache_bytes).flush_every_ms(None);
    let begun = Instant::now();
    loop {
        match config.open() {
            // If the database was closed a moment ago, a thread of sled may lock its file a little longer.
            Err(::sled::Error::Io(error))
                if error.to_string().contains("could not acquire lock") && begun.elapsed() < TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(::sled::Error::Io(error)) if is_full(&error) => return Err(Error::Full),
            Err(error) => return Err(Error::Corrupt(error.to_string())),
            Ok(db) => return Ok(db),
        }
    }
}

/// Removes a snapshot that was not finished when the process ended. sled would try to read it and fail.
fn remove_unfinished(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    let names = match files.names(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        names => names?,
    };
    for name in names.iter().filter(|name| name.ends_with(UNFINISHED)) {
        files.remove(&dir.join(name))?;
    }
    Ok(())
}
