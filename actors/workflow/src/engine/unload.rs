//! Decides when a run has waited long enough to be unloaded, and what loads it again.

use std::time::Duration;

use futures::future::BoxFuture;
use runs::{Wake, WriteError};
use storage::Timestamp;

use super::Engine;

/// A run whose next timer expires sooner than this stays in memory.
const MIN_WAIT: Duration = Duration::from_secs(2);
/// The pause before another attempt to unload the run.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Tracks whether the run was unloaded.
#[derive(Default)]
pub struct Unloading {
    is_done: bool,
    /// Whether the last attempt was refused because something needs the run in memory.
    is_refused: bool,
}

impl Unloading {
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Engine {
    /// Returns once the run has waited long enough to be unloaded. Never returns if the run does anything but wait.
    pub(super) fn long_wait(&self, more: bool) -> BoxFuture<'static, ()> {
        let patience = self.recorder.work.unload_after();
        let patience = if self.unloading.is_refused { patience.max(RETRY_DELAY) } else { patience };
        // Boxed, because most runs work most of the time.
        match !more && self.only_waits() {
            true => Box::pin(tokio::time::sleep(patience)),
            false => Box::pin(std::future::pending()),
        }
    }

    fn only_waits(&self) -> bool {
        let state = &self.recorder.state;
        let is_parked = (state.waiting || state.paused.is_some()) && self.outcome.is_none();
        let soon = Timestamp::now() + MIN_WAIT.max(self.recorder.work.unload_after());
        is_parked
            && self.waits.timers.next_of_nodes().is_none_or(|at| at >= soon)
            && !self.waits.needs_memory(state)
    }

    /// Unloads the run, unless it is needed again by now.
    pub(super) async fn unload(&mut self) -> Result<(), WriteError> {
        // A child run that is being started is not known immediately.
        if let Some(awaited) = self.attempts.watched() {
            let wake = Wake { at: self.waits.timers.next_of_nodes(), awaited, on_load: false };
            self.unloading.is_done = self.recorder.work.unload(wake).await?;
        }
        self.unloading.is_refused = !self.unloading.is_done;
        Ok(())
    }
}
