//! Searching the messages that a user may read.
//!
//! Storage is authoritative. The index on disk is derived from the messages, and every hit is checked against the rows
//! before it is returned. A transaction that changes a message notes it (see [`UnindexedMessage`]). Before each search,
//! and every [`INTERVAL`], the noted changes are added to the index, so that a search finds everything that was committed
//! before it began. An index that is missing or incomplete is built from the messages, at the start of the server or before
//! the first search.

mod build;
mod index;
mod search;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use knowledge::{IndexError, MessageIndex};
use parking_lot::Mutex;
use storage::records::Message;
use storage::{Scan, Store, TenantId};

pub use search::{FoundMessage, Search, SearchPage};

/// Interval at which changes are added to the indexes of tenants in which no one searches.
const INTERVAL: Duration = Duration::from_secs(30);
/// Time from the start of the server until indexes that are missing are built. Recovered runs go first.
const START_DELAY: Duration = Duration::from_secs(5);
/// Time after which a pause ends when a search begins to wait.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that a search waits for its index to be brought up to date.
const PATIENCE: Duration = Duration::from_secs(10);

/// Searches messages. Cheap to clone.
#[derive(Clone)]
pub struct MessageSearch(Arc<Inner>);

struct Inner {
    store: Store,
    index: MessageIndex,
    turns: Mutex<HashMap<TenantId, Arc<Turn>>>,
}

/// The turn of one task to bring the index of a tenant up to date.
#[derive(Default)]
struct Turn {
    lock: tokio::sync::Mutex<()>,
    /// Number of searches that wait for the index.
    waiting: AtomicUsize,
    /// How far the index is, while it is built from the beginning.
    build: Mutex<Option<BuildProgress>>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug)]
struct BuildProgress {
    added: u64,
    /// Number of messages at the beginning of the build.
    total: u64,
}

impl Turn {
    /// How much of a build is complete, in per cent.
    fn progress(&self) -> Option<u8> {
        let BuildProgress { added, total } = (*self.build.lock())?;
        // Messages that are written during the build are added, too. It is not complete before it ends.
        Some((added * 100).checked_div(total)?.min(99) as u8)
    }

    /// Pauses after a part of the work that began at this time, for as long as the part took, unless a search waits. The
    /// work in the background thus takes at most half of one core.
    async fn pause(&self, began: Instant) {
        let until = Instant::now() + began.elapsed();
        while self.waiting.load(Ordering::Relaxed) == 0 && Instant::now() < until {
            tokio::time::sleep(PAUSE.min(until.saturating_duration_since(Instant::now()))).await;
        }
    }
}

/// Counts a search that waits.
struct Waiting(Arc<Turn>);

impl Waiting {
    fn new(turn: Arc<Turn>) -> Self {
        turn.waiting.fetch_add(1, Ordering::Relaxed);
        Self(turn)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum MessageSearchError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The index is still being brought up to date, which continues.
    #[error("the messages are being indexed")]
    Indexing {
        /// How much of the index is built, in per cent, if it is built from the beginning.
        progress: Option<u8>,
    },
}

impl MessageSearch {
    /// Creates the search on top of a store. `dir` is the folder of the indexes, which can be rebuilt.
    pub fn new(store: Store, dir: PathBuf) -> Self {
        // An index may contain changes that the power loss destroyed, together with the notes of earlier ones.
        if store.power_loss().is_some()
            && let Err(why) = std::fs::remove_dir_all(&dir)
            && why.kind() != std::io::ErrorKind::NotFound
        {
            tracing::error!(%why, folder = %dir.display(), "delete this folder: searches of messages may be incomplete");
        }
        Self(Arc::new(Inner { store, index: MessageIndex::new(dir), turns: Mutex::default() }))
    }

    /// Builds the indexes that are missing, and then brings all indexes up to date at intervals, for ever.
    pub async fn keep_up(self) {
        tokio::time::sleep(START_DELAY).await;
        // Those whose index was incomplete at the start. Afterwards, an index becomes incomplete only when it is damaged,
        // which a search or a change finds out.
        let mut is_start = true;
        loop {
            match self.catch_up(is_start).await {
                Ok(()) => is_start = false,
                Err(why) => {
                    telemetry::metrics::table::SWEEP_FAILURES.add(["message_index"], 1);
                    tracing::warn!(%why, "messages could not be indexed");
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Brings the indexes up to date of all tenants with changes, and with `also_incomplete` builds those that are
    /// incomplete. If some cannot be, returns the last reason, after the others have been.
    async fn catch_up(&self, also_incomplete: bool) -> Result<(), MessageSearchError> {
        let index = self.0.index.clone();
        let behind = self.0.store.read(move |reader| {
            let mut behind = Vec::new();
            for tenant in reader.tenants()? {
                let is_incomplete = also_incomplete
                    && !index::is_complete(&index.folder(tenant.0))
                    && !reader.scan::<Message>(tenant, Scan::table().limit(1))?.items.is_empty();
                if is_incomplete || !reader.unindexed(tenant, 1)?.is_empty() {
                    behind.push(tenant);
                }
            }
            Ok::<_, storage::Error>(behind)
        });
        let mut result = Ok(());
        for tenant in behind.await? {
            if let Err(why) = self.0.bring_up(tenant, &self.0.turn(tenant)).await {
                result = Err(why);
            }
        }
        result
    }

    /// Brings the index of a tenant up to date. Work that takes longer than a search may wait continues.
    async fn ensure(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        let inner = self.0.clone();
        let waiting = Waiting::new(inner.turn(tenant));
        let work = tasks::spawn(async move { inner.bring_up(tenant, &waiting.0).await });
        match tokio::time::timeout(PATIENCE, work).await {
            Ok(Ok(done)) => done,
            Ok(Err(broken)) => Err(IndexError(broken.to_string()).into()),
            Err(_) => Err(MessageSearchError::Indexing { progress: self.0.turn(tenant).progress() }),
        }
    }
}

impl Inner {
    fn turn(&self, tenant: TenantId) -> Arc<Turn> {
        self.turns.lock().entry(tenant).or_default().clone()
    }
}
