//! The encoding of values in a database of version 1.
//!
//! A stored value is a tag byte that says how it is stored, followed by the value. A long value is split into pieces
//! under separate keys. Several short journal entries are stored together in a *block*, under the key of the first
//! entry.

use crate::engine::{KeyRange, Packed};
use crate::error::{Error, Result};
use bytes::{Buf, BufMut, Bytes, BytesMut};

/// The value is in pieces. The tag is followed by the length of the value (four bytes, big-endian).
const IN_PIECES: u8 = 1;
/// The value is a block of entries.
pub(super) const BLOCK: u8 = 2;
/// Bytes in a piece.
const PIECE: usize = 8 << 10;
/// The key of the epoch of the last log that the database contains completely.
pub(super) const EPOCH: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'e'];

/// The part of a key that the entries of its block share, if its table is packed.
pub(super) fn group_of<'k>(packed: &[Packed], key: &'k [u8]) -> Option<&'k [u8]> {
    let table = packed.iter().find(|packed| key.starts_with(&packed.table))?;
    (key.len() > table.shared).then(|| &key[..table.shared])
}

pub(super) fn damaged(key: &[u8], what: &str) -> Error {
    Error::Corrupt(format!("the value of key {} has {what}", key.escape_ascii()))
}

/// Splits a stored value into its tag and the rest.
pub(super) fn split<'v>(key: &[u8], stored: &'v [u8]) -> Result<(u8, &'v [u8])> {
    let (tag, rest) = stored.split_first().ok_or_else(|| damaged(key, "no tag"))?;
    if *tag > (IN_PIECES | BLOCK) {
        return Err(damaged(key, "an unknown format"));
    }
    Ok((*tag, rest))
}

/// Number of bytes that a stored value has in pieces.
pub(super) fn len_in_pieces(key: &[u8], stored: &[u8]) -> Result<usize> {
    let (tag, rest) = split(key, stored)?;
    if tag & IN_PIECES == 0 {
        return Ok(0);
    }
    rest.try_into().map(|len| u32::from_be_bytes(len) as usize).map_err(|_| damaged(key, "an unknown format"))
}

/// The keys of the pieces of a value of this length.
pub(super) fn piece_keys(key: &[u8], len: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..len.div_ceil(PIECE) as u32).map(move |number| {
        let mut place = Vec::with_capacity(key.len() + 5);
        place.push(KeyRange::BEYOND);
        place.extend_from_slice(key);
        place.extend_from_slice(&number.to_be_bytes());
        place
    })
}

/// Reassembles the value of a stored value, without its tag.
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

/// Decodes the entries of a block.
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
