//! The log: every commit, in commit order, in segments. It is the source of truth, from which everything else can be
//! rebuilt.
//!
//! ```text
//! log/0000000017.log    the oldest segment: the next one to be cleaned and removed
//! log/0000000018.log
//! log/0000000019.log    the newest segment, to which records are appended
//! ```
//!
//! Segments are removed oldest first, after their live values have been appended again. A deletion can therefore be
//! removed together with its segment: there is no older segment in which the deleted key could reappear.

#[cfg(any(fuzzing, test))]
pub mod fuzzing;
mod record;
mod replay;
mod segment;
#[cfg(test)]
mod tests;

pub(in crate::engine) use record::{HEADER, Record, Span, lenient_keys};
pub(in crate::engine) use replay::{End, Gap, Replay};
pub(in crate::engine) use segment::{BEGIN, RecordReader, Segment};

use crate::disk_space::is_full;
use crate::error::{Error, Result};
use crate::files::FileSystem;
use bytes::Bytes;
use parking_lot::RwLock;
use record::RecordWriter;
#[cfg(any(fuzzing, test))]
use record::checksum;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Approximate number of segments of a log: few enough to be open at the same time, and enough for each to be cleaned
/// in a short time.
const SEGMENTS: u64 = 64;
/// Maximum size of a segment in bytes, unless a single commit is longer.
const LARGEST: u64 = 1 << 30;
/// Bytes allocated at a time when each record is synced. As long as the file does not grow, a sync takes one write to
/// the disk instead of three.
const ALLOCATED: usize = 1 << 20;
/// Maximum distance in bytes between two values that are read with a single system call, including the bytes between
/// them.
const READ_OVER: u64 = 4 << 10;
/// Maximum number of bytes read at once, unless a single value is longer.
const MAX_READ: u64 = 256 << 10;

/// The location of a value in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) struct Place {
    /// The number of the segment.
    pub segment: u32,
    /// Bytes from the start of the file.
    pub offset: u32,
}

/// A position between two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) struct Position {
    /// The number of the segment.
    pub segment: u32,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// The number of the next record.
    pub next: u64,
}

/// The segments of a log, for reading.
#[derive(Debug)]
pub(in crate::engine) struct Segments {
    files: Arc<dyn FileSystem>,
    dir: PathBuf,
    all: RwLock<BTreeMap<u32, Arc<Segment>>>,
    /// Whether a segment was created since the directory was last synced.
    has_new: AtomicBool,
    /// Whether there may be the file of a segment whose creation failed.
    has_unfinished: AtomicBool,
}

impl Segments {
    /// Opens the segments in an existing directory. Also returns the numbers of files that are named like segments but
    /// have no valid header, in ascending order.
    pub fn open(files: Arc<dyn FileSystem>, dir: &Path) -> Result<(Self, Vec<u32>)> {
        let mut numbers: Vec<u32> = files.names(dir)?.iter().filter_map(|name| number_of(name)).collect();
        numbers.sort_unstable();
        let (mut all, mut unreadable) = (BTreeMap::new(), Vec::new());
        for number in numbers {
            match Segment::open(files.open(&dir.join(name_of(number)))?, number)? {
                Some(segment) => drop(all.insert(number, Arc::new(segment))),
                None => unreadable.push(number),
            }
        }
        let (dir, all) = (dir.to_owned(), RwLock::new(all));
        let (has_new, has_unfinished) = (AtomicBool::new(true), AtomicBool::new(false));
        Ok((Self { files, dir, all, has_new, has_unfinished }, unreadable))
    }

    pub fn path(&self, number: u32) -> PathBuf {
        self.dir.join(name_of(number))
    }

    /// All segments, oldest first.
    pub fn list(&self) -> Vec<Arc<Segment>> {
        self.all.read().values().cloned().collect()
    }

    /// Returns a segment, if it exists.
    pub fn get(&self, number: u32) -> Option<Arc<Segment>> {
        self.all.read().get(&number).cloned()
    }

    /// The next segment that can be cleaned and removed; `None` for a log without segments.
    pub fn oldest(&self) -> Option<Arc<Segment>> {
        self.all.read().values().next().cloned()
    }

    /// Bytes that the records of the log take on the disk, including garbage.
    pub fn bytes(&self) -> u64 {
        self.all.read().values().map(|segment| segment.end()).sum()
    }

    /// Reads one value; `None` if the segment was removed, because its live values are elsewhere now.
    pub fn read(&self, place: Place, len: u32) -> Result<Option<Bytes>> {
        let Some(segment) = self.get(place.segment) else { return Ok(None) };
        self.read_from(&segment, u64::from(place.offset), len as usize).map(Some)
    }

    /// Reads several values, with one system call for neighbouring ones. `None` as for [`read`](Self::read).
    pub fn read_all(&self, places: &[(Place, u32)]) -> Result<Option<Vec<Bytes>>> {
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_unstable_by_key(|at| places[*at].0);
        let mut values = vec![Bytes::new(); places.len()];
        let mut rest = &order[..];
        while let Some(first) = rest.first() {
            let (from, len) = places[*first];
            let (start, mut end) = (u64::from(from.offset), u64::from(from.offset) + u64::from(len));
            let mut count = 1;
            while let Some((next, len)) = rest.get(count).map(|at| places[*at]) {
                let (begin, stop) = (u64::from(next.offset), u64::from(next.offset) + u64::from(len));
                if next.segment != from.segment || begin > end + READ_OVER || stop - start > MAX_READ {
                    break;
                }
                end = end.max(stop);
                count += 1;
            }
            let Some(segment) = self.get(from.segment) else { return Ok(None) };
            let window = self.read_from(&segment, start, (end - start) as usize)?;
            for at in &rest[..count] {
                let (place, len) = places[*at];
                let begin = (u64::from(place.offset) - start) as usize;
                values[*at] = window.slice(begin..begin + len as usize);
            }
            rest = &rest[count..];
        }
        Ok(Some(values))
    }

    fn read_from(&self, segment: &Segment, offset: u64, len: usize) -> Result<Bytes> {
        let mut value = vec![0; len];
        if segment.file.read_at(&mut value, offset)? < len {
            return Err(Error::Corrupt(format!("{} is too short", self.path(segment.number).display())));
        }
        Ok(value.into())
    }

    /// Makes everything durable that was appended before the call.
    pub fn sync(&self) -> Result<()> {
        // Before the segments are listed. A segment that is created from now on is left to the next call.
        let has_new = self.has_new.swap(false, Ordering::AcqRel);
        let synced = self.list().iter().try_for_each(|segment| segment.sync());
        let synced = synced.and_then(|()| if has_new { Ok(self.files.sync_dir(&self.dir)?) } else { Ok(()) });
        if synced.is_err() && has_new {
            self.has_new.store(true, Ordering::Release);
        }
        synced
    }

    /// Whether the creation of a segment failed, and its file may exist. The system may show a header that is not
    /// durable and never will be.
    pub fn has_unfinished(&self) -> bool {
        self.has_unfinished.load(Ordering::Acquire)
    }

    /// Creates a segment for records from this number. A segment whose creation failed before is created again.
    fn create(&self, number: u32, first: u64, power_safe: bool) -> Result<Arc<Segment>> {
        self.has_unfinished.store(true, Ordering::Release);
        let segment = Segment::create(self.files.create(&self.path(number))?, number, first)?;
        if power_safe {
            segment.sync()?;
            self.files.sync_dir(&self.dir)?;
        } else {
            self.has_new.store(true, Ordering::Release);
        }
        let segment = Arc::new(segment);
        self.all.write().insert(number, segment.clone());
        self.has_unfinished.store(false, Ordering::Release);
        Ok(segment)
    }

    /// Takes a segment out of the list, without removing its file.
    pub fn forget(&self, number: u32) {
        self.all.write().remove(&number);
    }

    /// Removes the file of a segment. The removal is durable on return: an older segment must not reappear without a
    /// newer one that contains its deletions.
    pub fn delete(&self, number: u32) -> Result<()> {
        self.forget(number);
        self.files.remove(&self.path(number))?;
        Ok(self.files.sync_dir(&self.dir)?)
    }
}

/// The file name of a segment.
pub(in crate::engine) fn name_of(number: u32) -> String {
    format!("{number:010}.log")
}

fn number_of(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(".log").filter(|digits| digits.len() == 10)?;
    digits.parse().ok()
}

/// How a log is written.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct LogOptions {
    /// Whether each record is durable when [`Log::append`] returns. Otherwise it is durable after [`Segments::sync`].
    pub power_safe: bool,
    /// Minimum size of a segment in bytes before the next one is started.
    pub segment_bytes: u64,
}

/// The end of the log, to which one writer at a time appends.
#[derive(Debug)]
pub(in crate::engine) struct Log {
    segments: Arc<Segments>,
    options: LogOptions,
    active: Arc<Segment>,
    /// Size of the active segment in bytes from which on a new segment is started.
    full: u64,
    /// The length of the active segment's file.
    allocated: u64,
    next: u64,
    writer: RecordWriter,
}

impl Log {
    /// Continues the log at `end`. Creates the segment if it does not exist.
    pub fn new(segments: Arc<Segments>, options: LogOptions, end: Position) -> Result<Self> {
        let active = match segments.get(end.segment) {
            Some(segment) => segment,
            None => segments.create(end.segment, end.next, options.power_safe)?,
        };
        active.set_end(end.offset);
        let allocated = active.file.len()?;
        let mut log = Self {
            segments,
            options,
            active,
            full: 0,
            allocated,
            next: end.next,
            writer: RecordWriter::default(),
        };
        log.full = log.bytes_of_segment();
        Ok(log)
    }

    fn bytes_of_segment(&self) -> u64 {
        (self.segments.bytes() / SEGMENTS).max(self.options.segment_bytes).min(LARGEST)
    }

    /// The position of the next record.
    pub fn position(&self) -> Position {
        Position { segment: self.active.number, offset: self.active.end(), next: self.next }
    }

    /// The salt of the active segment.
    pub fn salt(&self) -> u64 {
        self.active.salt
    }

    /// Appends writes as one record, and stores the span of each value within the record in `spans`. On return the
    /// record survives the end of the process and, if power-safe, a power loss.
    ///
    /// # Errors
    /// `Full` if the disk has no room: the record is not in the log, and another one can be appended. After any other
    /// error it is unknown whether the record is in the log, and nothing may be appended any more.
    pub fn append<'a>(
        &mut self,
        writes: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>,
        spans: &mut Vec<Option<Span>>,
    ) -> Result<Place> {
        if self.active.end() >= self.full {
            self.roll().map_err(full)?;
        }
        self.writer.begin();
        spans.clear();
        spans.extend(writes.map(|(key, value)| self.writer.add(key, value)));
        let record = self.writer.finish(self.active.salt, self.next)?;
        let (at, end) = (self.active.end(), self.active.end() + record.len() as u64);
        let too_long = |_| Error::Invalid("a commit of 4 GiB".into());
        let offset = u32::try_from(end).map_err(too_long)? - record.len() as u32;
        if self.options.power_safe && end > self.allocated {
            let at_once = ALLOCATED.min(self.options.segment_bytes as usize);
            let rest = at_once.max((end - self.allocated) as usize);
            self.active.file.write_at(&vec![0; rest], self.allocated).map_err(|error| full(error.into()))?;
            self.allocated += rest as u64;
        }
        if let Err(error) = self.active.file.write_at(record, at) {
            let error = full(error.into());
            if matches!(error, Error::Full) {
                self.discard_from(at)?;
            }
            return Err(error);
        }
        self.active.set_end(end);
        self.next += 1;
        if self.options.power_safe {
            self.active.sync()?;
        }
        Ok(Place { segment: self.active.number, offset })
    }

    /// Removes what a failed write may have left behind. It must not reappear after a power loss, because the next
    /// record has the same number and may be in the next segment.
    fn discard_from(&mut self, offset: u64) -> Result<()> {
        let discarded = self.active.file.set_len(offset).and_then(|()| self.active.file.sync());
        self.allocated = offset;
        discarded.map_err(|error| Error::Engine(format!("the log could not be cut: {error}")))
    }

    /// Begins a new segment.
    pub fn roll(&mut self) -> Result<()> {
        if self.options.power_safe {
            // Releases space that was allocated and not used.
            self.active.truncate()?;
        }
        self.active = self.segments.create(self.active.number + 1, self.next, self.options.power_safe)?;
        self.allocated = BEGIN;
        self.full = self.bytes_of_segment();
        Ok(())
    }

    /// The segments that this log appends to and reads.
    pub fn segments(&self) -> &Arc<Segments> {
        &self.segments
    }
}

/// Converts the error of an operation that may have found the disk full.
pub(in crate::engine) fn full(error: Error) -> Error {
    match error {
        Error::Io(io) if is_full(&io) => Error::Full,
        other => other,
    }
}
