//! The commit of one group of batches.

use super::Recorder;
use super::queue::{CommitWaiter, Work};
use crate::disk_space::DiskSpace;
use crate::engine::range_reads::{RecentWrites, created_or_deleted};
use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use telemetry::metrics::table;

/// Maximum number of batches in one commit.
const GROUP_BATCHES: usize = 512;
/// Approximate limit on the bytes in one commit.
const GROUP_BYTES: usize = 1 << 20;

/// The components that a commit uses.
pub(super) struct Worker {
    pub engine: Arc<dyn Engine>,
    pub recorder: Arc<Recorder>,
    pub broken: Arc<OnceLock<String>>,
    pub recent: Arc<RecentWrites>,
    pub room: Arc<DiskSpace>,
    pub written: Arc<Written>,
}

/// Counts of what was passed to the engine since the store was opened.
#[derive(Default)]
pub(crate) struct Written {
    batches: AtomicU64,
    keys: AtomicU64,
}

impl Written {
    fn count(&self, group: &[Batch]) {
        let writing = group.iter().filter(|batch| !batch.ops.is_empty());
        let (batches, keys) =
            writing.fold((0, 0), |(batches, keys), batch| (batches + 1, keys + batch.ops.len()));
        self.batches.fetch_add(batches, Ordering::Relaxed);
        self.keys.fetch_add(keys as u64, Ordering::Relaxed);
    }

    pub fn read(&self) -> CommitCounts {
        let (batches, keys) = (self.batches.load(Ordering::Relaxed), self.keys.load(Ordering::Relaxed));
        CommitCounts { batches, keys }
    }
}

/// Numbers of batches and keys committed since a store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitCounts {
    /// Batches with writes: transactions, and journal entries with the writes that are committed together with them.
    pub batches: u64,
    /// Writes of single keys in these batches.
    pub keys: u64,
}

impl Worker {
    pub fn commit_group(&mut self, work: &mut VecDeque<Work>) {
        let (mut group, mut waiters, mut bytes) = (Vec::<Batch>::new(), Vec::new(), 0);
        // Keys that the group creates or deletes, for the batches checked so far.
        let (mut touched, mut seen) = (BTreeSet::new(), 0);
        while group.len() < GROUP_BATCHES
            && bytes < GROUP_BYTES
            && let Some(item) = work.pop_front()
        {
            let (batch, waiter) = match item {
                Work::One(batch, reply) => (*batch, CommitWaiter::One(reply)),
                Work::Again(batch, waiter) => (*batch, waiter),
                Work::Source(source) => match catch_unwind(AssertUnwindSafe(|| source.take())) {
                    Ok(Some(batch)) => (batch, CommitWaiter::Source(source)),
                    Ok(None) => continue,
                    Err(_) => {
                        tracing::error!("a commit source panicked when asked for its writes");
                        CommitWaiter::Source(source)
                            .complete(Err(Error::Engine("the source panicked".into())));
                        continue;
                    }
                },
            };
            if !batch.reads.is_empty() {
                if !self.recent.unchanged(&batch.reads) {
                    waiter.complete(Err(Error::Conflict));
                    continue;
                }
                touched.extend(group[seen..].iter().flat_map(created_or_deleted));
                seen = group.len();
                if batch.reads.iter().any(|reads| reads.touches(&touched)) {
                    // Whether it conflicts depends on the outcome of the batches ahead of it.
                    work.push_front(Work::Again(Box::new(batch), waiter));
                    break;
                }
            }
            bytes += batch.size();
            group.push(batch);
            waiters.push(waiter);
        }
        if group.is_empty() {
            return;
        }
        let verdicts = self.commit(&group);
        self.written.count(&group);
        let landed = group.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_ok());
        self.recent.committed(landed.map(|(batch, _)| batch));
        for (waiter, verdict) in waiters.into_iter().zip(verdicts) {
            waiter.complete(verdict);
        }
    }

    /// Commits a group on a full disk: the reads of each batch are checked, and writes are refused before the engine
    /// runs out of disk space.
    fn commit_reads(&self, group: &[Batch]) -> Vec<Result<()>> {
        let one = |batch: &Batch| match batch.ops.is_empty() {
            true => self.engine.commit(std::slice::from_ref(batch)).pop().unwrap_or(Ok(())),
            false => Err(Error::Full),
        };
        group.iter().map(one).collect()
    }

    pub fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        if self.broken.get().is_some() {
            return group.iter().map(|_| Err(Error::Closed)).collect();
        }
        let mut recorded = self.recorder.lock();
        if let Some(keys) = recorded.as_mut() {
            keys.extend(group.iter().flat_map(|batch| &batch.ops).map(|op| op.key().clone()));
        }
        let begun = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| match self.room.state().is_exhausted {
            true => self.commit_reads(group),
            false => self.engine.commit(group),
        }));
        let mut verdicts = outcome.unwrap_or_else(|_| vec![Err(Error::Engine("the engine panicked".into()))]);
        let fatal = verdicts.iter().find_map(|verdict| match verdict {
            Ok(()) | Err(Error::Conflict | Error::Full) => None,
            Err(error) => Some(error.of_engine()),
        });
        if let Some(error) = fatal {
            tracing::error!(%error, "the storage engine failed; writes are refused");
            let _ = self.broken.set(error.clone());
            return group.iter().map(|_| Err(Error::Engine(error.clone()))).collect();
        }
        verdicts.resize_with(group.len(), || Err(Error::Engine("no verdict".into())));
        if !group.is_empty() {
            table::COMMIT_DURATION.record([], begun.elapsed().as_secs_f64());
            table::COMMIT_BATCHES.record([], group.len() as f64);
        }
        verdicts
    }
}
