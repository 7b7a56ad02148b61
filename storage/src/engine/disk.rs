//! The database: sled, one tree. Written by one thread, read by all.

use super::barrier::without_panic;
use super::layout::{self, BLOCK, EPOCH, PIECE, Packed, damaged, table_of};
use super::memtable::Memtable;
use super::pace::Pace;
use super::room::{Change, DatabaseSize, ROOM};
use super::sled_options::SledOptions;
use super::{Direction, KeyRange, after_prefix};
use crate::error::{Error, Result};
use crate::room::is_full;
use ::sled::{Db, IVec};
use bytes::Bytes;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file of a database in its folder.
const FILE: &str = "db";
/// What the names of the database's snapshots begin with.
pub(super) const SNAPSHOT: &str = "snap.";
/// What the name of a snapshot ends with while it is written.
const UNFINISHED: &str = ".generating";
/// How long the file may still be held after the database was closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// Keys that are copied between two looks whether to go on.
const LOOK: usize = 256;

impl From<::sled::Error> for Error {
    fn from(error: ::sled::Error) -> Self {
        match error {
            ::sled::Error::Corruption { .. } => Self::Corrupt(error.to_string()),
            ::sled::Error::Io(error) if is_full(&error) => Self::Full,
            other => Self::Engine(other.to_string()),
        }
    }
}

pub(super) struct Disk {
    db: Db,
    /// The file of the database.
    path: PathBuf,
    packed: &'static [Packed],
    /// For `fdatasync`, where commits are to outlive a power cut: sled's own flush outlives the
    /// process only.
    file: Option<File>,
    /// Held for writing while stored values change that take more than one key.
    changing: RwLock<()>,
    writer: Mutex<Writer>,
}

#[derive(Default)]
struct Writer {
    /// The first two bytes of keys that have ever had a value in pieces; only these need a look
    /// at the value that is replaced.
    in_pieces: HashSet<[u8; 2]>,
    /// Where stored values are put together.
    scratch: Vec<u8>,
    room: DatabaseSize,
    pace: Pace,
}

type Write<'m> = (&'m Bytes, &'m Option<Bytes>);

impl Disk {
    pub fn open(dir: &Path, options: SledOptions) -> Result<Self> {
        let path = dir.join(FILE);
        without_panic(&path.display().to_string(), || {
            let db = open_file(dir, options)?;
            let writer = Writer {
                in_pieces: tables_in_pieces(&db)?,
                room: DatabaseSize::read(&db)?,
                ..Writer::default()
            };
            Self::new(db, writer, dir, options)
        })
    }

    /// Opens a database some of which may be unreadable, to be read only.
    pub fn open_damaged(dir: &Path, options: SledOptions) -> Result<Self> {
        without_panic("the database", || Self::new(open_file(dir, options)?, Writer::default(), dir, options))
    }

    fn new(db: Db, writer: Writer, dir: &Path, options: SledOptions) -> Result<Self> {
        let SledOptions { power_safe, packed, .. } = options;
        let file = if power_safe { Some(File::open(dir.join(FILE))?) } else { None };
        // That the files exist must outlive a power cut, too.
        File::open(dir)?.sync_all()?;
        let (changing, writer) = (RwLock::new(()), Mutex::new(writer));
        Ok(Self { db, path: dir.join(FILE), packed, file, changing, writer })
    }

    /// How much is in it, and bytes of its file at present.
    pub fn room(&self) -> Result<(DatabaseSize, u64)> {
        Ok((self.writer.lock().room, std::fs::metadata(&self.path)?.len()))
    }

    /// Copies everything to another one, which is empty, and lets it outlive a power cut. It must not be written
    /// at the same time.
    ///
    /// # Errors
    /// The engine's, and where it is not to go on; there is a part of it then.
    pub fn copy_to(&self, other: &Self, go_on: &dyn Fn() -> bool) -> Result<()> {
        let mut writer = other.writer.lock();
        for (number, pair) in self.db.iter().enumerate() {
            let (key, stored) = pair?;
            if number % LOOK == 0 && !go_on() {
                return Err(Error::Engine("it was asked to stop".into()));
            }
            if &key[..] < EPOCH {
                writer.room.add(&key, stored.len());
            }
            if &key[..] != ROOM {
                writer.pace.before_write(&other.db, &key, stored.len())?;
                other.db.insert(key, stored)?;
            }
        }
        other.db.flush()?;
        writer.room.packed = std::fs::metadata(&other.path)?.len();
        other.db.insert(ROOM, &writer.room.encode())?;
        other.db.flush()?;
        Ok(File::open(&other.path)?.sync_all()?)
    }

    pub(super) fn db(&self) -> &Db {
        &self.db
    }

    pub(super) fn group_of<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        layout::group_of(self.packed, key)
    }

    /// Lets the file come up before another value is written, if it is time.
    pub(super) fn keep_pace(&self, key: &[u8], bytes: usize) -> Result<()> {
        self.writer.lock().pace.before_write(&self.db, key, bytes)
    }

    pub(super) fn set_room(&self, room: DatabaseSize) {
        self.writer.lock().room = room;
    }

    /// The last epoch that [`checkpoint`](Self::checkpoint) was told of; 0 at first.
    pub fn epoch(&self) -> Result<u64> {
        let Some(value) = self.db.get(EPOCH)? else { return Ok(0) };
        value[..].try_into().map(u64::from_be_bytes).map_err(|_| damaged(EPOCH, "the wrong length"))
    }

    /// Makes everything written so far durable, and notes that the log of this epoch is in it. The note is written
    /// last: after a failed sync the next start must not trust what the system may still show of the file.
    pub fn checkpoint(&self, epoch: u64) -> Result<()> {
        self.db.insert(ROOM, &self.writer.lock().room.encode())?;
        self.sync()?;
        self.db.insert(EPOCH, &epoch.to_be_bytes())?;
        self.sync()
    }

    fn sync(&self) -> Result<()> {
        self.db.flush()?;
        if let Some(file) = &self.file {
            file.sync_data()?;
        }
        Ok(())
    }

    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let _whole = self.changing.read();
        let Some(group) = layout::group_of(self.packed, key) else {
            let stored = self.db.get(key)?;
            return stored.map(|stored| layout::restore(&self.db, key, &stored)).transpose();
        };
        let Some(block) = self.db.range(group..=key).next_back() else { return Ok(None) };
        let (first, stored) = block?;
        let mut entries = layout::entries(group, layout::restore(&self.db, &first, &stored)?)?;
        let found = entries.binary_search_by(|(own, _)| own[..].cmp(key)).ok();
        Ok(found.map(|at| entries.swap_remove(at).1))
    }

    /// The entries of a range, of one moment for as long as the scan lives.
    pub fn scan(&self, range: KeyRange, direction: Direction) -> Result<DiskScan<'_>> {
        let whole = self.changing.read();
        let stored = layout::stored_range(&self.db, self.packed, &range)?;
        let rest = self.db.range(stored.start..stored.end);
        Ok(DiskScan { disk: self, range, direction, rest, ready: Vec::new(), _whole: whole })
    }

    /// Writes what a memtable holds.
    pub fn apply(&self, table: &Memtable) -> Result<()> {
        let mut writer = self.writer.lock();
        let mut rest = table.iter().peekable();
        while let Some(write) = rest.next() {
            let Some(group) = layout::group_of(self.packed, write.0) else {
                self.write_one(&mut writer, write)?;
                continue;
            };
            let mut writes = vec![write];
            while let Some(write) = rest.next_if(|(key, _)| key.starts_with(group)) {
                writes.push(write);
            }
            self.write_group(&mut writer, group, &writes)?;
        }
        Ok(())
    }

    fn write_one(&self, writer: &mut Writer, (key, value): Write<'_>) -> Result<()> {
        writer.pace.before_write(&self.db, key, value.as_ref().map_or(0, Bytes::len))?;
        let table = table_of(key);
        let is_long = value.as_ref().is_some_and(|value| value.len() > PIECE);
        let may_be_long = writer.in_pieces.contains(&table);
        let stored = if is_long || may_be_long { self.db.get(key)? } else { None };
        let was_long = match &stored {
            Some(stored) => layout::len_in_pieces(key, stored)? > 0,
            None => false,
        };
        if is_long || was_long {
            writer.in_pieces.insert(table);
            let mut change = Change::new(writer.room);
            if let Some(stored) = &stored {
                change.take(key, stored)?;
            }
            if let Some(value) = value {
                change.store(&mut writer.scratch, key, 0, value)?;
            }
            return self.change(writer, change);
        }
        match value {
            None => {
                if let Some(old) = self.db.remove(key)? {
                    writer.room.subtract(key, old.len());
                }
            }
            Some(value) => self.put_short(writer, key, 0, value)?,
        }
        Ok(())
    }

    fn put_short(&self, writer: &mut Writer, key: &[u8], tag: u8, value: &[u8]) -> Result<()> {
        let Writer { scratch, room, .. } = writer;
        layout::store(scratch, key, tag, value, |key, stored| {
            room.add(key, stored.len());
            if let Some(old) = self.db.insert(key, stored)? {
                room.subtract(key, old.len());
            }
            Ok(())
        })
    }

    /// Lets several keys change in one moment, for readers and for crashes.
    fn change(&self, writer: &mut Writer, change: Change) -> Result<()> {
        let _whole = self.changing.write();
        self.db.apply_batch(change.batch)?;
        writer.room = change.room;
        Ok(())
    }

    /// Writes entries of one group: new blocks behind those that are there, or, if the writes are
    /// not all new and last, rewrites all blocks of the group.
    fn write_group(&self, writer: &mut Writer, group: &[u8], writes: &[Write<'_>]) -> Result<()> {
        let bytes = writes.iter().map(|(_, value)| value.as_ref().map_or(0, Bytes::len));
        writer.pace.before_write(&self.db, group, bytes.sum())?;
        let stored = || self.db.range(group.to_vec()..after_prefix(group));
        let last = match stored().next_back().transpose()? {
            Some((first, stored)) => {
                layout::entries(group, layout::restore(&self.db, &first, &stored)?)?.pop()
            }
            None => None,
        };
        let comes_last =
            writes.first().is_none_or(|(key, _)| last.as_ref().is_none_or(|(last, _)| last < *key));
        let added: Vec<_> = writes.iter().filter_map(|(key, value)| Some((*key, value.as_ref()?))).collect();
        if comes_last && (added.len() == writes.len() || last.is_none()) {
            for (key, block) in layout::blocks(group.len(), added.into_iter())? {
                if block.len() <= PIECE {
                    self.put_short(writer, &key, BLOCK, &block)?;
                } else {
                    let mut change = Change::new(writer.room);
                    change.store(&mut writer.scratch, &key, BLOCK, &block)?;
                    self.change(writer, change)?;
                }
            }
            return Ok(());
        }
        let mut all = BTreeMap::new();
        let mut change = Change::new(writer.room);
        for pair in stored() {
            let (first, stored) = pair?;
            all.extend(layout::entries(group, layout::restore(&self.db, &first, &stored)?)?);
            change.take(&first, &stored)?;
        }
        for (key, value) in writes {
            match value {
                Some(value) => all.insert((*key).clone(), value.clone()),
                None => all.remove(*key),
            };
        }
        for (key, block) in layout::blocks(group.len(), all.iter())? {
            change.store(&mut writer.scratch, &key, BLOCK, &block)?;
        }
        self.change(writer, change)
    }
}

/// Leaps through the pieces from table to table.
fn tables_in_pieces(db: &Db) -> Result<HashSet<[u8; 2]>> {
    let mut found = HashSet::new();
    let mut from = vec![KeyRange::BEYOND];
    while let Some(next) = db.range(from..EPOCH.to_vec()).next() {
        let table = table_of(&next?.0[1..]);
        found.insert(table);
        from = after_prefix(&[KeyRange::BEYOND, table[0], table[1]]);
    }
    Ok(found)
}

fn open_file(dir: &Path, options: SledOptions) -> Result<Db> {
    remove_unfinished(dir)?;
    // Every checkpoint flushes by itself.
    let config = ::sled::Config::new().path(dir).cache_capacity(options.cache_bytes).flush_every_ms(None);
    open_patiently(&config)
}

/// Removes a snapshot that was not finished when the process ended. The database library would read it, and fail.
fn remove_unfinished(dir: &Path) -> Result<()> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(SNAPSHOT) && name.ends_with(UNFINISHED) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Opens the database. When it was closed a moment ago, a thread of sled's may hold its file for
/// a little longer; that no other process does is seen to before.
fn open_patiently(config: &::sled::Config) -> Result<Db> {
    let begun = Instant::now();
    loop {
        match config.open() {
            Err(::sled::Error::Io(error))
                if error.to_string().contains("could not acquire lock") && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error @ (::sled::Error::ReportableBug(_) | ::sled::Error::Unsupported(_))) => {
                return Err(Error::Corrupt(error.to_string()));
            }
            Err(::sled::Error::Io(error)) if is_damage(&error) => {
                return Err(Error::Corrupt(error.to_string()));
            }
            other => return Ok(other?),
        }
    }
}

fn is_damage(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// An iterator over the entries of a range.
pub(super) struct DiskScan<'d> {
    disk: &'d Disk,
    range: KeyRange,
    direction: Direction,
    rest: ::sled::Iter,
    /// Entries of the block at hand, the next one last.
    ready: Vec<(Bytes, Bytes)>,
    _whole: RwLockReadGuard<'d, ()>,
}

impl DiskScan<'_> {
    fn open(&mut self, (key, stored): (IVec, IVec)) -> Result<()> {
        let value = layout::restore(&self.disk.db, &key, &stored)?;
        if layout::split(&key, &stored)?.0 & BLOCK == 0 {
            self.ready.push((Bytes::copy_from_slice(&key), value));
            return Ok(());
        }
        let group = layout::group_of(self.disk.packed, &key).ok_or_else(|| damaged(&key, "a block"))?;
        let mut entries = layout::entries(group, value)?;
        entries.retain(|(key, _)| *key >= self.range.start && *key < self.range.end);
        if self.direction == Direction::Forward {
            entries.reverse();
        }
        self.ready = entries;
        Ok(())
    }
}

impl Iterator for DiskScan<'_> {
    type Item = Result<(Bytes, Bytes)>;
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

#[cfg(test)]
impl Disk {
    /// Lets every further sync of the file fail.
    pub fn break_sync(&mut self) {
        self.file = Some(File::open("/dev/null").unwrap());
    }

    /// How many pieces of values there are.
    pub fn pieces(&self) -> usize {
        self.db.range(vec![KeyRange::BEYOND]..EPOCH.to_vec()).count()
    }

    /// What the account says, and what there is.
    pub fn account(&self) -> (u64, u64) {
        let writer = self.writer.lock();
        let counted = DatabaseSize::counted(&self.db).unwrap();
        (writer.room.held, counted.held)
    }

    /// How many stored values there are, blocks and not entries.
    pub fn stored(&self) -> usize {
        self.db.range(..vec![KeyRange::BEYOND]).count()
    }
}
