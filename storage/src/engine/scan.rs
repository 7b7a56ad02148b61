//! Scans that merge the memtables and the index.
//!
//! Commits need exclusive access to the memory for an instant, so no scan holds its lock while it reads the disk: a
//! scan copies the writes it needs from the active memtable, and shares the frozen ones. The result is a snapshot as of
//! the copy, provided that the transfer of no later memtable to the index has begun. Otherwise the scan is repeated.

use super::index::{Entries, Entry};
use super::memory::Memory;
use super::memtable::{FrozenMemtable, Value};
use super::shared::Shared;
use super::{Chunk, Direction, KeyRange};
use crate::error::Result;
use bytes::Bytes;
use std::iter::Peekable;
use std::sync::Arc;

/// Number of times a scan is tried before it blocks commits.
const ATTEMPTS: usize = 3;

/// The writes in memory of a range at one moment.
struct View {
    /// The first writes of the active memtable, in order.
    active: Vec<(Bytes, Option<Value>)>,
    /// The last key of `active`, if the memtable has more.
    until: Option<Bytes>,
    frozen: Vec<Arc<FrozenMemtable>>,
    /// Number of memtables that were frozen before the moment of the view.
    count: u64,
}

impl View {
    fn new(memory: &Memory, range: &KeyRange, direction: Direction, most: usize) -> Self {
        let mut writes = memory.active.range(range, direction);
        let active: Vec<_> =
            writes.by_ref().take(most).map(|(key, value)| (key.clone(), value.clone())).collect();
        let has_more = writes.next().is_some();
        let until = active.last().filter(|_| has_more).map(|(key, _)| key.clone());
        Self { active, until, frozen: memory.frozen.iter().cloned().collect(), count: memory.count }
    }
}

/// The writes of one memtable in a range. The newest source comes first.
type Source<'v> = Peekable<Box<dyn Iterator<Item = (&'v Bytes, &'v Option<Value>)> + 'v>>;

/// Keys with the locations of their values, or the values themselves.
struct Located {
    pairs: Vec<(Bytes, Entry)>,
    rest: Option<KeyRange>,
}

/// The limits of a scan.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Maximum number of keys.
    pub keys: usize,
    /// Approximate maximum number of bytes of keys and values. At least one pair is returned.
    pub bytes: usize,
    /// Maximum number of writes that are copied from the active memtable.
    pub copied: usize,
}

impl Shared {
    /// Returns a part of a range as a consistent snapshot.
    pub fn chunk(&self, range: KeyRange, direction: Direction, limits: Limits) -> Result<Chunk> {
        for _ in 0..ATTEMPTS {
            let view = View::new(&self.memory.read(), &range, direction, limits.copied);
            let located = self.locate(&view, &range, direction, limits)?;
            if self.applying() > view.count {
                continue;
            }
            if let Some(chunk) = self.load(located)? {
                return Ok(chunk);
            }
        }
        // While the lock is held, no memtable is frozen and no segment is removed, and only memtables that are in the
        // view are transferred to the index.
        let memory = self.memory.read();
        let view = View::new(&memory, &range, direction, limits.copied);
        let located = self.locate(&view, &range, direction, limits)?;
        let missing = || crate::Error::Corrupt("the index refers to a segment that is not there".into());
        self.load(located)?.ok_or_else(missing)
    }

    /// Reads the values; `None` if a segment has been removed since.
    fn load(&self, Located { pairs, rest }: Located) -> Result<Option<Chunk>> {
        let places: Vec<_> = pairs
            .iter()
            .filter_map(|(_, entry)| match entry {
                Entry::At(place, len) => Some((*place, *len)),
                Entry::Inline(_) => None,
            })
            .collect();
        let Some(values) = self.segments.read_all(&places)? else { return Ok(None) };
        let mut values = values.into_iter();
        let pairs = pairs.into_iter().filter_map(|(key, entry)| match entry {
            Entry::Inline(value) => Some((key, value)),
            Entry::At(..) => Some((key, values.next()?)),
        });
        Ok(Some(Chunk { pairs: pairs.collect(), rest }))
    }

    fn locate(&self, view: &View, range: &KeyRange, direction: Direction, limits: Limits) -> Result<Located> {
        #[cfg(test)]
        let _gate = self.gates.scan();
        let mut stored = self.index.scan(range, direction)?.peekable();
        let active = view.active.iter().map(|(key, value)| (key, value));
        let mut sources: Vec<Source<'_>> = vec![(Box::new(active) as Box<dyn Iterator<Item = _>>).peekable()];
        for frozen in view.frozen.iter().rev() {
            let writes = frozen.table.range(range, direction);
            sources.push((Box::new(writes) as Box<dyn Iterator<Item = _>>).peekable());
        }
        let (mut pairs, mut size, mut last) = (Vec::with_capacity(limits.keys.min(64)), 0, None::<Bytes>);
        while pairs.len() < limits.keys && (size < limits.bytes || pairs.is_empty()) {
            let in_index = next_of(&mut stored)?;
            let in_memory = sources.iter_mut().filter_map(|source| source.peek().map(|(key, _)| *key));
            let present = in_memory.chain(in_index.as_ref());
            let next = match direction {
                Direction::Forward => present.min(),
                Direction::Reverse => present.max(),
            };
            // `None` at the end of the range, or where the copy of the memtable ends.
            let next = next.filter(|next| {
                view.until.as_ref().is_none_or(|until| match direction {
                    Direction::Forward => *next <= until,
                    Direction::Reverse => *next >= until,
                })
            });
            let Some(next) = next.cloned() else {
                let rest = view.until.as_ref().map(|until| range.clone().beyond(until, direction));
                return Ok(Located { pairs, rest });
            };
            // All sources advance past the key; the newest one determines the value.
            let oldest = stored.next_if(|pair| pair.as_ref().is_ok_and(|(key, _)| *key == next));
            let mut newest = None;
            for source in &mut sources {
                let found = source.next_if(|(key, _)| **key == next);
                newest = newest.or(found);
            }
            let entry = match newest {
                Some((_, value)) => value.as_ref().map(located),
                None => oldest.transpose()?.map(|(_, entry)| entry),
            };
            last = Some(next.clone());
            if let Some(entry) = entry {
                size += next.len()
                    + match &entry {
                        Entry::Inline(value) => value.len(),
                        Entry::At(_, len) => *len as usize,
                    };
                pairs.push((next, entry));
            }
        }
        let rest = last.map_or_else(|| range.clone(), |last| range.clone().beyond(&last, direction));
        Ok(Located { pairs, rest: Some(rest) })
    }
}

/// The value itself, if it is in memory.
fn located(value: &Value) -> Entry {
    match &value.bytes {
        Some(bytes) => Entry::Inline(bytes.clone()),
        None => Entry::At(value.place, value.len),
    }
}

/// The key of the next entry of the index.
fn next_of(stored: &mut Peekable<Entries<'_>>) -> Result<Option<Bytes>> {
    if let Some(Err(_)) = stored.peek() {
        stored.next().transpose()?;
    }
    Ok(stored.peek().and_then(|pair| pair.as_ref().ok()).map(|(key, _)| key.clone()))
}
