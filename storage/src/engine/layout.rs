//! How values lie in the database.
//!
//! A stored value is a byte that says how it is kept, then the value. A long one is kept in
//! pieces under keys of their own: the database writes leaves of up to sixteen values as a whole,
//! and leaves of more than 256 KiB become files of their own, which it does not sync. With
//! nothing longer than 8 KiB no leaf grows so large.
//!
//! Short entries of tables that are only appended to (journals) are kept many together, in a
//! *block* under the key of its first entry: the database takes as long for one event as for
//! forty.

use super::KeyRange;
use crate::error::{Error, Result};
use ::sled::IVec;
use bytes::{Buf, BufMut, Bytes, BytesMut};

/// The value is in pieces; what follows is its length (four bytes, big-endian).
pub(super) const IN_PIECES: u8 = 1;
/// The value is a block of entries.
pub(super) const BLOCK: u8 = 2;
/// Bytes in a piece, and in the longest value that is kept whole.
pub(super) const PIECE: usize = 8 << 10;
/// Bytes of entries in a block, unless a single one is longer.
const BLOCK_BYTES: usize = PIECE - 256;

/// Where the database holds the epoch of the last log that it has all of.
pub(super) const EPOCH: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'e'];

/// A table whose entries are kept in blocks.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// How many bytes of the key the entries of one block share, the table's two included. All
    /// keys of the table are longer.
    pub shared: usize,
}

/// The table of a key: its first two bytes.
pub(super) fn table_of(key: &[u8]) -> [u8; 2] {
    [key.first().copied().unwrap_or_default(), key.get(1).copied().unwrap_or_default()]
}

/// The part of a key that the entries of its block share, if its table is packed.
pub(super) fn group_of<'k>(packed: &[Packed], key: &'k [u8]) -> Option<&'k [u8]> {
    let table = packed.iter().find(|packed| key.starts_with(&packed.table))?;
    (key.len() > table.shared).then(|| &key[..table.shared])
}

pub(super) fn damaged(key: &[u8], what: &str) -> Error {
    Error::Corrupt(format!("the value of key {} has {what}", key.escape_ascii()))
}

/// The tag of a stored value, and the rest.
pub(super) fn split<'v>(key: &[u8], stored: &'v [u8]) -> Result<(u8, &'v [u8])> {
    let (tag, rest) = stored.split_first().ok_or_else(|| damaged(key, "no tag"))?;
    if *tag > (IN_PIECES | BLOCK) {
        return Err(damaged(key, "an unknown format"));
    }
    Ok((*tag, rest))
}

/// How many bytes a stored value has in pieces.
pub(super) fn len_in_pieces(key: &[u8], stored: &[u8]) -> Result<usize> {
    let (tag, rest) = split(key, stored)?;
    if tag & IN_PIECES == 0 {
        return Ok(0);
    }
    rest.try_into().map(|len| u32::from_be_bytes(len) as usize).map_err(|_| damaged(key, "an unknown format"))
}

/// Where the pieces of a value of this length are: below every key of others.
pub(super) fn piece_keys(key: &[u8], len: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..len.div_ceil(PIECE) as u32).map(move |number| {
        let mut place = Vec::with_capacity(key.len() + 5);
        place.push(KeyRange::BEYOND);
        place.extend_from_slice(key);
        place.extend_from_slice(&number.to_be_bytes());
        place
    })
}

/// The value that a stored value stands for, without its tag.
pub(super) fn restore(db: &::sled::Db, key: &[u8], stored: &[u8]) -> Result<Bytes> {
    let (tag, rest) = split(key, stored)?;
    if tag & IN_PIECES == 0 {
        return Ok(Bytes::copy_from_slice(rest));
    }
    let len = len_in_pieces(key, stored)?;
    let mut value = BytesMut::with_capacity(len);
    for place in piece_keys(key, len) {
        let piece = db.get(place)?.ok_or_else(|| damaged(key, "a missing piece"))?;
        value.put_slice(&piece);
    }
    if value.len() != len {
        return Err(damaged(key, "a piece of the wrong length"));
    }
    Ok(value.freeze())
}

/// Calls `put` with each key and value that make up one stored value.
pub(super) fn store(
    scratch: &mut Vec<u8>,
    key: &[u8],
    tag: u8,
    value: &[u8],
    mut put: impl FnMut(&[u8], IVec) -> Result<()>,
) -> Result<()> {
    scratch.clear();
    if value.len() <= PIECE {
        scratch.push(tag);
        scratch.extend_from_slice(value);
        return put(key, IVec::from(&scratch[..]));
    }
    let len = u32::try_from(value.len()).map_err(|_| Error::Invalid("a value over 4 GiB".into()))?;
    for (place, piece) in piece_keys(key, value.len()).zip(value.chunks(PIECE)) {
        put(&place, IVec::from(piece))?;
    }
    scratch.push(tag | IN_PIECES);
    scratch.extend_from_slice(&len.to_be_bytes());
    put(key, IVec::from(&scratch[..]))
}

/// Cuts entries, in order, into blocks: the key of each, and its content. An entry in a block is
/// two bytes for the length of the rest of its key, that rest, four bytes for the length of its
/// value, the value; all big-endian.
pub(super) fn blocks<'e>(
    shared: usize,
    entries: impl Iterator<Item = (&'e Bytes, &'e Bytes)>,
) -> Result<Vec<(Bytes, Vec<u8>)>> {
    let mut blocks: Vec<(Bytes, Vec<u8>)> = Vec::new();
    for (key, value) in entries {
        let rest = &key[shared..];
        let too_long = |_| Error::Invalid("an entry too long for a block".into());
        let (rest_len, len) =
            (u16::try_from(rest.len()).map_err(too_long)?, u32::try_from(value.len()).map_err(too_long)?);
        let needs = 6 + rest.len() + value.len();
        let block = match blocks.last_mut() {
            Some((_, block)) if block.len() + needs <= BLOCK_BYTES => block,
            _ => {
                blocks.push((key.clone(), Vec::with_capacity(needs.max(BLOCK_BYTES))));
                let last = blocks.len() - 1;
                &mut blocks[last].1
            }
        };
        block.put_u16(rest_len);
        block.put_slice(rest);
        block.put_u32(len);
        block.put_slice(value);
    }
    Ok(blocks)
}

/// The entries of a block.
pub(super) fn entries(group: &[u8], mut block: Bytes) -> Result<Vec<(Bytes, Bytes)>> {
    let cut = || damaged(group, "a truncated block");
    let mut found = Vec::new();
    while !block.is_empty() {
        let rest = block.try_get_u16().map_err(|_| cut())? as usize;
        if block.len() < rest {
            return Err(cut());
        }
        let mut key = Vec::with_capacity(group.len() + rest);
        key.extend_from_slice(group);
        key.extend_from_slice(&block.split_to(rest));
        let len = block.try_get_u32().map_err(|_| cut())? as usize;
        if block.len() < len {
            return Err(cut());
        }
        found.push((Bytes::from(key), block.split_to(len)));
    }
    Ok(found)
}

/// The range of stored keys that can hold the entries of a range: its first block may begin
/// before the range does.
pub(super) fn stored_range(db: &::sled::Db, packed: &[Packed], range: &KeyRange) -> Result<KeyRange> {
    let mut stored = range.clone();
    if let Some(group) = group_of(packed, &range.start)
        && let Some(first) = db.range(group..=&range.start[..]).next_back()
    {
        stored.start = first?.0.to_vec();
    }
    Ok(stored)
}
