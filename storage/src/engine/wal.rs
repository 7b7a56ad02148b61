//! A log: a commit is one record appended here, which is what makes it durable.
//!
//! ```text
//! 0      mark A   "UNDERWAL", epoch, checksum, records of the epoch before, checksum
//! 512    mark B   the same; the newer of the two counts
//! 4096   record   length, checksum, epoch, number, writes
//!        record   ..
//! ```
//!
//! The file is overwritten from the beginning once its content has reached the database. Each time it starts a new
//! epoch, so records of an earlier epoch, which may remain behind the last record of this one, are ignored.
//!
//! An unreadable record with nothing readable of the same epoch behind it is a torn tail: the process or the machine
//! stopped while it was written. An unreadable record with readable ones behind it is damage, and is reported.

use super::Op;
use crate::error::{Error, Result};
use crate::room::is_full;
use bytes::{Buf, Bytes};
use flate2::Crc;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The names of the logs in its folder.
pub(super) const LOGS: [&str; 2] = ["log.0", "log.1"];

const MAGIC: &[u8; 8] = b"UNDERWAL";
/// Offsets of the two marks.
const MARKS: [u64; 2] = [0, 512];
/// Bytes of the first part of a mark: magic, epoch, checksum.
const MARK: usize = 20;
/// Bytes of the second part of a mark, which older versions did not write: record count, checksum.
const BEFORE: usize = 12;
/// Stands for a number of records that does not matter.
const UNKNOWN: u64 = u64::MAX;
/// Offset of the first record.
pub(super) const BEGIN: u64 = 4096;
/// Bytes allocated from the start when each record is synced: as long as the file need not grow, a sync takes one
/// write to the disk and not three.
const ROOM: usize = 5 << 20;
/// Bytes before the writes of a record: length, checksum, epoch, number.
const HEAD: usize = 24;

pub(super) struct Wal {
    file: File,
    /// Whether each record has to reach the disk before it counts.
    power_safe: bool,
    /// Which of the two marks counts.
    mark: usize,
    epoch: u64,
    /// The number of the next record of this epoch.
    number: u64,
    /// Where the next record goes.
    end: u64,
    /// Kept between records, to save allocations.
    buffer: Vec<u8>,
}

/// What a log held when it was opened.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The writes of each readable record before any damage, in order.
    pub groups: Vec<Vec<Op>>,
    /// Whether the file has a readable mark. A log that was never used has none in folders of older versions.
    pub is_marked: bool,
    /// Whether the mark has its second part. Both logs are marked then.
    pub is_complete: bool,
    /// How many records the epoch before this one had; `None` where that does not matter or is not known.
    pub before: Option<u64>,
    /// What makes the log unusable as it is.
    pub damage: Option<Damage>,
}

/// Damage in the middle of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// Both marks are unreadable, or the newer one is, while there are records of a newer epoch than the mark has.
    Mark,
    /// A record cannot be read, and there are readable ones of the same epoch behind it.
    Record {
        /// Where it begins, in bytes from the start of the file.
        offset: u64,
        /// Its number in the epoch; it and all behind it cannot be applied.
        number: u64,
        /// Writes of readable records behind it.
        behind: Vec<Vec<Op>>,
        /// The number of the last record that was found.
        last: u64,
    },
}

/// A record at some place in a file.
struct Record {
    epoch: u64,
    number: u64,
    /// Bytes of the whole record.
    len: usize,
    ops: Bytes,
}

impl Record {
    /// The record at the beginning of `bytes`; `None` where there is no whole one.
    fn at(bytes: &Bytes) -> Option<Self> {
        let mut head = bytes.get(..HEAD)?;
        let (len, sum) = (head.get_u32() as usize, head.get_u32());
        let (epoch, number) = (head.get_u64(), head.get_u64());
        let content = bytes.get(8..HEAD.checked_add(len)?)?;
        let is_whole = checksum(&[&bytes[..4], content]) == sum;
        is_whole.then(|| Self { epoch, number, len: HEAD + len, ops: bytes.slice(HEAD..HEAD + len) })
    }
}

impl Wal {
    /// Opens the log, or makes one. Damage is in what is returned, and nothing behind it counts.
    ///
    /// # Errors
    /// The file cannot be read or written, or a record with a right checksum makes no sense.
    pub fn open(path: &Path, power_safe: bool) -> Result<(Self, Content)> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let bytes = Bytes::from(std::fs::read(path)?);
        let marks = MARKS.iter().enumerate();
        let newest = marks.filter_map(|(mark, at)| Some((epoch_of(&bytes, *at as usize)?, mark))).max();
        let (epoch, mark) = newest.unwrap_or_default();
        let before = newest.and_then(|(_, mark)| before_of(&bytes, MARKS[mark] as usize));
        let mut content = Content {
            is_marked: newest.is_some(),
            is_complete: before.is_some(),
            before: before.filter(|before| *before != UNKNOWN),
            ..Content::default()
        };
        let mut wal = Self { file, power_safe, mark, epoch, number: 0, end: BEGIN, buffer: Vec::new() };
        let rest = bytes.slice(bytes.len().min(BEGIN as usize)..);
        // A mark is written before the first record of its epoch.
        if let Some(first) = Record::at(&rest).filter(|first| first.number == 0 && first.epoch > epoch) {
            (wal.epoch, content.before) = (first.epoch, None);
            content.damage = Some(Damage::Mark);
        } else if newest.is_none() && rest.iter().any(|byte| *byte != 0) {
            content.damage = Some(Damage::Mark);
        }
        if power_safe && bytes.len() < ROOM {
            let had = bytes.len().max(BEGIN as usize);
            wal.file.write_all_at(&vec![0; ROOM - had], had as u64)?;
            wal.file.sync_all()?;
        }
        let mut at = 0;
        while let Some(record) = Record::at(&rest.slice(at..)) {
            if record.epoch != wal.epoch || record.number != wal.number {
                break;
            }
            at += record.len;
            content.groups.push(ops_of(record.ops)?);
            wal.number += 1;
        }
        wal.end += at as u64;
        if content.damage.is_none() {
            content.damage = wal.behind(rest.slice(at..))?;
        }
        Ok((wal, content))
    }

    /// Looks for readable records of this epoch behind the end.
    fn behind(&self, rest: Bytes) -> Result<Option<Damage>> {
        if self.epoch == 0 {
            return Ok(None);
        }
        let epoch = self.epoch.to_be_bytes();
        // The shortest records there could be give the highest number that could follow.
        let numbers = self.number..self.number + (rest.len() / HEAD) as u64 + 1;
        let (mut behind, mut last, mut at) = (Vec::new(), self.number, 0);
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
        let damage = Damage::Record { offset: self.end, number: self.number, behind, last };
        let is_torn_tail = matches!(&damage, Damage::Record { behind, .. } if behind.is_empty());
        Ok((!is_torn_tail).then_some(damage))
    }

    /// Appends a group of writes; on return it outlives the process, and, if power-safe, a power
    /// cut.
    ///
    /// # Errors
    /// `Full` where the disk has no room: the group is not in the log, and another one can be tried. After any other
    /// error it is unknown whether the group is in the log, which accepts no more.
    pub fn append<'a>(&mut self, ops: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>) -> Result<()> {
        let buffer = &mut self.buffer;
        buffer.clear();
        buffer.extend_from_slice(&[0; 8]);
        buffer.extend_from_slice(&self.epoch.to_be_bytes());
        buffer.extend_from_slice(&self.number.to_be_bytes());
        for (key, value) in ops {
            buffer.push(u8::from(value.is_some()));
            for piece in [Some(key), value].into_iter().flatten() {
                buffer.extend_from_slice(&(piece.len() as u32).to_be_bytes());
                buffer.extend_from_slice(piece);
            }
        }
        let len =
            u32::try_from(buffer.len() - HEAD).map_err(|_| Error::Invalid("a commit over 4 GiB".into()))?;
        buffer[..4].copy_from_slice(&len.to_be_bytes());
        let sum = checksum(&[&buffer[..4], &buffer[8..]]);
        buffer[4..8].copy_from_slice(&sum.to_be_bytes());
        if let Err(error) = self.file.write_all_at(buffer, self.end) {
            // What was written of it is not whole, and is overwritten by the next one.
            return Err(if is_full(&error) { Error::Full } else { error.into() });
        }
        if self.power_safe {
            self.file.sync_data()?;
        }
        self.end += self.buffer.len() as u64;
        self.number += 1;
        // A rare large one does not stay in memory.
        self.buffer.shrink_to(1 << 20);
        Ok(())
    }

    /// Lets every further write fail.
    #[cfg(test)]
    pub fn break_it(&mut self) {
        self.file = File::open("/dev/null").unwrap();
    }

    /// Lets every further write find the disk full.
    #[cfg(test)]
    pub fn fill_disk(&mut self) -> File {
        let full = File::options().write(true).open("/dev/full").unwrap();
        std::mem::replace(&mut self.file, full)
    }

    /// Writes to this file again.
    #[cfg(test)]
    pub fn go_on_in(&mut self, file: File) {
        self.file = file;
    }

    /// Length of all records in bytes.
    pub fn len(&self) -> u64 {
        self.end - BEGIN
    }

    /// Which epoch the records are of; 0 when none has begun.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many records there are of this epoch.
    pub fn records(&self) -> u64 {
        self.number
    }

    /// Starts over; to be called when the database holds, durably, all that is here. `before` is the number of records
    /// of the epoch before, if that one is not in the database yet: without all of them nothing of this epoch counts.
    pub fn begin_epoch(&mut self, epoch: u64, before: Option<u64>) -> Result<()> {
        let mut mark = Vec::with_capacity(MARK + BEFORE);
        mark.extend_from_slice(MAGIC);
        mark.extend_from_slice(&epoch.to_be_bytes());
        mark.extend_from_slice(&checksum(&[&mark]).to_be_bytes());
        mark.extend_from_slice(&before.unwrap_or(UNKNOWN).to_be_bytes());
        mark.extend_from_slice(&checksum(&[&mark]).to_be_bytes());
        // The other mark stays whole if this one is cut short.
        self.mark = 1 - self.mark;
        self.file.write_all_at(&mark, MARKS[self.mark])?;
        if self.power_safe {
            self.file.sync_data()?;
        }
        self.epoch = epoch;
        (self.number, self.end) = (0, BEGIN);
        Ok(())
    }

    /// Makes the file and its content outlive a power cut.
    pub fn sync(&self) -> Result<()> {
        Ok(self.file.sync_all()?)
    }
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

#[cfg(fuzzing)]
pub mod fuzzing {
    //! Opens logs of any content.

    use super::*;

    /// A log whose marks and records have right checksums. `input` is a sequence of: epoch, number, length and so many
    /// bytes of writes; the first two bytes are the epochs of the marks.
    pub fn sealed(input: &[u8]) -> Vec<u8> {
        let mut log = vec![0; BEGIN as usize];
        let [first, second, rest @ ..] = input else { return log };
        let mut rest: &[u8] = rest;
        for (at, epoch) in MARKS.iter().zip([first, second]) {
            let mut mark = MAGIC.to_vec();
            mark.extend(u64::from(*epoch).to_be_bytes());
            mark.extend(checksum(&[&mark]).to_be_bytes());
            mark.extend(UNKNOWN.to_be_bytes());
            mark.extend(checksum(&[&mark]).to_be_bytes());
            log[*at as usize..*at as usize + mark.len()].copy_from_slice(&mark);
        }
        while let [epoch, number, len, more @ ..] = rest {
            let (ops, more) = more.split_at(more.len().min(usize::from(*len)));
            let len = (ops.len() as u32).to_be_bytes();
            let content = [&u64::from(*epoch).to_be_bytes(), &u64::from(*number).to_be_bytes(), ops].concat();
            log.extend(len);
            log.extend(checksum(&[&len, &content]).to_be_bytes());
            log.extend(content);
            rest = more;
        }
        log
    }

    /// Opens a log at `path` with this content.
    ///
    /// # Panics
    /// If a write that is appended to an undamaged log is not found when it is opened again.
    pub fn open(path: &Path, content: &[u8]) {
        std::fs::write(path, content).expect("a temporary file is written");
        let Ok((mut wal, mut read)) = Wal::open(path, false) else { return };
        if read.damage.is_some() {
            return;
        }
        // No epoch has begun: the first one starts over. It is one that no record of a sealed log has.
        if wal.epoch() == 0 {
            wal.begin_epoch(1 << 8, None).expect("a mark is written");
            read.groups.clear();
        }
        wal.append([(&b"key"[..], Some(&b"value"[..]))].into_iter()).expect("a record is written");
        let (_, again) = Wal::open(path, false).expect("a log that was opened is opened again");
        assert_eq!(again.groups.len(), read.groups.len() + 1);
        assert_eq!(again.groups[..read.groups.len()], read.groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Write = (Vec<u8>, Option<Vec<u8>>);

    fn append(wal: &mut Wal, ops: &[Write]) {
        wal.append(ops.iter().map(|(key, value)| (&key[..], value.as_deref()))).unwrap();
    }

    fn group(number: u8) -> Vec<Write> {
        vec![(vec![number], Some(vec![number; 100])), (vec![b'x', number], None)]
    }

    fn expected(number: u8) -> Vec<Op> {
        let put = |(key, value): Write| match value {
            Some(value) => Op::Put(key.into(), value.into()),
            None => Op::Delete(key.into()),
        };
        group(number).into_iter().map(put).collect()
    }

    #[test]
    fn a_log_cut_anywhere_holds_the_records_before_the_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let mut ends = vec![BEGIN];
        let (mut wal, found) = Wal::open(&path, false).unwrap();
        assert!(found.groups.is_empty() && !found.is_marked && wal.epoch() == 0);
        wal.begin_epoch(1, None).unwrap();
        for number in 0..4 {
            append(&mut wal, &group(number));
            ends.push(wal.end);
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut wal, found) = match Wal::open(&path, false) {
                Ok(opened) => opened,
                Err(error) => panic!("cut at {cut}: {error}"),
            };
            let before = ends.iter().filter(|end| **end <= cut as u64).count().saturating_sub(1) as u8;
            assert_eq!(found.groups, (0..before).map(expected).collect::<Vec<_>>(), "cut at {cut}");
            assert_eq!(found.damage, None, "a torn tail is no damage: cut at {cut}");
            // What is appended then is found, and nothing of what was cut comes back.
            if wal.epoch() == 0 {
                wal.begin_epoch(1, None).unwrap();
            }
            append(&mut wal, &group(9));
            let found = Wal::open(&path, false).unwrap().1.groups;
            assert_eq!(found.len(), usize::from(before) + 1);
            assert_eq!(found[usize::from(before)], expected(9));
        }
    }

    #[test]
    fn a_bent_byte_is_damage_unless_it_is_in_the_last_record() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, false).unwrap();
        wal.begin_epoch(1, None).unwrap();
        let mut ends = vec![BEGIN];
        for number in 0..3 {
            append(&mut wal, &group(number));
            ends.push(wal.end);
        }
        let whole = std::fs::read(&path).unwrap();
        for at in BEGIN as usize..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bent).unwrap();
            let (_, found) = Wal::open(&path, false).unwrap();
            let sound = ends.iter().filter(|end| **end <= at as u64).count() as u8 - 1;
            assert_eq!(found.groups, (0..sound).map(expected).collect::<Vec<_>>(), "bent at {at}");
            let damage = (sound < 2).then(|| Damage::Record {
                offset: ends[usize::from(sound)],
                number: sound.into(),
                behind: (sound + 1..3).map(expected).collect(),
                last: 2,
            });
            assert_eq!(found.damage, damage, "bent at {at}");
        }
    }

    #[test]
    fn a_bent_mark_is_damage_where_records_of_its_epoch_exist() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, false).unwrap();
        wal.begin_epoch(1, None).unwrap();
        append(&mut wal, &group(1));
        wal.begin_epoch(3, Some(7)).unwrap();
        append(&mut wal, &group(3));
        assert_eq!(Wal::open(&path, false).unwrap().1.before, Some(7));
        let mut content = std::fs::read(&path).unwrap();
        content[MARKS[wal.mark] as usize + 10] ^= 1;
        std::fs::write(&path, &content).unwrap();
        let (opened, found) = Wal::open(&path, false).unwrap();
        assert_eq!(found.damage, Some(Damage::Mark));
        // A repair can go by the records.
        assert_eq!((opened.epoch(), found.groups), (3, vec![expected(3)]));
        // Without any mark, there is nothing to go by but the records either.
        content[MARKS[1 - wal.mark] as usize + 10] ^= 1;
        std::fs::write(&path, &content).unwrap();
        let (_, found) = Wal::open(&path, false).unwrap();
        assert_eq!((found.damage, found.is_marked), (Some(Damage::Mark), false));
    }

    #[test]
    fn a_full_disk_leaves_the_log_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, false).unwrap();
        wal.begin_epoch(1, None).unwrap();
        append(&mut wal, &group(1));
        let file = wal.fill_disk();
        let one = group(2);
        let refused = wal.append(one.iter().map(|(key, value)| (&key[..], value.as_deref())));
        assert!(matches!(refused, Err(Error::Full)), "{refused:?}");
        wal.go_on_in(file);
        append(&mut wal, &group(3));
        assert_eq!(Wal::open(&path, false).unwrap().1.groups, [expected(1), expected(3)]);
    }

    #[test]
    fn records_of_earlier_epochs_do_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, true).unwrap();
        wal.begin_epoch(1, None).unwrap();
        for epoch in 0..5 {
            for number in 0..5 {
                append(&mut wal, &group(number));
            }
            wal.begin_epoch(wal.epoch() + 1, None).unwrap();
            assert_eq!(Wal::open(&path, false).unwrap().1.groups, Vec::<Vec<Op>>::new(), "epoch {epoch}");
            append(&mut wal, &group(7));
            assert_eq!(Wal::open(&path, false).unwrap().1.groups, [expected(7)]);
            wal.begin_epoch(wal.epoch() + 1, None).unwrap();
        }
        // With the newer mark cut short, the older one counts: the checkpoint did not take place.
        append(&mut wal, &group(3));
        wal.begin_epoch(wal.epoch() + 1, None).unwrap();
        let mut content = std::fs::read(&path).unwrap();
        let place = MARKS[wal.mark] as usize;
        content[place + 10] ^= 1;
        std::fs::write(&path, &content).unwrap();
        assert_eq!(Wal::open(&path, false).unwrap().1.groups, [expected(3)]);
    }
}
