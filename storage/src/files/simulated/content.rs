//! The content of a file: what processes see, what is durable, and the changes in between.

use super::random::Random;
use super::survival::{Fate, PAGE, SECTOR, Survival};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { offset: u64, bytes: Arc<[u8]> },
    SetLen(u64),
}

#[derive(Clone, Debug)]
struct Pending {
    /// The number of the operation that made the change.
    operation: u64,
    change: Change,
}

/// Copies share data that neither has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    /// The content that processes see: the page cache.
    cached: Arc<Vec<u8>>,
    /// The content that is certainly on the disk.
    durable: Arc<Vec<u8>>,
    /// The changes since the last sync, in order.
    pending: Vec<Pending>,
    /// Pages that take up space.
    pages: BTreeSet<u64>,
    /// The operation of the last change.
    changed: u64,
}

impl Content {
    pub(super) fn len(&self) -> u64 {
        self.cached.len() as u64
    }

    pub(super) fn read(&self, buffer: &mut [u8], offset: u64) -> usize {
        let start = (offset as usize).min(self.cached.len());
        let count = buffer.len().min(self.cached.len() - start);
        buffer[..count].copy_from_slice(&self.cached[start..start + count]);
        count
    }

    /// The number of the operation that last changed the content.
    pub(super) fn changed(&self) -> u64 {
        self.changed
    }

    /// Number of bytes that the file takes up.
    pub(super) fn space(&self) -> u64 {
        self.pages.len() as u64 * PAGE
    }

    /// How many bytes of a write fit on the disk, given its free space.
    pub(super) fn fitting(&self, offset: u64, len: usize, free: u64) -> usize {
        let end = offset + len as u64;
        let missing = blocks(offset..end, PAGE).filter(|page| !self.pages.contains(page));
        match missing.take((free / PAGE) as usize + 1).nth((free / PAGE) as usize) {
            Some(page) => ((page * PAGE).max(offset) - offset) as usize,
            None => len,
        }
    }

    pub(super) fn change(&mut self, operation: u64, change: Change) {
        match &change {
            Change::Write { offset, bytes } => {
                self.pages.extend(blocks(*offset..offset + bytes.len() as u64, PAGE));
            }
            Change::SetLen(len) => self.pages.retain(|page| page * PAGE < *len),
        }
        apply(Arc::make_mut(&mut self.cached), &change);
        self.pending.push(Pending { operation, change });
        self.changed = operation;
    }

    pub(super) fn sync(&mut self) {
        if !self.pending.is_empty() {
            let durable = Arc::make_mut(&mut self.durable);
            for pending in self.pending.drain(..) {
                apply(durable, &pending.change);
            }
        }
        // After a failed sync, the two can differ. Unlike the content, the length is written again with every sync.
        if self.durable.len() != self.cached.len() {
            set_len(Arc::make_mut(&mut self.durable), self.cached.len());
        }
    }

    /// Fails a sync like Linux: any part of the changes has reached the disk, and all of them count as written, so that
    /// no later sync writes them. If the page cache also drops them, processes see the content of the disk.
    pub(super) fn fail_sync(&mut self, survival: &Survival, drops: bool, random: &mut Random) {
        self.durable = self.survivors(survival, random);
        self.pending.clear();
        if drops {
            let len = self.cached.len();
            self.cached = self.durable.clone();
            if self.cached.len() != len {
                set_len(Arc::make_mut(&mut self.cached), len);
            }
        }
    }

    /// The content that remains after a power loss.
    pub(super) fn after_power_loss(&self, survival: &Survival, random: &mut Random) -> Self {
        let content = self.survivors(survival, random);
        let pages = blocks(0..content.len() as u64, PAGE).collect();
        Self { cached: content.clone(), durable: content, pending: Vec::new(), pages, changed: self.changed }
    }

    /// The numbers of the operations whose changes are not synced.
    pub(super) fn unsynced(&self) -> impl Iterator<Item = u64> {
        self.pending.iter().map(|pending| pending.operation)
    }

    /// Draws the surviving content. Each block is in the state after one of the unsynced changes, or in the state
    /// before them. The length is drawn independently.
    fn survivors(&self, survival: &Survival, random: &mut Random) -> Arc<Vec<u8>> {
        if self.pending.is_empty() {
            return self.durable.clone();
        }
        let newest = self.newest(survival, random);
        let version = |block: u64| newest.get(&block).copied().unwrap_or_default();
        let operations: Vec<_> = self.unsynced().collect();
        let shown = survival.of_length(&operations, random);
        let mut content = self.durable.to_vec();
        let (mut len, mut shown_len) = (content.len() as u64, content.len() as u64);
        for (at, Pending { change, .. }) in (1..).zip(&self.pending) {
            match change {
                Change::Write { offset, bytes } => {
                    len = len.max(offset + bytes.len() as u64);
                    for part in parts(*offset..offset + bytes.len() as u64, survival.block) {
                        let new = &bytes[(part.start - offset) as usize..(part.end - offset) as usize];
                        let block = part.start / survival.block;
                        let is_fresh = block * survival.block >= self.durable.len() as u64;
                        if version(block) >= at {
                            put(&mut content, part.start, new);
                        } else if survival.stale_blocks && is_fresh && version(block) == 0 {
                            put(&mut content, part.start, &random.bytes(new.len()));
                        }
                    }
                }
                Change::SetLen(new) => {
                    len = *new;
                    let beyond = *new..(content.len() as u64).max(*new);
                    for part in parts(beyond, survival.block) {
                        // Truncated data does not reappear once the length or the block is in a later state.
                        if at <= shown || version(part.start / survival.block) >= at {
                            content[part.start as usize..part.end as usize].fill(0);
                        }
                    }
                }
            }
            if at == shown {
                shown_len = len;
            }
        }
        set_len(&mut content, shown_len as usize);
        Arc::new(content)
    }

    /// For each block that is in a later state than the synced one: the number of the change that led to it, counted
    /// from 1.
    fn newest(&self, survival: &Survival, random: &mut Random) -> HashMap<u64, usize> {
        let mut newest = HashMap::new();
        for (at, pending) in (1..).zip(&self.pending) {
            let Change::Write { offset, bytes } = &pending.change else { continue };
            let fate = survival.of_content(pending.operation, random);
            for block in blocks(*offset..offset + bytes.len() as u64, survival.block) {
                if fate == Fate::Whole || fate == Fate::Torn && survival.is_lucky(random) {
                    newest.insert(block, at);
                }
            }
        }
        newest
    }
}

/// How many bytes of a write are done when its process dies or when it fails: whole pages. On a full disk, never all of
/// them.
pub(super) fn begun(offset: u64, len: usize, is_full: bool, random: &mut Random) -> usize {
    let pages = parts(offset..offset + len as u64, PAGE).count() as u64;
    let done = random.below(pages + u64::from(!is_full)) as usize;
    parts(offset..offset + len as u64, PAGE).take(done).map(|part| (part.end - part.start) as usize).sum()
}

fn apply(content: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write { offset, bytes } => put(content, *offset, bytes),
        Change::SetLen(len) => set_len(content, *len as usize),
    }
}

fn put(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let start = offset as usize;
    set_len(content, content.len().max(start));
    let (over, beyond) = bytes.split_at(bytes.len().min(content.len() - start));
    content[start..start + over.len()].copy_from_slice(over);
    content.extend_from_slice(beyond);
}

/// Much faster than `resize` in unoptimised builds.
fn set_len(content: &mut Vec<u8>, len: usize) {
    content.truncate(len);
    content.extend_from_slice(&vec![0; len - content.len()]);
}

/// The numbers of the blocks that a range touches.
fn blocks(range: Range<u64>, size: u64) -> Range<u64> {
    debug_assert!(size.is_multiple_of(SECTOR));
    if range.is_empty() { 0..0 } else { range.start / size..range.end.div_ceil(size) }
}

/// Splits a range at block boundaries.
fn parts(range: Range<u64>, size: u64) -> impl Iterator<Item = Range<u64>> {
    blocks(range.clone(), size)
        .map(move |block| (block * size).max(range.start)..((block + 1) * size).min(range.end))
}
