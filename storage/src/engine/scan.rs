//! Scans over memory and the database together.
//!
//! Commits need the memory for themselves for an instant, so no scan holds it while it reads the disk: it copies what it
//! needs of the active memtable, and shares the one that is being brought to the database. What the scan finds is of the
//! moment of the copy as long as no other memtable was handed over since, because only those that were handed over
//! change the database. Otherwise it is done again.

use super::disk::DiskScan;
use super::handover::{Memory, Shared};
use super::memtable::Memtable;
use super::{Chunk, Direction, KeyRange};
use crate::error::Result;
use bytes::Bytes;
use std::sync::Arc;

/// How often a scan is tried before it holds up commits.
const ATTEMPTS: usize = 3;

/// What is in memory of a range at one moment.
struct View {
    /// The first writes of the active memtable, in order.
    active: Vec<(Bytes, Option<Bytes>)>,
    /// The last key of `active`, where the memtable has more.
    until: Option<Bytes>,
    leaving: Arc<Memtable>,
    generation: u64,
}

impl View {
    fn new(memory: &Memory, range: &KeyRange, direction: Direction, most: usize) -> Self {
        let mut writes = memory.active.range(range, direction);
        let active: Vec<_> =
            writes.by_ref().take(most).map(|(key, value)| (key.clone(), value.clone())).collect();
        let has_more = writes.next().is_some();
        let until = active.last().filter(|_| has_more).map(|(key, _)| key.clone());
        Self { active, until, leaving: memory.leaving.clone(), generation: memory.generation }
    }
}

impl Shared {
    /// A part of a range, with up to `limit` keys and about `bytes` bytes, of one moment. Copies up to `most` writes of
    /// the active memtable.
    pub fn chunk(
        &self,
        range: KeyRange,
        direction: Direction,
        limit: usize,
        bytes: usize,
        most: usize,
    ) -> Result<Chunk> {
        for _ in 0..ATTEMPTS {
            let view = View::new(&self.memory.read(), &range, direction, most);
            let chunk = self.merge(&view, &range, direction, limit, bytes)?;
            if self.memory.read().generation == view.generation {
                return Ok(chunk);
            }
        }
        // Nothing is handed over while it is held.
        let memory = self.memory.read();
        self.merge(&View::new(&memory, &range, direction, most), &range, direction, limit, bytes)
    }

    fn merge(
        &self,
        view: &View,
        range: &KeyRange,
        direction: Direction,
        limit: usize,
        bytes: usize,
    ) -> Result<Chunk> {
        #[cfg(test)]
        let _gate = {
            self.scans_waiting.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let gate = self.scan_gate.read();
            self.scans_waiting.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            gate
        };
        let disk = self.database.disk()?;
        let mut stored = disk.scan(range.clone(), direction)?.peekable();
        let mut newest = view.active.iter().map(|(key, value)| (key, value)).peekable();
        let mut newer = view.leaving.range(range, direction).peekable();
        let (mut pairs, mut size, mut last) = (Vec::with_capacity(limit.min(64)), 0, None::<Bytes>);
        while pairs.len() < limit && (size < bytes || pairs.is_empty()) {
            let on_disk = next_of(&mut stored)?;
            let keys =
                [newest.peek().map(|(key, _)| *key), newer.peek().map(|(key, _)| *key), on_disk.as_ref()];
            let present = keys.into_iter().flatten();
            let next = match direction {
                Direction::Forward => present.min(),
                Direction::Reverse => present.max(),
            };
            // At the end, or where the copy of the memtable ends.
            let next = next.filter(|next| {
                view.until.as_ref().is_none_or(|until| match direction {
                    Direction::Forward => *next <= until,
                    Direction::Reverse => *next >= until,
                })
            });
            let Some(next) = next.cloned() else {
                let rest = view.until.as_ref().map(|until| range.clone().beyond(until, direction));
                return Ok(Chunk { pairs, rest });
            };
            // Each source moves past the key; the newest one has the say.
            let oldest = stored.next_if(|pair| pair.as_ref().is_ok_and(|(key, _)| *key == next));
            let older = newer.next_if(|(key, _)| **key == next);
            let value = match newest.next_if(|(key, _)| **key == next).or(older) {
                Some((_, value)) => value.clone(),
                None => oldest.transpose()?.map(|(_, value)| value),
            };
            last = Some(next.clone());
            if let Some(value) = value {
                size += next.len() + value.len();
                pairs.push((next, value));
            }
        }
        let rest = last.map_or_else(|| range.clone(), |last| range.clone().beyond(&last, direction));
        Ok(Chunk { pairs, rest: Some(rest) })
    }
}

/// The key of the next stored entry.
fn next_of(stored: &mut std::iter::Peekable<DiskScan<'_>>) -> Result<Option<Bytes>> {
    if let Some(Err(_)) = stored.peek() {
        stored.next().transpose()?;
    }
    Ok(stored.peek().and_then(|pair| pair.as_ref().ok()).map(|(key, _)| key.clone()))
}
