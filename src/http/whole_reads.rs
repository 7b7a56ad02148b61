//! Limits reads that hold much data in memory: entire conversations.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::Api;
use domain::{Code, Refusal};

/// The time that a request waits for its turn.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Limits how many entire conversations are read at the same time.
pub struct WholeReads(Arc<Semaphore>);

impl WholeReads {
    /// Allows `at_once` reads at the same time.
    pub fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// Waits for the turn of a request, which ends when the returned permit is dropped.
    ///
    /// # Errors
    /// 503 with `Retry-After` if the wait exceeds the limit of 10 seconds.
    pub async fn turn(&self) -> Api<OwnedSemaphorePermit> {
        match tokio::time::timeout(TIMEOUT, self.0.clone().acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(closed)) => Err(Refusal::new(Code::Internal).because(closed)),
            Err(_) => {
                telemetry::metrics::table::STORED_LIMIT_REFUSALS.add(["limits.conversation_reads"], 1);
                let why = "too many conversations are being read at the same time (limits.conversation_reads); try again";
                Err(Refusal::new(Code::Overloaded).detail(why).retry_after(1))
            }
        }
    }

    /// Waits for the turn of a feed without a time limit; `None` once the server has stopped.
    pub async fn feed_turn(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().acquire_owned().await.ok()
    }
}
