//! How entries are stored in sled.
//!
//! ```text
//! inline   0, value
//! at       1, segment, offset, length (varints)
//! block    2, entries: length of the rest of the key (varint), that rest, then
//!             0, length (varint), value   or   1, segment, offset, length (varints)
//! ```
//!
//! Entries of tables that are only appended to (journals) share *blocks*, each under the key of its first entry: the
//! database takes as long for one entry as for a block of them.

use super::Entry;
use crate::engine::log::Place;
use crate::engine::varint;
use crate::error::{Error, Result};
use bytes::Bytes;

const INLINE: u8 = 0;
const AT: u8 = 1;
const BLOCK: u8 = 2;
/// Bytes of entries in a block, unless a single one is longer.
const BLOCK_BYTES: usize = 2 << 10;

/// A table whose entries are stored in blocks.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// How many bytes of the key the entries of one block share, the table's two included. All
    /// keys of the table are longer.
    pub shared: usize,
}

/// What a stored value is.
pub(super) enum Stored {
    One(Entry),
    /// The entries of a block, in order.
    Block(Vec<(Bytes, Entry)>),
}

/// The table of a key: its first two bytes.
pub(in crate::engine) fn table_of(key: &[u8]) -> [u8; 2] {
    [key.first().copied().unwrap_or_default(), key.get(1).copied().unwrap_or_default()]
}

/// The part of a key that the entries of its block share, if its table is packed.
pub(super) fn group_of<'k>(packed: &[Packed], key: &'k [u8]) -> Option<&'k [u8]> {
    let table = packed.iter().find(|packed| key.starts_with(&packed.table))?;
    (key.len() > table.shared).then(|| &key[..table.shared])
}

pub(super) fn damaged(key: &[u8], what: &str) -> Error {
    Error::Corrupt(format!("the index entry of key {} has {what}", key.escape_ascii()))
}

/// Appends the stored form of an entry that has a key of its own.
pub(super) fn encode(buffer: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Inline(value) => {
            buffer.push(INLINE);
            buffer.extend_from_slice(value);
        }
        Entry::At(place, len) => at(buffer, *place, *len),
    }
}

fn at(buffer: &mut Vec<u8>, place: Place, len: u32) {
    buffer.push(AT);
    for number in [place.segment, place.offset, len] {
        varint::write(buffer, u64::from(number));
    }
}

/// Cuts entries of one group, in order, into blocks: the key of each, and its stored form.
pub(super) fn blocks<'e>(
    shared: usize,
    entries: impl Iterator<Item = (&'e Bytes, &'e Entry)>,
) -> Vec<(Bytes, Vec<u8>)> {
    let mut blocks: Vec<(Bytes, Vec<u8>)> = Vec::new();
    for (key, entry) in entries {
        if blocks.last().is_none_or(|(_, block)| block.len() >= BLOCK_BYTES) {
            blocks.push((key.clone(), vec![BLOCK]));
        }
        let last = blocks.len() - 1;
        let block = &mut blocks[last].1;
        varint::write(block, (key.len() - shared) as u64);
        block.extend_from_slice(&key[shared..]);
        match entry {
            Entry::Inline(value) => {
                block.push(INLINE);
                varint::write(block, value.len() as u64);
                block.extend_from_slice(value);
            }
            Entry::At(place, len) => at(block, *place, *len),
        }
    }
    blocks
}

/// What is stored under a key; `group` is the shared part of the key where its table is packed.
pub(super) fn decode(key: &[u8], group: Option<&[u8]>, stored: &[u8]) -> Result<Stored> {
    let truncated = || damaged(key, "an unknown form");
    let (tag, mut rest) = stored.split_first().ok_or_else(truncated)?;
    match (*tag, group) {
        (INLINE, _) => Ok(Stored::One(Entry::Inline(Bytes::copy_from_slice(rest)))),
        (AT, _) => Ok(Stored::One(read_at(&mut rest).ok_or_else(truncated)?)),
        (BLOCK, Some(group)) => {
            let mut entries = Vec::new();
            while !rest.is_empty() {
                entries.push(read_entry(group, &mut rest).ok_or_else(truncated)?);
            }
            Ok(Stored::Block(entries))
        }
        _ => Err(truncated()),
    }
}

fn read_entry(group: &[u8], rest: &mut &[u8]) -> Option<(Bytes, Entry)> {
    let own = piece(rest)?;
    let key = Bytes::from([group, own].concat());
    let (tag, after) = rest.split_first()?;
    *rest = after;
    let entry = match *tag {
        INLINE => Entry::Inline(Bytes::copy_from_slice(piece(rest)?)),
        AT => read_at(rest)?,
        _ => return None,
    };
    Some((key, entry))
}

pub(super) fn piece<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(varint::read(rest)?).ok()?;
    let (piece, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(piece)
}

fn read_at(rest: &mut &[u8]) -> Option<Entry> {
    let mut number = || u32::try_from(varint::read(rest)?).ok();
    let place = Place { segment: number()?, offset: number()? };
    Some(Entry::At(place, number()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = Entry> {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..70).prop_map(|value| Entry::Inline(value.into())),
            any::<(u32, u32, u32)>()
                .prop_map(|(segment, offset, len)| Entry::At(Place { segment, offset }, len)),
        ]
    }

    proptest! {
        #[test]
        fn entries_read_as_they_were_stored(entries in proptest::collection::btree_map("g[a-z]{0,40}", entry(), 1..200)) {
            let entries: Vec<_> = entries.into_iter().map(|(key, entry)| (Bytes::from(key), entry)).collect();
            let mut buffer = Vec::new();
            encode(&mut buffer, &entries[0].1);
            let Stored::One(read) = decode(b"k", None, &buffer).unwrap() else { panic!("a block") };
            prop_assert_eq!(&read, &entries[0].1);
            let mut all = Vec::new();
            for (key, block) in blocks(1, entries.iter().map(|(key, entry)| (key, entry))) {
                let Stored::Block(read) = decode(&key, Some(b"g"), &block).unwrap() else { panic!("no block") };
                prop_assert_eq!(&read[0].0, &key);
                all.extend(read);
            }
            prop_assert_eq!(all, entries);
        }

        #[test]
        fn anything_can_be_decoded(bytes: Vec<u8>) {
            let _ = decode(b"k", Some(b"g"), &bytes);
        }
    }
}
