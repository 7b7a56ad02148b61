//! Reads a log of version 1.
//!
//! ```text
//! 0      mark A   "UNDERWAL", epoch, checksum, records of the epoch before, checksum
//! 512    mark B   the same; the newer of the two is valid
//! 4096   record   length, checksum, epoch, number, writes
//!        record   ..
//! ```
//!
//! The file was overwritten from the beginning once its content was in the database. Each time it started a new epoch,
//! so records of an earlier epoch, which may remain after the last record of the current one, are ignored.
//!
//! An unreadable record with nothing readable of the same epoch after it is a torn tail: the process or the machine
//! stopped while it was written. An unreadable record with readable ones after it is damage, and is reported.

use crate::engine::Op;
use crate::error::{Error, Result};
use crate::files::{self, FileSystem};
use bytes::{Buf, Bytes};
use flate2::Crc;
use std::path::Path;

/// The names of the logs in their directory.
pub(super) const LOGS: [&str; 2] = ["log.0", "log.1"];

const MAGIC: &[u8; 8] = b"UNDERWAL";
/// Offsets of the two marks.
const MARKS: [u64; 2] = [0, 512];
/// Bytes of the first part of a mark: magic, epoch, checksum.
const MARK: usize = 20;
/// Bytes of the second part of a mark, which older versions did not write: record count, checksum.
const BEFORE: usize = 12;
/// Represents an irrelevant number of records.
const UNKNOWN: u64 = u64::MAX;
/// Offset of the first record.
const BEGIN: u64 = 4096;
/// Bytes before the writes of a record: length, checksum, epoch, number.
const HEAD: usize = 24;

/// The content of a log when it was opened.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The epoch of the records; 0 if none had begun.
    pub epoch: u64,
    /// The writes of each readable record before any damage, in order.
    pub groups: Vec<Vec<Op>>,
    /// Whether the file has a readable mark. A log that was never used has none in folders of older versions.
    pub is_marked: bool,
    /// Whether the mark has its second part. In that case both logs are marked.
    pub is_complete: bool,
    /// Number of records in the previous epoch; `None` if it is irrelevant or unknown.
    pub before: Option<u64>,
    /// Damage that makes the log unusable as it is.
    pub damage: Option<Damage>,
}

/// Damage in the middle of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// Both marks are unreadable, or the newer one is, while there are records of a newer epoch than that of the
    /// readable mark.
    Mark,
    /// A record cannot be read, and there are readable ones of the same epoch after it.
    Record {
        /// Its offset, in bytes from the start of the file.
        offset: u64,
        /// Its number in the epoch. It and all later records cannot be applied.
        number: u64,
        /// Writes of readable records after it.
        behind: Vec<Vec<Op>>,
        /// The number of the last record that was found.
        last: u64,
    },
}

/// A record at an offset of a file.
struct Record {
    epoch: u64,
    number: u64,
    /// Length of the whole record in bytes.
    len: usize,
    ops: Bytes,
}

impl Record {
    /// Decodes the record at the beginning of `bytes`; `None` if there is no complete one.
    fn at(bytes: &Bytes) -> Option<Self> {
        let mut head = bytes.get(..HEAD)?;
        let (len, sum) = (head.get_u32() as usize, head.get_u32());
        let (epoch, number) = (head.get_u64(), head.get_u64());
        let content = bytes.get(8..HEAD.checked_add(len)?)?;
        let is_whole = checksum(&[&bytes[..4], content]) == sum;
        is_whole.then(|| Self { epoch, number, len: HEAD + len, ops: bytes.slice(HEAD..HEAD + len) })
    }
}

impl Content {
    /// Reads a log. Damage is reported in the result, and records after it are not part of `groups`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if a record with a valid checksum has an unknown form.
    pub fn read(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let bytes = Bytes::from(files::read(files, path)?);
        let marks = MARKS.iter().enumerate();
        let newest = marks.filter_map(|(mark, at)| Some((epoch_of(&bytes, *at as usize)?, mark))).max();
        let (epoch, _) = newest.unwrap_or_default();
        let before = newest.and_then(|(_, mark)| before_of(&bytes, MARKS[mark] as usize));
        let mut content = Self {
            epoch,
            is_marked: newest.is_some(),
            is_complete: before.is_some(),
            before: before.filter(|before| *before != UNKNOWN),
            ..Self::default()
        };
        let rest = bytes.slice(bytes.len().min(BEGIN as usize)..);
        // A mark was written before the first record of its epoch.
        if let Some(first) = Record::at(&rest).filter(|first| first.number == 0 && first.epoch > epoch) {
            (content.epoch, content.before) = (first.epoch, None);
            content.damage = Some(Damage::Mark);
        } else if newest.is_none() && rest.iter().any(|byte| *byte != 0) {
            content.damage = Some(Damage::Mark);
        }
        let (mut at, mut number) = (0, 0);
        while let Some(record) = Record::at(&rest.slice(at..)) {
            if record.epoch != content.epoch || record.number != number {
                break;
            }
            at += record.len;
            content.groups.push(ops_of(record.ops)?);
            number += 1;
        }
        if content.damage.is_none() && content.epoch > 0 {
            content.damage = behind(content.epoch, number, BEGIN + at as u64, &rest.slice(at..))?;
        }
        Ok(content)
    }
}

/// Searches for readable records of an epoch after its end, which is at an offset of the file.
fn behind(epoch: u64, number: u64, offset: u64, rest: &Bytes) -> Result<Option<Damage>> {
    let epoch = epoch.to_be_bytes();
    // The shortest possible records give the highest number that could follow.
    let numbers = number..number + (rest.len() / HEAD) as u64 + 1;
    let (mut behind, mut last, mut at) = (Vec::new(), number, 0);
    while at + HEAD <= rest.len() {
        let found = (rest[at + 15] == epoch[7] && rest[at + 8..at + 16] == epoch)
            .then(|| Record::at(&rest.slice(at..)))
            .flatten()
            .filter(|record| record.number >= last && numbers.contains(&record.number));
        let Some(record) = found else {
            at += 1;
            continue;
        };
        at += record.len;
        last = record.number;
        behind.push(ops_of(record.ops)?);
    }
    let is_torn_tail = behind.is_empty();
    Ok((!is_torn_tail).then_some(Damage::Record { offset, number, behind, last }))
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut crc = Crc::new();
    parts.iter().for_each(|part| crc.update(part));
    crc.sum()
}

fn epoch_of(content: &[u8], at: usize) -> Option<u64> {
    let mark = content.get(at..at + MARK)?;
    let sum = u32::from_be_bytes(*mark.last_chunk()?);
    let is_whole = mark.starts_with(MAGIC) && checksum(&[&mark[..16]]) == sum;
    is_whole.then(|| (&mark[8..16]).get_u64())
}

fn before_of(content: &[u8], at: usize) -> Option<u64> {
    let mark = content.get(at..at + MARK + BEFORE)?;
    let (covered, sum) = mark.split_last_chunk()?;
    let before = u64::from_be_bytes(*covered.last_chunk()?);
    (checksum(&[covered]) == u32::from_be_bytes(*sum)).then_some(before)
}

fn ops_of(mut bytes: Bytes) -> Result<Vec<Op>> {
    let damaged = || Error::Corrupt("a record of the write-ahead log".into());
    let piece = |bytes: &mut Bytes| {
        let len = bytes.try_get_u32().map_err(|_| damaged())? as usize;
        if bytes.len() < len { Err(damaged()) } else { Ok(bytes.split_to(len)) }
    };
    let mut ops = Vec::new();
    while !bytes.is_empty() {
        let has_value = bytes.get_u8() == 1;
        let key = piece(&mut bytes)?;
        ops.push(if has_value { Op::Put(key, piece(&mut bytes)?) } else { Op::Delete(key) });
    }
    Ok(ops)
}
