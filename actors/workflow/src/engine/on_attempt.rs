//! Attempts of nodes: starting them, and handling their results by ending the execution or making another attempt.

use runs::event::flow::{NodeRetry, NodeStarted};
use runs::{EventData, WriteError};
use storage::Timestamp;
use tokio::task::{Id, JoinError};

use super::Engine;
use super::attempts::{Attempted, delay, may_retry};
use super::state::Key;
use super::waits::Due;
use crate::graph::NodeKind;
use crate::nodes::{Fields, NodeError};

impl Engine {
    /// Starts an attempt of an execution whose beginning has been recorded.
    pub(super) fn begin_attempt(
        &mut self,
        key: Key,
        inputs: Fields,
        durable: bool,
    ) -> Result<(), WriteError> {
        self.attempts.spawn(&mut self.recorder, key, inputs, durable)?;
        if matches!(self.recorder.state.plan.node(key.1).kind, NodeKind::Workflow(_)) {
            // All other attempts enforce their time limit themselves.
            self.waits.timers.add_timeout(&self.recorder.state, key);
        }
        Ok(())
    }

    /// Makes another attempt with the inputs of the previous one.
    pub(super) async fn repeat_attempt(&mut self, key: Key) -> Result<(), WriteError> {
        let Some(exec) = self.recorder.state.exec(key) else { return Ok(()) };
        let (stored, attempt) = (exec.inputs.clone(), exec.attempt + 1);
        let inputs = match self.values.store.load_all(&stored).await {
            Ok(inputs) => inputs,
            Err(why) => {
                self.ends().fail(key, why.into());
                return Ok(());
            }
        };
        let started = NodeStarted { inputs: (*stored).clone(), attempt };
        self.recorder.record_at(key, EventData::NodeStarted(started));
        self.begin_attempt(key, inputs, true)
    }

    /// Handles the end of an attempt.
    pub(super) async fn on_attempt(
        &mut self,
        ended: Result<(Id, Attempted), JoinError>,
    ) -> Result<(), WriteError> {
        let Some((key, attempted)) = self.attempts.take(ended, &self.recorder.state) else { return Ok(()) };
        self.attempts.remove(key);
        self.absorb(key, &attempted);
        self.reset_crash_counter().await?;
        self.waits.wake(&mut self.recorder).await?;
        match attempted.result {
            Ok(done) => self.ends().complete(key, done, Vec::new()).await,
            Err(why) => self.retry_or_fail(key, why),
        }
        Ok(())
    }

    /// Handles the end of an attempt after the outcome of the run was decided. A success is recorded. A failure is not retried.
    pub(super) async fn on_late_attempt(&mut self, ended: (Id, Attempted)) {
        let Some((key, attempted)) = self.attempts.take(Ok(ended), &self.recorder.state) else { return };
        self.absorb(key, &attempted);
        if let Ok(done) = attempted.result {
            self.ends().complete(key, done, Vec::new()).await;
        }
    }

    fn absorb(&mut self, key: Key, attempted: &Attempted) {
        let state = &mut self.recorder.state;
        state.attempt_ended(key, &attempted.usage, attempted.cost_nanos, &attempted.said);
    }

    /// Resets the crash counter: a node has finished in this epoch, so the run did not cause the previous crash.
    async fn reset_crash_counter(&mut self) -> Result<(), WriteError> {
        if self.recorder.work.run.crashes == 0 {
            return Ok(());
        }
        self.recorder.work.run.crashes = 0;
        self.recorder.change_run(Vec::new(), |run| run.crashes = 0).await
    }

    fn retry_or_fail(&mut self, key: Key, why: NodeError) {
        let plan = self.recorder.state.plan.clone();
        let policy = &plan.node(key.1).policy;
        let Some(exec) = self.recorder.state.exec(key) else { return };
        let (attempt, failures) = (exec.attempt, exec.failures);
        if !may_retry(policy, failures, &why) {
            return self.ends().fail(key, why.into());
        }
        let delay = delay(policy, failures, why.retry_after);
        let retry = NodeRetry { attempt, delay_ms: delay.as_millis() as u64, error: Some(why.into()) };
        self.recorder.record_at(key, EventData::NodeRetry(retry));
        self.waits.timers.add(Timestamp::now() + delay, Due::Retry, key);
    }
}
