//! The embedded engine for one node: sled, one tree, one writer, behind a write-ahead log.
//!
//! sled makes a batch durable by waking eight threads and waiting for two writes. So a commit
//! here is one record in the [`Wal`], written by the committing thread itself, and only then are
//! its writes applied to sled, which brings them to disk in large strokes of its own. Opening
//! applies once more what the log holds: sled may have any part of it.
//!
//! A stored value is a byte that says how it is kept, then the value: as it is, or in pieces
//! under keys of their own. sled writes whole leaves of up to sixteen values; leaves of more than
//! 256 KiB become files of their own, which sled does not sync. With values in pieces of 8 KiB no
//! leaf grows so large.

use super::wal::Wal;
use super::{Batch, Direction, Engine, Expect, KeyRange, Op};
use crate::error::{Error, Result};
use ::sled::IVec;
use bytes::{BufMut, Bytes, BytesMut};
use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// The value follows.
const WHOLE: u8 = 0;
/// The length of the value follows (four bytes, big-endian); the value is in pieces.
const IN_PIECES: u8 = 1;
/// Bytes in a piece, and in the longest value that is kept whole.
const PIECE: usize = 8 << 10;

/// Where the database holds the epoch of the log whose records it may not have yet.
const EPOCH: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'e'];

/// Bytes in the log that call for a checkpoint: what opening may have to apply again.
const WAL_MAX: u64 = 8 << 20;
/// The same where each checkpoint protects sled's file from power cuts.
const WAL_MAX_POWER_SAFE: u64 = 1 << 20;

/// How long the file may still be held after the database was closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct SledOptions {
    /// Bytes of pages kept in memory.
    pub cache_bytes: u64,
    /// Whether a commit outlives a power cut, and not only the end of the process.
    pub power_safe: bool,
}

/// See the module.
pub struct SledEngine {
    db: ::sled::Db,
    /// Held by the one commit at a time.
    writer: Mutex<Writer>,
    /// Held for writing while a group is applied, so that a scan sees no half of one.
    applying: RwLock<()>,
}

struct Writer {
    wal: Wal,
    /// Bytes in the log that call for a checkpoint.
    wal_max: u64,
    /// The database file, for `fdatasync`: sled's own flush outlives the process only.
    file: Option<File>,
    /// The first two bytes of keys that have ever had a value in pieces; only these need a look
    /// at the value that is replaced.
    in_pieces: HashSet<[u8; 2]>,
    /// Where stored values are put together.
    scratch: Vec<u8>,
}

impl From<::sled::Error> for Error {
    fn from(error: ::sled::Error) -> Self {
        match error {
            ::sled::Error::Corruption { .. } => Self::Corrupt(error.to_string()),
            other => Self::Engine(other.to_string()),
        }
    }
}

type Written<'a> = HashMap<&'a Bytes, Option<&'a Bytes>>;
/// Writes as sled gets them; no key twice.
type Physical = Vec<(Bytes, Option<IVec>)>;

impl SledEngine {
    /// Opens or makes the database in `dir`.
    pub fn open(dir: &Path, options: SledOptions) -> Result<Self> {
        let config = ::sled::Config::new()
            .path(dir)
            .cache_capacity(options.cache_bytes)
            // Every commit flushes by itself.
            .flush_every_ms(None);
        let db = open_patiently(&config)?;
        let SledOptions { power_safe, .. } = options;
        let (mut wal, groups) = Wal::open(&dir.join("wal"), power_safe)?;
        let mut file = None;
        if power_safe {
            file = Some(File::open(dir.join("db"))?);
            // That the files exist must outlive a power cut, too.
            File::open(dir)?.sync_all()?;
        }
        let wal_max = if power_safe { WAL_MAX_POWER_SAFE } else { WAL_MAX };
        let epoch = epoch_of(&db)?.unwrap_or(wal.epoch());
        if epoch > wal.epoch() {
            // A crash came between the two halves of a checkpoint.
            wal.begin_epoch(epoch)?;
        } else {
            if epoch < wal.epoch() {
                tracing::error!("a power cut took a part of the last commits; look with `doctor`");
            }
            apply_again(&db, groups)?;
        }
        let in_pieces = tables_in_pieces(&db)?;
        let writer = Mutex::new(Writer { wal, wal_max, file, in_pieces, scratch: Vec::new() });
        let engine = Self { db, writer, applying: RwLock::new(()) };
        engine.checkpoint(&mut engine.writer.lock())?;
        Ok(engine)
    }

    /// Brings everything applied to disk, and the log to its beginning.
    fn checkpoint(&self, writer: &mut Writer) -> Result<()> {
        if writer.wal.len() == 0 {
            return Ok(());
        }
        let epoch = writer.wal.epoch() + 1;
        self.db.insert(EPOCH, &epoch.to_be_bytes())?;
        self.db.flush()?;
        if let Some(file) = &writer.file {
            file.sync_data()?;
        }
        writer.wal.begin_epoch(epoch)
    }

    /// Puts a stored value together again. To be called with `applying` held, unless it is whole.
    fn restore(&self, key: &[u8], stored: &[u8]) -> Result<Bytes> {
        let (tag, rest) = stored.split_first().ok_or_else(|| damaged(key, "no tag"))?;
        if *tag == WHOLE {
            return Ok(Bytes::copy_from_slice(rest));
        }
        let mut value = BytesMut::with_capacity(len_in_pieces(key, *tag, rest)?);
        for place in piece_keys(key, value.capacity()) {
            let piece = self.db.get(place)?.ok_or_else(|| damaged(key, "a missing piece"))?;
            value.put_slice(&piece);
        }
        Ok(value.freeze())
    }

    fn holds(&self, expect: &Expect, written: &Written) -> Result<bool> {
        let (key, wanted) = match expect {
            Expect::Value { key, value } => (key, Some(value)),
            Expect::Absent { key } => (key, None),
        };
        if let Some(found) = written.get(key) {
            return Ok(*found == wanted);
        }
        let (Some(stored), wanted) = (self.db.get(key)?, wanted) else { return Ok(wanted.is_none()) };
        let Some(wanted) = wanted else { return Ok(false) };
        match stored.split_first() {
            Some((&WHOLE, value)) => Ok(value == wanted),
            // No one else writes meanwhile, so there is no need for the lock.
            _ => Ok(self.restore(key, &stored)? == *wanted),
        }
    }

    fn try_commit(&self, group: &[Batch]) -> Result<Vec<Result<()>>> {
        let mut writer = self.writer.lock();
        if group.is_empty() {
            self.checkpoint(&mut writer)?;
            return Ok(Vec::new());
        }
        let mut written = Written::new();
        let mut verdicts = Vec::with_capacity(group.len());
        'batches: for batch in group {
            for expect in &batch.expects {
                if !self.holds(expect, &written)? {
                    verdicts.push(Err(Error::Conflict));
                    continue 'batches;
                }
            }
            for op in &batch.ops {
                match op {
                    Op::Put(key, value) => written.insert(key, Some(value)),
                    Op::Delete(key) => written.insert(key, None),
                };
            }
            verdicts.push(Ok(()));
        }
        if written.is_empty() {
            return Ok(verdicts);
        }
        let mut writes = Physical::with_capacity(written.len());
        for (key, value) in written {
            self.lay_out(&mut writes, &mut writer, key, value)?;
        }
        // In order, sled finds most keys in the leaf of the one before.
        writes.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        writer.wal.append(writes.iter().map(|(key, value)| (&key[..], value.as_deref())))?;
        {
            let _whole = self.applying.write();
            for (key, value) in writes {
                match value {
                    Some(value) => self.db.insert(key, value)?,
                    None => self.db.remove(key)?,
                };
            }
        }
        if writer.wal.len() > writer.wal_max {
            self.checkpoint(&mut writer)?;
        }
        Ok(verdicts)
    }

    /// Adds what one write means for sled: the value with its tag, or its pieces, and the removal
    /// of the pieces of the value before it.
    fn lay_out(
        &self,
        to: &mut Physical,
        writer: &mut Writer,
        key: &Bytes,
        value: Option<&Bytes>,
    ) -> Result<()> {
        let table = table_of(key);
        let mut before = 0;
        if writer.in_pieces.contains(&table)
            && let Some(stored) = self.db.get(key)?
            && let Some((&IN_PIECES, rest)) = stored.split_first()
        {
            before = len_in_pieces(key, IN_PIECES, rest)?;
        }
        let mut kept = 0;
        let own = key.clone();
        match value {
            None => to.push((own, None)),
            Some(value) if value.len() <= PIECE => {
                to.push((own, Some(tagged(&mut writer.scratch, WHOLE, value))))
            }
            Some(value) => {
                writer.in_pieces.insert(table);
                let len =
                    u32::try_from(value.len()).map_err(|_| Error::Invalid("a value over 4 GiB".into()))?;
                to.push((own, Some(tagged(&mut writer.scratch, IN_PIECES, &len.to_be_bytes()))));
                for (place, piece) in piece_keys(key, value.len()).zip(value.chunks(PIECE)) {
                    to.push((place.into(), Some(piece.into())));
                    kept += 1;
                }
            }
        }
        to.extend(piece_keys(key, before).skip(kept).map(|place| (place.into(), None)));
        Ok(())
    }
}

impl Drop for SledEngine {
    fn drop(&mut self) {
        let mut writer = self.writer.lock();
        if let Err(error) = self.checkpoint(&mut writer) {
            tracing::warn!(%error, "the last checkpoint failed; the write-ahead log will be applied at the next start");
        }
    }
}

fn epoch_of(db: &::sled::Db) -> Result<Option<u64>> {
    let stored = db.get(EPOCH)?.map(|value| value[..].try_into().map(u64::from_be_bytes));
    stored.transpose().map_err(|_| damaged(EPOCH, "the wrong length"))
}

fn apply_again(db: &::sled::Db, groups: Vec<Vec<Op>>) -> Result<()> {
    for op in groups.into_iter().flatten() {
        match op {
            Op::Put(key, value) => db.insert(key, &value[..])?,
            Op::Delete(key) => db.remove(key)?,
        };
    }
    Ok(())
}

/// Opens the database. When it was closed a moment ago, a thread of sled's may hold its file for
/// a little longer; that no other process does is seen to before.
fn open_patiently(config: &::sled::Config) -> Result<::sled::Db> {
    let begun = Instant::now();
    loop {
        match config.open() {
            Err(::sled::Error::Io(error))
                if error.to_string().contains("could not acquire lock") && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return Ok(other?),
        }
    }
}

fn tagged(scratch: &mut Vec<u8>, tag: u8, value: &[u8]) -> IVec {
    scratch.clear();
    scratch.push(tag);
    scratch.extend_from_slice(value);
    IVec::from(&scratch[..])
}

fn damaged(key: &[u8], what: &str) -> Error {
    Error::Corrupt(format!("the value of key {} has {what}", key.escape_ascii()))
}

fn len_in_pieces(key: &[u8], tag: u8, rest: &[u8]) -> Result<usize> {
    match (tag, rest.try_into()) {
        (IN_PIECES, Ok(len)) => Ok(u32::from_be_bytes(len) as usize),
        _ => Err(damaged(key, "an unknown form")),
    }
}

/// Where the pieces of a value of this length are: below every key of others.
fn piece_keys(key: &[u8], len: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..len.div_ceil(PIECE) as u32).map(move |number| {
        let mut place = Vec::with_capacity(key.len() + 5);
        place.push(KeyRange::BEYOND);
        place.extend_from_slice(key);
        place.extend_from_slice(&number.to_be_bytes());
        place
    })
}

fn table_of(key: &[u8]) -> [u8; 2] {
    [key.first().copied().unwrap_or_default(), key.get(1).copied().unwrap_or_default()]
}

/// Leaps through the pieces from table to table.
fn tables_in_pieces(db: &::sled::Db) -> Result<HashSet<[u8; 2]>> {
    let mut found = HashSet::new();
    let mut from = vec![KeyRange::BEYOND];
    while let Some(next) = db.range(from..EPOCH.to_vec()).next() {
        let table = table_of(&next?.0[1..]);
        found.insert(table);
        from = super::after_prefix(&[KeyRange::BEYOND, table[0], table[1]]);
    }
    Ok(found)
}

impl Engine for SledEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let Some(stored) = self.db.get(key)? else { return Ok(None) };
        if let Some((&WHOLE, value)) = stored.split_first() {
            return Ok(Some(Bytes::copy_from_slice(value)));
        }
        // In pieces: once more, with all of them of one moment.
        let _whole = self.applying.read();
        self.db.get(key)?.map(|stored| self.restore(key, &stored)).transpose()
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let _whole = self.applying.read();
        let found = self.db.range(range.start..range.end);
        let copied = |pair: ::sled::Result<(IVec, IVec)>| {
            let (key, stored) = pair?;
            Ok((Bytes::copy_from_slice(&key), self.restore(&key, &stored)?))
        };
        match direction {
            Direction::Forward => found.take(limit).map(copied).collect(),
            Direction::Reverse => found.rev().take(limit).map(copied).collect(),
        }
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        match self.try_commit(group) {
            Ok(verdicts) => verdicts,
            Err(error) => {
                let text = error.to_string();
                (0..group.len().max(1)).map(|_| Err(Error::Engine(text.clone()))).collect()
            }
        }
    }
}

#[cfg(test)]
impl SledEngine {
    /// Lets every further write to the log fail.
    pub fn break_log(&self) {
        self.writer.lock().wal.break_it();
    }

    /// How many pieces of values there are.
    pub fn pieces(&self) -> usize {
        self.db.range(vec![KeyRange::BEYOND]..EPOCH.to_vec()).count()
    }
}
