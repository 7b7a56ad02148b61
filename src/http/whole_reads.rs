//! A limit on reads that have much in memory: whole conversations.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::Api;
use domain::{Code, Refusal};

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many whole conversations are read at the same time.
pub struct WholeReads(Arc<Semaphore>);

impl WholeReads {
    /// `at_once` reads at the same time.
    pub fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// A turn for a request; it ends when what is returned is dropped.
    ///
    /// # Errors
    /// 503 with `Retry-After` when others took too long.
    pub async fn turn(&self) -> Api<OwnedSemaphorePermit> {
        match tokio::time::timeout(PATIENCE, self.0.clone().acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(closed)) => Err(Refusal::new(Code::Internal).because(closed)),
            Err(_) => {
                telemetry::metrics::table::STORED_LIMIT_REFUSALS.add(["limits.conversation_reads"], 1);
                let why = "too many conversations are being read at the same time (limits.conversation_reads); try again";
                Err(Refusal::new(Code::Overloaded).detail(why).retry_after(1))
            }
        }
    }

    /// A turn for a feed, which waits as long as it takes; none once the server is gone.
    pub async fn feed_turn(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().acquire_owned().await.ok()
    }
}
