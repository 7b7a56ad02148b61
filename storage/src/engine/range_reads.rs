//! Validation of range reads: whether keys were created in, or deleted from, a range between the read and the commit.
//!
//! A transaction expects every value it read to be unchanged, but that does not cover rows that did not exist. It
//! therefore also records each key range it scanned. While such transactions are open, the committer remembers which
//! keys each commit created and deleted, and refuses a transaction if one of its ranges was changed after it began to
//! read ranges. Writes that replace a value are covered by the expectation on that value.

use super::{Batch, Expect, KeyRange, Op};
use crate::tables::{EPOCH, JOURNAL, TERMINAL};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// Maximum number of keys that are remembered. Above it, all are dropped, and transactions that began earlier are
/// refused and run again.
const KEYS_MAX: usize = 200_000;

/// Tables that no transaction scans to make a decision, and that are written most often.
const UNTRACKED: [[u8; 2]; 3] = [JOURNAL, EPOCH, TERMINAL];

/// Keys that were created or deleted by recent commits, as long as an open transaction needs them.
#[derive(Default)]
pub(crate) struct RecentWrites {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the last commit that is visible to readers.
    visible: u64,
    /// Number of open transactions by the commit after which they began to read ranges.
    open: BTreeMap<u64, usize>,
    /// Keys with the number of the last commit that created or deleted them.
    keys: BTreeMap<Bytes, u64>,
    /// The same keys in commit order.
    order: VecDeque<(u64, Bytes)>,
    /// Transactions that began before this commit can no longer be checked.
    floor: u64,
}

impl State {
    fn prune(&mut self) {
        let Some(oldest) = self.open.keys().next().copied() else {
            self.keys.clear();
            self.order.clear();
            return;
        };
        while let Some((commit, key)) = self.order.pop_front_if(|(commit, _)| *commit <= oldest) {
            if self.keys.get(&key) == Some(&commit) {
                self.keys.remove(&key);
            }
        }
    }
}

impl RecentWrites {
    /// Starts tracking for a transaction that is about to read its first range.
    pub fn open(self: &Arc<Self>) -> RangeReads {
        let mut state = self.state.lock();
        let since = state.visible;
        *state.open.entry(since).or_default() += 1;
        RangeReads { recent: self.clone(), since, ranges: Vec::new() }
    }

    /// Records batches that were committed and are visible. Call this only on the committing thread.
    pub fn committed<'a>(&self, batches: impl Iterator<Item = &'a Batch>) {
        let mut state = self.state.lock();
        state.visible += 1;
        let commit = state.visible;
        state.prune();
        if state.open.is_empty() {
            return;
        }
        for key in batches.flat_map(created_or_deleted) {
            state.keys.insert(key.clone(), commit);
            state.order.push_back((commit, key));
        }
        if state.order.len() > KEYS_MAX {
            state.keys.clear();
            state.order.clear();
            state.floor = commit;
        }
    }

    /// Whether no key was created or deleted in the ranges since they were read. Call this only on the committing
    /// thread, where every visible commit has been recorded.
    pub fn unchanged(&self, reads: &[Arc<RangeReads>]) -> bool {
        let state = self.state.lock();
        reads.iter().all(|read| {
            if read.since < state.floor {
                return false;
            }
            if state.order.back().is_none_or(|(last, _)| *last <= read.since) {
                return true;
            }
            read.ranges.iter().all(|range| {
                !state.keys.range::<[u8], _>(bounds(range)).any(|(_, commit)| *commit > read.since)
            })
        })
    }

    fn close(&self, since: u64) {
        let mut state = self.state.lock();
        if let Some(count) = state.open.get_mut(&since) {
            *count -= 1;
            if *count == 0 {
                state.open.remove(&since);
            }
        }
        if state.open.is_empty() {
            state.prune();
        }
    }
}

#[cfg(test)]
impl RecentWrites {
    /// The number of open transactions, and of keys that are remembered for them.
    pub fn len(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.open.values().sum(), state.keys.len())
    }
}

/// Converts a key range to the form that the maps of the standard library accept.
fn bounds(range: &KeyRange) -> (Bound<&[u8]>, Bound<&[u8]>) {
    (Bound::Included(&range.start), Bound::Excluded(&range.end))
}

/// The key ranges that one transaction has read.
pub(crate) struct RangeReads {
    recent: Arc<RecentWrites>,
    /// The commit after which the first of them was read.
    since: u64,
    ranges: Vec<KeyRange>,
}

impl RangeReads {
    /// Adds a range that was read.
    pub fn push(&mut self, range: KeyRange) {
        if !range.is_empty() && self.ranges.last() != Some(&range) {
            self.ranges.push(range);
        }
    }

    /// Whether one of the ranges contains one of these keys.
    pub fn touches(&self, keys: &BTreeSet<Bytes>) -> bool {
        self.ranges.iter().any(|range| keys.range::<[u8], _>(bounds(range)).next().is_some())
    }
}

impl Drop for RangeReads {
    fn drop(&mut self) {
        self.recent.close(self.since);
    }
}

impl std::fmt::Debug for RangeReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RangeReads").field("since", &self.since).field("ranges", &self.ranges).finish()
    }
}

impl PartialEq for RangeReads {
    fn eq(&self, other: &Self) -> bool {
        self.since == other.since && self.ranges == other.ranges
    }
}

impl Eq for RangeReads {}

/// The keys that a batch creates or deletes, including those that it may create.
pub(crate) fn created_or_deleted(batch: &Batch) -> impl Iterator<Item = Bytes> {
    let present: HashSet<&Bytes> = batch
        .expects
        .iter()
        .filter_map(|expect| match expect {
            Expect::Value { key, .. } => Some(key),
            Expect::Absent { .. } | Expect::AtMost { .. } => None,
        })
        .collect();
    batch.ops.iter().filter_map(move |op| match op {
        Op::Put(key, _) if present.contains(key) => None,
        Op::Put(key, _) | Op::Delete(key) => {
            let tracked = !UNTRACKED.iter().any(|table| key.starts_with(table));
            tracked.then(|| key.clone())
        }
        // Decisions that scan keys do not depend on sums and latest times.
        Op::Add(..) | Op::Raise(..) => None,
    })
}
