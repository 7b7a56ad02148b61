//! The encoding of entries in sled: consecutive entries are stored together in blocks. sled takes as long for one entry
//! as for a block of them, and rewrites a page after ten changes in it.
//!
//! ```text
//! block   entries, in key order
//! entry   shared, length of the rest (varints), rest of the key, value
//! value   0, length (varint), bytes   or   1, segment, offset, length (varints)
//! ```
//!
//! `shared` is the number of bytes that the key has in common with the previous one; for the first entry, with the key
//! of the block. The key of a block is greater than all keys of the previous block, and not greater than any of its own
//! keys. The entry of a key, if there is one, is therefore in the last block whose key is not greater.

use super::Entry;
use crate::engine::log::Place;
use crate::engine::memtable::Value;
use crate::engine::varint;
use bytes::Bytes;

const INLINE: u8 = 0;
const AT: u8 = 1;
/// Length in bytes of the longest value that is stored in the index itself.
const MAX_INLINE: usize = 64;
/// Approximate bytes of a record in the log in addition to key and value.
const RECORD: u64 = 6;
/// Size in bytes above which a block is split.
const MAX_ENTRIES: usize = 1 << 10;
/// Size in bytes of the resulting blocks. The difference from `MAX_ENTRIES` leaves room for entries in between.
const PIECE: usize = 768;
/// Maximum size in bytes of an entry in addition to its key and an inline value.
const OVERHEAD: usize = 20;

/// The entry of a key in the index, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryRef<'b> {
    /// The value itself.
    Inline(&'b [u8]),
    /// Its location in the log, and its length in bytes.
    At(Place, u32),
}

impl EntryRef<'_> {
    /// Approximate number of bytes that the key and its value take in the log.
    pub fn live_bytes(&self, key: &[u8]) -> u64 {
        let value = match self {
            Self::Inline(value) => value.len() as u64,
            Self::At(_, len) => u64::from(*len),
        };
        key.len() as u64 + value + RECORD
    }

    /// Appends the encoded entry.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Self::Inline(value) => {
                to.push(INLINE);
                varint::write(to, value.len() as u64);
                to.extend_from_slice(value);
            }
            Self::At(place, len) => {
                to.push(AT);
                for number in [place.segment, place.offset, *len] {
                    varint::write(to, u64::from(number));
                }
            }
        }
    }
}

impl<'b> EntryRef<'b> {
    /// Decodes an entry from the beginning of `bytes`; `None` if it is malformed.
    pub fn decode(bytes: &mut &'b [u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        *bytes = rest;
        match *tag {
            INLINE => Some(Self::Inline(piece(bytes)?)),
            AT => {
                let mut number = || u32::try_from(varint::read(bytes)?).ok();
                let place = Place { segment: number()?, offset: number()? };
                Some(Self::At(place, number()?))
            }
            _ => None,
        }
    }
}

impl<'v> From<&'v Value> for EntryRef<'v> {
    fn from(value: &'v Value) -> Self {
        match &value.bytes {
            Some(bytes) if bytes.len() <= MAX_INLINE => Self::Inline(bytes),
            _ => Self::At(value.place, value.len),
        }
    }
}

#[cfg(test)]
impl<'e> From<&'e Entry> for EntryRef<'e> {
    fn from(entry: &'e Entry) -> Self {
        match entry {
            Entry::Inline(value) => Self::Inline(value),
            Entry::At(place, len) => Self::At(*place, *len),
        }
    }
}

impl From<EntryRef<'_>> for Entry {
    fn from(entry: EntryRef<'_>) -> Self {
        match entry {
            EntryRef::Inline(value) => Self::Inline(Bytes::copy_from_slice(value)),
            EntryRef::At(place, len) => Self::At(place, len),
        }
    }
}

/// Takes length-prefixed bytes.
pub(super) fn piece<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(varint::read(rest)?).ok()?;
    let (piece, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(piece)
}

/// A block that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damaged;

/// Reads the entries of a block one by one.
pub(super) struct BlockReader<'b> {
    rest: &'b [u8],
    key: Vec<u8>,
}

impl<'b> BlockReader<'b> {
    /// Creates a reader of the block that is stored under `key`.
    pub fn new(key: &[u8], block: &'b [u8]) -> Self {
        Self { rest: block, key: key.to_vec() }
    }

    /// Returns the next entry with its key.
    pub fn next(&mut self) -> Result<Option<(&[u8], EntryRef<'b>)>, Damaged> {
        match self.rest.is_empty() {
            true => Ok(None),
            false => self.read().map(|entry| Some((&self.key[..], entry))).ok_or(Damaged),
        }
    }

    fn read(&mut self) -> Option<EntryRef<'b>> {
        let shared = usize::try_from(varint::read(&mut self.rest)?).ok()?;
        let rest = piece(&mut self.rest)?;
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(rest);
        EntryRef::decode(&mut self.rest)
    }
}

/// Looks up a key in the block that is stored under `block_key`.
pub(super) fn find<'b>(
    block_key: &[u8],
    block: &'b [u8],
    key: &[u8],
) -> Result<Option<EntryRef<'b>>, Damaged> {
    let mut entries = BlockReader::new(block_key, block);
    while let Some((own, entry)) = entries.next()? {
        match own.cmp(key) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => return Ok(Some(entry)),
            std::cmp::Ordering::Greater => break,
        }
    }
    Ok(None)
}

/// Encodes entries, which arrive in key order, into blocks.
pub(super) struct BlockWriter {
    /// Completed blocks with their keys.
    blocks: Vec<(Vec<u8>, Vec<u8>)>,
    key: Vec<u8>,
    block: Vec<u8>,
    /// The key of the last entry.
    last: Vec<u8>,
    /// Size in bytes from which on a new block is started.
    limit: usize,
}

impl BlockWriter {
    /// Creates a writer whose first block has this key, for approximately `bytes` bytes.
    fn new(key: &[u8], bytes: usize) -> Self {
        let limit = if bytes > MAX_ENTRIES { PIECE } else { usize::MAX };
        Self { blocks: Vec::new(), key: key.to_vec(), block: Vec::new(), last: key.to_vec(), limit }
    }

    /// Creates a writer of blocks that are appended after all others.
    pub fn of_many() -> Self {
        Self::new(&[], usize::MAX)
    }

    pub fn push(&mut self, key: &[u8], entry: EntryRef<'_>) {
        let shared = self.last.iter().zip(key).take_while(|(last, own)| last == own).count();
        if self.block.len() >= self.limit {
            // The shortest key between the two.
            let block_key = key[..key.len().min(shared + 1)].to_vec();
            self.last.clone_from(&block_key);
            let done = (std::mem::replace(&mut self.key, block_key), std::mem::take(&mut self.block));
            self.blocks.push(done);
            return self.push(key, entry);
        }
        varint::write(&mut self.block, shared as u64);
        varint::write(&mut self.block, (key.len() - shared) as u64);
        self.block.extend_from_slice(&key[shared..]);
        entry.encode(&mut self.block);
        self.last.truncate(shared);
        self.last.extend_from_slice(&key[shared..]);
    }

    /// Takes the blocks that are complete so far.
    pub fn take_complete(&mut self) -> Vec<(Vec<u8>, Vec<u8>)> {
        std::mem::take(&mut self.blocks)
    }

    /// Returns all remaining blocks, including the last one.
    pub fn finish(mut self) -> Vec<(Vec<u8>, Vec<u8>)> {
        if !self.block.is_empty() {
            self.blocks.push((self.key, self.block));
        }
        self.blocks
    }
}

/// A write to a key of a block; `None` deletes the key.
pub(super) type Write<'w> = (&'w [u8], Option<EntryRef<'w>>);

/// Approximate number of bytes that a write adds to a block.
pub(super) fn size_of((key, entry): &Write<'_>) -> usize {
    let value = match entry {
        None => return 0,
        Some(EntryRef::Inline(value)) => value.len(),
        Some(EntryRef::At(..)) => 0,
    };
    key.len() + value + OVERHEAD
}

/// The replacement of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Merged {
    /// The blocks with their keys. The first one has the key of the block that they replace.
    pub blocks: Vec<(Vec<u8>, Vec<u8>)>,
    /// Bytes of the log that became live because of the writes, and bytes that are no longer live.
    pub added: u64,
    pub removed: u64,
}

/// Applies writes, in key order, to the block that is stored under `key`.
pub(super) fn merge(key: &[u8], block: &[u8], writes: &[Write<'_>]) -> Result<Merged, Damaged> {
    let bytes = block.len() + writes.iter().map(size_of).sum::<usize>();
    let (mut writer, mut writes) = (BlockWriter::new(key, bytes), writes.iter().peekable());
    let (mut entries, mut merged) = (BlockReader::new(key, block), Merged::default());
    let write = |(key, entry): &Write<'_>, writer: &mut BlockWriter, merged: &mut Merged| {
        if let Some(entry) = entry {
            merged.added += entry.live_bytes(key);
            writer.push(key, *entry);
        }
    };
    while let Some((own, entry)) = entries.next()? {
        while let Some(before) = writes.next_if(|(key, _)| *key < own) {
            write(before, &mut writer, &mut merged);
        }
        match writes.next_if(|(key, _)| *key == own) {
            Some(instead) => {
                merged.removed += entry.live_bytes(own);
                write(instead, &mut writer, &mut merged);
            }
            None => writer.push(own, entry),
        }
    }
    for behind in writes {
        write(behind, &mut writer, &mut merged);
    }
    merged.blocks = writer.finish();
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn entry() -> impl Strategy<Value = Entry> {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..70).prop_map(|value| Entry::Inline(value.into())),
            any::<(u32, u32, u32)>()
                .prop_map(|(segment, offset, len)| Entry::At(Place { segment, offset }, len)),
        ]
    }

    /// Blocks as stored in sled.
    #[derive(Debug, Default)]
    struct Blocks(BTreeMap<Vec<u8>, Vec<u8>>);

    impl Blocks {
        fn of(&self, key: &[u8]) -> Option<(&Vec<u8>, &Vec<u8>)> {
            self.0.range(..=key.to_vec()).next_back()
        }

        fn get(&self, key: &[u8]) -> Option<Entry> {
            let (block_key, block) = self.of(key)?;
            find(block_key, block, key).unwrap().map(Entry::from)
        }

        fn apply(&mut self, writes: &BTreeMap<Vec<u8>, Option<Entry>>) -> (u64, u64) {
            let mut writes = writes.iter().peekable();
            let (mut added, mut removed) = (0, 0);
            while let Some((first, _)) = writes.peek().copied() {
                let (key, block) = self
                    .of(first)
                    .map_or((first.clone(), vec![]), |(key, block)| (key.clone(), block.clone()));
                let next = self.0.keys().find(|other| **other > key).cloned();
                let mut own = Vec::new();
                while let Some((key, entry)) =
                    writes.next_if(|(key, _)| next.as_ref().is_none_or(|next| *key < next))
                {
                    own.push((&key[..], entry.as_ref().map(EntryRef::from)));
                }
                let merged = merge(&key, &block, &own).unwrap();
                assert!(merged.blocks.first().is_none_or(|(first, _)| *first == key));
                self.0.remove(&key);
                for (key, block) in merged.blocks {
                    assert!(block.len() < MAX_ENTRIES + 200, "{}", block.len());
                    assert!(next.as_ref().is_none_or(|next| key < *next));
                    assert_eq!(self.0.insert(key, block), None);
                }
                added += merged.added;
                removed += merged.removed;
            }
            (added, removed)
        }

        fn all(&self) -> Vec<(Vec<u8>, Entry)> {
            let mut all = Vec::new();
            for (key, block) in &self.0 {
                let mut entries = BlockReader::new(key, block);
                while let Some((key, entry)) = entries.next().unwrap() {
                    all.push((key.to_vec(), entry.into()));
                }
            }
            all
        }
    }

    proptest! {
        #[test]
        fn blocks_behave_like_a_map(
            rounds in proptest::collection::vec(
                proptest::collection::btree_map("[ab]{0,3}[a-z]{1,30}", proptest::option::weighted(0.7, entry()), 1..80),
                1..12,
            ),
        ) {
            let (mut blocks, mut model, mut live) = (Blocks::default(), BTreeMap::new(), 0);
            for round in rounds {
                let round: BTreeMap<Vec<u8>, _> = round.into_iter().map(|(key, entry)| (key.into_bytes(), entry)).collect();
                let (added, removed) = blocks.apply(&round);
                live = live + added - removed;
                for (key, entry) in round {
                    match entry {
                        Some(entry) => drop(model.insert(key, entry)),
                        None => drop(model.remove(&key)),
                    }
                }
                let live_bytes = |(key, entry): (&Vec<u8>, &Entry)| EntryRef::from(entry).live_bytes(key);
                prop_assert_eq!(live, model.iter().map(live_bytes).sum::<u64>());
                prop_assert_eq!(blocks.all(), model.clone().into_iter().collect::<Vec<_>>());
                for (key, entry) in &model {
                    prop_assert_eq!(blocks.get(key), Some(entry.clone()));
                    let other = [&key[..], b"a"].concat();
                    prop_assert_eq!(blocks.get(&other), model.get(&other).cloned());
                }
            }
            let deleted = model.into_keys().map(|key| (key, None)).collect();
            blocks.apply(&deleted);
            prop_assert!(blocks.0.is_empty());
        }

        #[test]
        fn reading_an_arbitrary_block_does_not_panic(key: Vec<u8>, block: Vec<u8>) {
            let _ = merge(&key, &block, &[(b"k", None)]);
            let _ = find(&key, &block, b"k");
        }
    }
}
