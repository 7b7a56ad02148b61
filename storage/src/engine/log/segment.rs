//! A segment: one file of the log.
//!
//! ```text
//! 0    "UNDERLOG", version (4 bytes), number of the segment (4), number of its first record (8), salt (8), checksum (4)
//! 64   records ..
//! ```

use super::record::{HEADER, Header, Record};
use crate::error::{Error, Result};
use crate::files::RandomAccessFile;
use bytes::Bytes;
use flate2::Crc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"UNDERLOG";
const VERSION: u32 = 1;
/// Length in bytes of the used part of the header.
const WRITTEN: usize = 36;
/// Offset of the first record.
pub(in crate::engine) const BEGIN: u64 = 64;
/// Bytes that are read at once.
const WINDOW: usize = 1 << 20;

/// A file of the log, with records of consecutive numbers.
#[derive(Debug)]
pub(in crate::engine) struct Segment {
    /// Segments are numbered consecutively from 1.
    pub number: u32,
    /// The number of its first record, whether or not that record exists.
    pub first: u64,
    pub salt: u64,
    pub file: Arc<dyn RandomAccessFile>,
    /// Where the next record would go, in bytes from the start of the file.
    end: AtomicU64,
    /// How many of these bytes are durable.
    synced: AtomicU64,
    /// Whether a sync has failed.
    has_failed: AtomicBool,
}

impl Segment {
    /// Creates a new segment by writing its header.
    pub fn create(file: Arc<dyn RandomAccessFile>, number: u32, first: u64) -> Result<Self> {
        let salt = uuid::Uuid::new_v4().as_u64_pair().1;
        let (end, synced) = (AtomicU64::new(BEGIN), AtomicU64::new(0));
        let segment = Self { number, first, salt, file, end, synced, has_failed: AtomicBool::new(false) };
        segment.write_header()?;
        Ok(segment)
    }

    /// Writes magic, version, numbers, salt and checksum at the start of the file.
    pub fn write_header(&self) -> Result<()> {
        Ok(self.file.write_at(&Self::header(self.number, self.first, self.salt), 0)?)
    }

    /// The encoded header: the bytes before the first record.
    pub(super) fn header(number: u32, first: u64, salt: u64) -> Vec<u8> {
        let mut header = Vec::with_capacity(BEGIN as usize);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_be_bytes());
        header.extend_from_slice(&number.to_be_bytes());
        header.extend_from_slice(&first.to_be_bytes());
        header.extend_from_slice(&salt.to_be_bytes());
        let sum = checksum(&header);
        header.extend_from_slice(&sum.to_be_bytes());
        header.resize(BEGIN as usize, 0);
        header
    }

    /// Reads the header; `None` if it is not a valid header of this segment. Its [`end`](Self::end) is the end of the
    /// file.
    ///
    /// # Errors
    /// `Invalid` if a later version of this program wrote it.
    pub fn open(file: Arc<dyn RandomAccessFile>, number: u32) -> Result<Option<Self>> {
        let mut header = [0; WRITTEN];
        if file.read_at(&mut header, 0)? < WRITTEN || !header.starts_with(MAGIC) {
            return Ok(None);
        }
        let (covered, sum) = header.split_at(WRITTEN - 4);
        if checksum(covered).to_be_bytes() != *sum {
            return Ok(None);
        }
        let integer =
            |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let long = |at: usize| u64::from(integer(at)) << 32 | u64::from(integer(at + 4));
        if integer(8) != VERSION {
            return Err(Error::Invalid(format!(
                "the log has version {}, and this version reads version 1",
                integer(8)
            )));
        }
        if integer(12) != number {
            return Ok(None);
        }
        let end = AtomicU64::new(file.len()?.max(BEGIN));
        let (first, salt) = (long(16), long(24));
        let (synced, has_failed) = (AtomicU64::new(0), AtomicBool::new(false));
        Ok(Some(Self { number, first, salt, file, end, synced, has_failed }))
    }

    /// The offset at which the next record would be written.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    /// Sets the offset at which the records end.
    pub fn set_end(&self, end: u64) {
        self.end.store(end, Ordering::Release);
    }

    /// Truncates the file after the last record.
    pub fn truncate(&self) -> Result<()> {
        let end = self.end();
        if self.file.len()? > end {
            self.file.set_len(end)?;
        }
        Ok(())
    }

    /// Makes the content of the segment durable, if it is not.
    ///
    /// # Errors
    /// The error of the file, and `Engine` for every later call. After a failed sync, the system considers the
    /// unwritten data durable, so the next sync would succeed without it.
    pub fn sync(&self) -> Result<()> {
        let end = self.end();
        if self.has_failed.load(Ordering::Acquire) {
            return Err(Error::Engine(format!("segment {} of the log could not be synced", self.number)));
        }
        if self.synced.load(Ordering::Acquire) < end {
            self.file.sync().inspect_err(|_| self.has_failed.store(true, Ordering::Release))?;
            self.synced.fetch_max(end, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Reads its records from an offset.
    pub fn records(self: &Arc<Self>, from: u64) -> RecordReader {
        RecordReader { segment: self.clone(), at: from, damage: from, window: Bytes::new() }
    }
}

fn checksum(header: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(header);
    crc.sum()
}

/// Reads the records of a segment one after the other.
#[derive(Debug)]
pub(in crate::engine) struct RecordReader {
    segment: Arc<Segment>,
    /// The offset of the next record.
    at: u64,
    damage: u64,
    /// Bytes of the file from `at`.
    window: Bytes,
}

impl RecordReader {
    /// The offset of the next record, if there is one.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Reads the next record and its offset; `None` if it cannot be read.
    pub fn next(&mut self) -> Result<Option<(u64, Record)>> {
        let Some(header) = self.header()? else { return Ok(None) };
        self.fill(header.len)?;
        let Some(record) = Record::read(self.segment.salt, &self.window) else { return Ok(None) };
        let at = self.at;
        self.skip(record.len());
        Ok(Some((at, record)))
    }

    /// Reads the next readable record and its offset, skipping unreadable ones.
    pub fn next_readable(&mut self) -> Result<Option<(u64, Record)>> {
        if let Some(found) = self.next()? {
            return Ok(Some(found));
        }
        self.damage = self.at;
        loop {
            self.skip(1);
            if !self.seek(0)? {
                return Ok(None);
            }
            if let Some(found) = self.next()? {
                return Ok(Some(found));
            }
        }
    }

    /// The offset at which the last record began that [`next_readable`](Self::next_readable) skipped.
    pub fn last_damage(&self) -> u64 {
        self.damage
    }

    /// Returns up to `most` bytes from the next record, without moving on.
    pub fn peek(&mut self, most: usize) -> Result<Bytes> {
        self.fill(most)?;
        Ok(self.window.slice(..most.min(self.window.len())))
    }

    /// Reads the header of the next record, if it is readable, without moving on.
    pub fn header(&mut self) -> Result<Option<Header>> {
        self.fill(HEADER)?;
        Ok(Header::read(self.segment.salt, &self.window))
    }

    /// Moves back to the start of the last record that was read.
    pub fn back(&mut self, bytes: usize) {
        self.at -= bytes as u64;
        self.window = Bytes::new();
    }

    /// The segment being read.
    pub fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// Skips bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes as u64;
        self.window = if bytes < self.window.len() { self.window.slice(bytes..) } else { Bytes::new() };
    }

    /// Moves to the next offset at which a record may begin: its header has a valid checksum, and its number is at
    /// least `least`. Returns whether there is one.
    pub fn seek(&mut self, least: u64) -> Result<bool> {
        let end = self.segment.end();
        while self.at + HEADER as u64 <= end {
            self.fill(WINDOW)?;
            let salt = self.segment.salt;
            let found = (0..self.window.len()).find(|at| {
                let rest = &self.window[*at..];
                // Most bytes that are not a record are zeros or have another number.
                rest.len() >= HEADER
                    && rest[..12] != [0; 12]
                    && Header::read(salt, rest).is_some_and(|header| header.number >= least)
            });
            match found {
                Some(at) => {
                    self.skip(at);
                    return Ok(true);
                }
                None if self.window.len() < HEADER => break,
                None => self.skip(self.window.len() - HEADER + 1),
            }
        }
        Ok(false)
    }

    /// Reads until the window has this many bytes, or the segment ends.
    fn fill(&mut self, bytes: usize) -> Result<()> {
        let rest = self.segment.end().saturating_sub(self.at);
        let wanted = bytes.min(usize::try_from(rest).unwrap_or(usize::MAX));
        if self.window.len() >= wanted {
            return Ok(());
        }
        let len = wanted.max(WINDOW.min(usize::try_from(rest).unwrap_or(usize::MAX)));
        let mut buffer = vec![0; len];
        let read = self.segment.file.read_at(&mut buffer, self.at)?;
        buffer.truncate(read);
        self.window = buffer.into();
        Ok(())
    }
}
