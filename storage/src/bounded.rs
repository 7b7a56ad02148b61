//! A view of the engine for a transaction that is tried on a thread that serves other tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::engine::{Batch, Chunk, Direction, Engine, KeyRange};
use crate::error::{Error, Result};

/// Maximum number of keys read.
const KEYS: usize = 256;
/// Maximum duration of all reads together. A key in memory takes about a microsecond; a key that has to be fetched from
/// the disk takes longer.
const MAX_DURATION: Duration = Duration::from_millis(1);

/// Refuses reads beyond an amount that takes about a millisecond. A transaction that meets the refusal runs again on a
/// thread that may block, no matter how it handled the error.
pub(crate) struct BoundedReads {
    engine: Arc<dyn Engine>,
    begun: Instant,
    keys: AtomicUsize,
    is_exhausted: AtomicBool,
}

impl BoundedReads {
    pub fn new(engine: Arc<dyn Engine>) -> Arc<Self> {
        let (keys, is_exhausted) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Self { engine, begun: Instant::now(), keys, is_exhausted })
    }

    /// Whether a read was refused, which makes the outcome of the transaction meaningless.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    fn count(&self, keys: usize) -> Result<()> {
        let before = self.keys.fetch_add(keys, Ordering::Relaxed);
        if before + keys > KEYS || self.begun.elapsed() > MAX_DURATION {
            self.is_exhausted.store(true, Ordering::Relaxed);
        }
        match self.is_exhausted() {
            true => Err(Error::Busy),
            false => Ok(()),
        }
    }
}

impl Engine for BoundedReads {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.count(1)?;
        self.engine.get(key)
    }

    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        self.count(1)?;
        // One more than the limit, so that a longer range is noticed.
        let pairs = self.engine.scan(range, direction, limit.min(KEYS + 1))?;
        self.count(pairs.len())?;
        Ok(pairs)
    }

    fn chunk(&self, range: KeyRange, direction: Direction, limit: usize, bytes: usize) -> Result<Chunk> {
        self.count(1)?;
        let chunk = self.engine.chunk(range, direction, limit.min(KEYS + 1), bytes)?;
        self.count(chunk.pairs.len())?;
        Ok(chunk)
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        self.engine.commit(group)
    }
}
