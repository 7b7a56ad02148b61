//! Records: the encoded commits of a group, as stored in a segment.
//!
//! ```text
//! record   length of the operations (4 bytes), number (8), checksum of these (4), checksum of the operations (4),
//!          operations ..
//! put      1, length of the key (varint), key, length of the value (varint), value
//! delete   0, length of the key (varint), key
//! ```
//!
//! Integers of fixed width are big-endian. Both checksums begin with the salt of the segment, so that a value that a
//! client stores can never be mistaken for a record. The header has its own checksum, so that a search for records
//! after damage costs little for each offset without one.

use super::segment::RecordReader;
use crate::engine::varint;
use crate::error::{Error, Result};
use bytes::Bytes;
use flate2::Crc;

/// Length of the header before the operations.
pub(in crate::engine) const HEADER: usize = 20;

const DELETE: u8 = 0;
const PUT: u8 = 1;

/// The location of a value within its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Span {
    /// Bytes from the start of the record.
    pub offset: u32,
    /// The length in bytes.
    pub len: u32,
}

/// Encodes records in one buffer.
#[derive(Debug, Default)]
pub(in crate::engine) struct RecordWriter {
    buffer: Vec<u8>,
}

impl RecordWriter {
    /// Discards the previous content and reserves space for the header.
    pub fn begin(&mut self) {
        // The buffer of a rare large record is not kept in memory.
        self.buffer.shrink_to(1 << 20);
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; HEADER]);
    }

    /// Adds an operation, and returns the location of its value.
    pub fn add(&mut self, key: &[u8], value: Option<&[u8]>) -> Option<Span> {
        self.buffer.push(if value.is_some() { PUT } else { DELETE });
        varint::write(&mut self.buffer, key.len() as u64);
        self.buffer.extend_from_slice(key);
        let value = value?;
        varint::write(&mut self.buffer, value.len() as u64);
        let span = Span { offset: self.buffer.len() as u32, len: value.len() as u32 };
        self.buffer.extend_from_slice(value);
        Some(span)
    }

    /// Completes the record with its header.
    ///
    /// # Errors
    /// `Invalid` if the record is 4 GiB or more.
    pub fn finish(&mut self, salt: u64, number: u64) -> Result<&[u8]> {
        let len = u32::try_from(self.buffer.len());
        let len = len.map_err(|_| Error::Invalid("a commit of 4 GiB or more".into()))? - HEADER as u32;
        self.buffer[..4].copy_from_slice(&len.to_be_bytes());
        self.buffer[4..12].copy_from_slice(&number.to_be_bytes());
        let sum = checksum(salt, &self.buffer[..12]);
        self.buffer[12..16].copy_from_slice(&sum.to_be_bytes());
        let sum = checksum(salt, &self.buffer[HEADER..]);
        self.buffer[16..HEADER].copy_from_slice(&sum.to_be_bytes());
        Ok(&self.buffer)
    }
}

/// A record that was read.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Record {
    /// The number of the record. The first of a log is 1.
    pub number: u64,
    /// The record including its header.
    bytes: Bytes,
}

/// The header of a record.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Header {
    /// The number of the record. The first of a log is 1.
    pub number: u64,
    /// Length of the record in bytes, including the header.
    pub len: usize,
    sum: u32,
}

impl Header {
    /// Decodes the header at the beginning of `bytes`; `None` if its checksum is wrong.
    pub fn read(salt: u64, bytes: &[u8]) -> Option<Self> {
        let (covered, rest) = bytes.get(..HEADER)?.split_at(12);
        let (len, number) = covered.split_at(4);
        let (own, sum) = rest.split_at(4);
        let integer = |bytes: &[u8]| bytes.try_into().map(u32::from_be_bytes).ok();
        let is_right = integer(own)? == checksum(salt, covered);
        let number = u64::from_be_bytes(number.try_into().ok()?);
        is_right.then_some(Self { number, len: HEADER + integer(len)? as usize, sum: integer(sum)? })
    }
}

impl Record {
    /// Decodes the record at the beginning of `bytes`; `None` if it is incomplete or a checksum is wrong.
    pub fn read(salt: u64, bytes: &Bytes) -> Option<Self> {
        let header = Header::read(salt, bytes)?;
        let content = bytes.get(HEADER..header.len)?;
        let is_right = checksum(salt, content) == header.sum;
        is_right.then(|| Self { number: header.number, bytes: bytes.slice(..header.len) })
    }

    /// Length in bytes, including the header.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The operations in order: each key with its value and the location of the value, or a removed key.
    pub fn ops(&self) -> impl Iterator<Item = Result<(Bytes, Option<(Span, Bytes)>)>> {
        let bytes = self.bytes.clone();
        let mut at = HEADER;
        std::iter::from_fn(move || {
            (at < bytes.len()).then(|| {
                let op = op_at(&bytes, &mut at);
                op.ok_or_else(|| {
                    at = bytes.len();
                    Error::Corrupt("a record of the log has a valid checksum and an unknown form".into())
                })
            })
        })
    }
}

/// Maximum number of bytes of a damaged record that are examined.
const LENIENT: usize = 1 << 20;

/// Returns the keys that a damaged record may have written, as far as it can be decoded. Neither the keys nor their
/// number are certain.
pub(in crate::engine) fn lenient_keys(reader: &mut RecordReader) -> Result<Vec<Bytes>> {
    let bytes = reader.peek(LENIENT)?;
    let mut keys = Vec::new();
    let len = bytes.get(..4).and_then(|len| len.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
    let bytes = bytes.slice(..bytes.len().min(HEADER.saturating_add(len)));
    let mut at = HEADER;
    while at < bytes.len()
        && let Some((key, _)) = op_at(&bytes, &mut at)
    {
        keys.push(key);
    }
    Ok(keys)
}

fn op_at(bytes: &Bytes, at: &mut usize) -> Option<(Bytes, Option<(Span, Bytes)>)> {
    let tag = *bytes.get(*at)?;
    *at += 1;
    let key = piece_at(bytes, at)?;
    match tag {
        DELETE => Some((key, None)),
        PUT => {
            let value = piece_at(bytes, at)?;
            let span = Span { offset: (*at - value.len()) as u32, len: value.len() as u32 };
            Some((key, Some((span, value))))
        }
        _ => None,
    }
}

fn piece_at(bytes: &Bytes, at: &mut usize) -> Option<Bytes> {
    let mut rest = bytes.get(*at..)?;
    let len = usize::try_from(varint::read(&mut rest)?).ok()?;
    let begin = bytes.len() - rest.len();
    let end = begin.checked_add(len).filter(|end| *end <= bytes.len())?;
    *at = end;
    Some(bytes.slice(begin..end))
}

pub(super) fn checksum(salt: u64, bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(&salt.to_be_bytes());
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn record_round_trips_and_any_changed_bit_is_detected(
            ops: Vec<(Vec<u8>, Option<Vec<u8>>)>, salt: u64, number: u64, flip in 0usize..4096
        ) {
            let mut writer = RecordWriter::default();
            writer.begin();
            let spans: Vec<_> = ops.iter().map(|(key, value)| writer.add(key, value.as_deref())).collect();
            let mut bytes = writer.finish(salt, number).unwrap().to_vec();
            let record = Record::read(salt, &Bytes::from(bytes.clone())).unwrap();
            prop_assert_eq!((record.number, record.len()), (number, bytes.len()));
            let read: Vec<_> = record.ops().map(Result::unwrap).collect();
            for ((own, span), (key, value)) in ops.iter().zip(spans).zip(&read) {
                prop_assert_eq!(&own.0, key);
                prop_assert_eq!(own.1.as_deref(), value.as_ref().map(|(_, value)| &value[..]));
                prop_assert_eq!(span, value.as_ref().map(|(span, _)| *span));
            }
            prop_assert_eq!(read.len(), ops.len());
            prop_assert!(Record::read(salt ^ 1, &Bytes::from(bytes.clone())).is_none());
            let at = flip % bytes.len();
            bytes[at] ^= 1;
            prop_assert!(Record::read(salt, &Bytes::from(bytes)).is_none());
        }

        #[test]
        fn reading_an_arbitrary_record_does_not_panic(bytes: Vec<u8>) {
            let _ = Record::read(0, &Bytes::from(bytes.clone()));
            let record = Record { number: 1, bytes: [vec![0; HEADER], bytes].concat().into() };
            record.ops().for_each(drop);
        }
    }
}
