//! A log: a commit is one record appended here, which is what makes it durable.
//!
//! ```text
//! 0      mark A   "UNDERWAL", epoch, checksum     the newer of the two counts
//! 512    mark B   the same
//! 4096   record   length, checksum, epoch, number, writes
//!        record   ..
//! ```
//!
//! The file is written over from its beginning once what it holds has reached the database. Each
//! time it begins a new epoch, so that records of an earlier one, which may still stand behind
//! the last of this one, do not count. A record that was cut short has a wrong checksum; nothing
//! after it counts either.

use super::Op;
use crate::error::{Error, Result};
use bytes::{Buf, Bytes};
use flate2::Crc;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: &[u8; 8] = b"UNDERWAL";
/// Where the two marks stand.
const MARKS: [u64; 2] = [0, 512];
/// Bytes of a mark: magic, epoch, checksum.
const MARK: usize = 20;
/// Where the records begin.
const BEGIN: u64 = 4096;
/// Bytes that the file has from the start where each record is synced: as long as it need not
/// grow, that takes one write to the disk and not three.
const ROOM: usize = 5 << 20;
/// Bytes before the writes of a record: length, checksum, epoch, number.
const HEAD: usize = 24;

/// See the module.
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

impl Wal {
    /// Opens the log, or makes one; tells the groups of writes that it holds, in order.
    pub fn open(path: &Path, power_safe: bool) -> Result<(Self, Vec<Vec<Op>>)> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let content = Bytes::from(std::fs::read(path)?);
        let marks =
            MARKS.iter().enumerate().filter_map(|(mark, at)| Some((epoch_of(&content, *at as usize)?, mark)));
        // Without a mark it was made just now, or a crash came before the first one was whole.
        let (epoch, mark) = marks.max().unwrap_or_default();
        let mut wal = Self { file, power_safe, mark, epoch, number: 0, end: BEGIN, buffer: Vec::new() };
        let mut rest = content.slice(content.len().min(BEGIN as usize)..);
        if epoch == 0 && rest.iter().any(|byte| *byte != 0) {
            return Err(Error::Corrupt(format!("{} has no mark", path.display())));
        }
        if power_safe && content.len() < ROOM {
            let had = content.len().max(BEGIN as usize);
            wal.file.write_all_at(&vec![0; ROOM - had], had as u64)?;
            wal.file.sync_all()?;
        }
        let mut groups = Vec::new();
        while let Some(ops) = wal.read(&mut rest)? {
            groups.push(ops);
        }
        Ok((wal, groups))
    }

    /// Reads one record; `None` where they end.
    fn read(&mut self, rest: &mut Bytes) -> Result<Option<Vec<Op>>> {
        let Some(head) = rest.get(..HEAD) else { return Ok(None) };
        let (mut head, whole) = (head, rest.clone());
        let (len, sum, epoch, number) =
            (head.get_u32() as usize, head.get_u32(), head.get_u64(), head.get_u64());
        if epoch != self.epoch || number != self.number || rest.len() - HEAD < len {
            return Ok(None);
        }
        if checksum(&[&whole[..4], &whole[8..HEAD + len]]) != sum {
            return Ok(None);
        }
        rest.advance(HEAD + len);
        self.number += 1;
        self.end += (HEAD + len) as u64;
        ops_of(whole.slice(HEAD..HEAD + len)).map(Some)
    }

    /// Appends a group of writes; on return it outlives the process, and, if power-safe, a power
    /// cut.
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
        self.file.write_all_at(buffer, self.end)?;
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

    /// Bytes of records.
    pub fn len(&self) -> u64 {
        self.end - BEGIN
    }

    /// Which epoch the records are of; 0 when none has begun.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Starts over; to be called when the database holds, durably, all that is here.
    pub fn begin_epoch(&mut self, epoch: u64) -> Result<()> {
        let mut mark = Vec::with_capacity(MARK);
        mark.extend_from_slice(MAGIC);
        mark.extend_from_slice(&epoch.to_be_bytes());
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
        assert!(found.is_empty() && wal.epoch() == 0);
        wal.begin_epoch(1).unwrap();
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
            assert_eq!(found, (0..before).map(expected).collect::<Vec<_>>(), "cut at {cut}");
            // What is appended then is found, and nothing of what was cut comes back.
            if wal.epoch() == 0 {
                wal.begin_epoch(1).unwrap();
            }
            append(&mut wal, &group(9));
            let (_, found) = Wal::open(&path, false).unwrap();
            assert_eq!(found.len(), usize::from(before) + 1);
            assert_eq!(found[usize::from(before)], expected(9));
        }
    }

    #[test]
    fn a_bent_byte_ends_the_log_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, false).unwrap();
        wal.begin_epoch(1).unwrap();
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
            assert_eq!(found, (0..sound).map(expected).collect::<Vec<_>>(), "bent at {at}");
        }
    }

    #[test]
    fn records_of_earlier_epochs_do_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("wal");
        let (mut wal, _) = Wal::open(&path, true).unwrap();
        wal.begin_epoch(1).unwrap();
        for epoch in 0..5 {
            for number in 0..5 {
                append(&mut wal, &group(number));
            }
            wal.begin_epoch(wal.epoch() + 1).unwrap();
            assert_eq!(Wal::open(&path, false).unwrap().1, Vec::<Vec<Op>>::new(), "epoch {epoch}");
            append(&mut wal, &group(7));
            assert_eq!(Wal::open(&path, false).unwrap().1, [expected(7)]);
            wal.begin_epoch(wal.epoch() + 1).unwrap();
        }
        // With the newer mark cut short, the older one counts: the checkpoint did not take place.
        append(&mut wal, &group(3));
        wal.begin_epoch(wal.epoch() + 1).unwrap();
        let mut content = std::fs::read(&path).unwrap();
        let place = MARKS[wal.mark] as usize;
        content[place + 10] ^= 1;
        std::fs::write(&path, &content).unwrap();
        assert_eq!(Wal::open(&path, false).unwrap().1, [expected(3)]);
    }
}
