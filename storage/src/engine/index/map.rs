//! An index that is a map in memory and is written to one file as a whole, for tests that open many databases on
//! simulated disks.

use super::block::{EntryRef, piece};
use super::{Covered, Entries, Entry, Index};
use crate::engine::log::{Position, full};
use crate::engine::memtable::FrozenMemtable;
use crate::engine::varint;
use crate::engine::{Direction, KeyRange};
use crate::error::{Error, Result};
use crate::files::{self, FileSystem};
use bytes::Bytes;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FILE: &str = "map";

/// An index in memory and one file.
pub(in crate::engine) struct MapIndex {
    files: Arc<dyn FileSystem>,
    dir: PathBuf,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<Bytes, Entry>,
    covered: Option<Covered>,
}

impl MapIndex {
    pub fn open(files: &Arc<dyn FileSystem>, dir: &Path) -> Result<Self> {
        files.create_dir(dir)?;
        let state = match files::read(&**files, &dir.join(FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => State::default(),
            content => State::decode(&content?)
                .ok_or_else(|| Error::Corrupt("the index has an unknown form".into()))?,
        };
        Ok(Self { files: files.clone(), dir: dir.to_owned(), state: RwLock::new(state) })
    }

    /// The file survives the end of the process, but not a power loss.
    fn write(&self, state: &State) -> Result<()> {
        let (file, new) = (self.dir.join(FILE), self.dir.join("map.new"));
        self.files.create(&new)?.write_at(&state.encode(), 0)?;
        Ok(self.files.rename(&new, &file)?)
    }
}

impl State {
    fn encode(&self) -> Vec<u8> {
        let mut content = Vec::new();
        let Some(Covered { end, salt }) = self.covered else { return content };
        for number in [u64::from(end.segment), end.offset, end.next, salt] {
            varint::write(&mut content, number);
        }
        for (key, entry) in &self.entries {
            varint::write(&mut content, key.len() as u64);
            content.extend_from_slice(key);
            EntryRef::from(entry).encode(&mut content);
        }
        content
    }

    fn decode(mut content: &[u8]) -> Option<Self> {
        if content.is_empty() {
            return Some(Self::default());
        }
        let rest = &mut content;
        let segment = u32::try_from(varint::read(rest)?).ok()?;
        let end = Position { segment, offset: varint::read(rest)?, next: varint::read(rest)? };
        let covered = Some(Covered { end, salt: varint::read(rest)? });
        let mut entries = BTreeMap::new();
        while !rest.is_empty() {
            let (key, entry) = (piece(rest)?, EntryRef::decode(rest)?);
            entries.insert(Bytes::copy_from_slice(key), entry.into());
        }
        Some(Self { entries, covered })
    }
}

impl Index for MapIndex {
    fn get(&self, key: &[u8]) -> Result<Option<Entry>> {
        Ok(self.state.read().entries.get(key).cloned())
    }

    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>> {
        let bounds = (Bound::Included(&range.start[..]), Bound::Excluded(&range.end[..]));
        let state = self.state.read();
        let found =
            state.entries.range::<[u8], _>(bounds).map(|(key, entry)| Ok((key.clone(), entry.clone())));
        let mut found: Vec<_> = found.collect();
        if direction == Direction::Reverse {
            found.reverse();
        }
        Ok(Box::new(found.into_iter()))
    }

    fn apply(&self, memtable: &FrozenMemtable) -> Result<()> {
        let mut state = self.state.write();
        for (key, value) in memtable.table.iter() {
            match value {
                Some(value) => drop(state.entries.insert(key.clone(), EntryRef::from(value).into())),
                None => drop(state.entries.remove(key)),
            }
        }
        state.covered = Some(Covered { end: memtable.end, salt: memtable.salt });
        self.write(&state).map_err(full)
    }

    fn covered(&self) -> Result<Option<Covered>> {
        Ok(self.state.read().covered)
    }

    fn live_bytes(&self) -> u64 {
        self.state.read().entries.iter().map(|(key, entry)| EntryRef::from(entry).live_bytes(key)).sum()
    }

    fn tidy(&self, _: &dyn Fn() -> bool) -> Result<()> {
        Ok(())
    }

    fn close(&self) -> Result<()> {
        Ok(files::sync_all(&*self.files, &self.dir)?)
    }
}
