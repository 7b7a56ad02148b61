//! Searching the messages that a user may read.
//!
//! Storage is authoritative. The index on disk is derived from the messages, and every hit is checked against the rows
//! before it is returned. A transaction that changes a message notes it (see [`UnindexedMessage`]). Before each search,
//! and every [`INTERVAL`], the noted changes are added to the index, so that a search finds everything that was committed
//! before it began. An index that is missing or incomplete is built from the messages.

mod index;
mod search;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use knowledge::{IndexError, MessageIndex};
use parking_lot::Mutex;
use storage::{Store, TenantId, UnindexedMessage};

pub use search::{FoundMessage, Search, SearchPage};

/// Interval at which changes are added to the indexes of tenants in which no one searches.
const INTERVAL: Duration = Duration::from_secs(30);
/// Time that a search waits for its index to be brought up to date.
const PATIENCE: Duration = Duration::from_secs(10);

/// Searches messages. Cheap to clone.
#[derive(Clone)]
pub struct MessageSearch(Arc<Inner>);

struct Inner {
    store: Store,
    index: MessageIndex,
    /// Held while the index of a tenant is brought up to date.
    turns: Mutex<HashMap<TenantId, Arc<tokio::sync::Mutex<()>>>>,
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
    Indexing,
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

    /// Brings the indexes up to date at intervals, for ever.
    pub async fn keep_up(self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if let Err(why) = self.catch_up().await {
                telemetry::metrics::table::SWEEP_FAILURES.add(["message_index"], 1);
                tracing::warn!(%why, "messages could not be indexed");
            }
        }
    }

    async fn catch_up(&self) -> Result<(), MessageSearchError> {
        let behind = self.0.store.read(|reader| {
            let mut behind = Vec::new();
            for tenant in reader.tenants()? {
                let pending: Vec<UnindexedMessage> = reader.unindexed(tenant, 1)?;
                behind.extend((!pending.is_empty()).then_some(tenant));
            }
            Ok::<_, storage::Error>(behind)
        });
        for tenant in behind.await? {
            self.0.bring_up(tenant).await?;
        }
        Ok(())
    }

    /// Brings the index of a tenant up to date. Work that takes longer than a search may wait continues.
    async fn ensure(&self, tenant: TenantId) -> Result<(), MessageSearchError> {
        let inner = self.0.clone();
        let work = tasks::spawn(async move { inner.bring_up(tenant).await });
        match tokio::time::timeout(PATIENCE, work).await {
            Ok(Ok(done)) => done,
            Ok(Err(broken)) => Err(IndexError(broken.to_string()).into()),
            Err(_) => Err(MessageSearchError::Indexing),
        }
    }
}
