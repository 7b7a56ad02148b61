//! Handles timers that have expired.

use runs::{RunOutcome, WriteError};
use storage::Timestamp;

use super::Engine;
use super::state::Key;
use super::waits::{Due, expired};
use crate::nodes::NodeError;

impl Engine {
    /// Handles all timers that are due now.
    pub(super) async fn on_timer(&mut self) -> Result<(), WriteError> {
        while let Some((due, key)) = self.waits.timers.pop_due(Timestamp::now()) {
            match due {
                Due::Run => self.check_run_limit(),
                _ if !self.recorder.state.is_active(key) => {}
                Due::Retry if self.recorder.state.exec(key).is_some_and(|exec| exec.retrying) => {
                    self.waits.wake(&mut self.recorder).await?;
                    self.repeat_attempt(key).await?;
                }
                Due::Retry => {}
                Due::Expiry => self.expire(key).await?,
                Due::Timeout => {
                    self.waits.wake(&mut self.recorder).await?;
                    self.attempts.stop(key, &self.recorder.work);
                    let limit = self.recorder.state.plan.node(key.1).policy.timeout_ms;
                    let why = NodeError::new("timeout", format!("took longer than {limit} ms"));
                    self.ends().fail(key, why.into());
                }
            }
        }
        Ok(())
    }

    fn check_run_limit(&mut self) {
        if self.waits.is_out_of_time(&self.recorder.state) {
            self.outcome.get_or_insert(RunOutcome::TimedOut { reason: "run_timeout".into() });
        }
    }

    /// Ends the wait of an execution that has reached its time limit.
    async fn expire(&mut self, key: Key) -> Result<(), WriteError> {
        let Some((done, before)) = expired(&self.recorder.state, key) else { return Ok(()) };
        self.waits.wake(&mut self.recorder).await?;
        self.ends().complete(key, done, before).await;
        Ok(())
    }
}
