//! The end of a run: what still works is stopped, what was done is undone where the run does not
//! succeed, and what it gives is told.

use std::time::Duration;

use runs::event::flow::{NodeStatus, Outputs, RunEnding};
use runs::{EventData, RunOutcome, WriteError};
use serde_json::{Map, Value};

use super::Engine;
use super::exec::Phase;
use super::place::TOP;

use crate::graph::NodeKind;

/// How long runs that nodes have started may take to be stopped.
pub(super) const OF_CHILDREN: Duration = Duration::from_secs(6);

impl Engine {
    /// Ends the run.
    pub(super) async fn end(mut self: Box<Self>, outcome: RunOutcome) -> Result<RunOutcome, WriteError> {
        self.halt = None;
        // Whoever still asks something hears at once that nobody answers.
        self.work.commands.close();
        if !Self::is_success(&outcome) && self.state.ending.is_none() {
            self.tell(EventData::RunEnding(told(&outcome)))?;
        }
        self.push_out()?;
        self.let_go().await?;
        self.stop_region(TOP)?;
        self.push_out()?;
        if Self::is_success(&outcome) {
            self.tell_outputs().await?;
        } else {
            self.undo(&outcome).await?;
        }
        self.flush().await?;
        Ok(self.with_what_stands(outcome))
    }

    /// Lets tasks that were told to stop come to their end, by themselves or by force. What has been
    /// done by then is done: it is told, and may have to be undone.
    async fn let_go(&mut self) -> Result<(), WriteError> {
        for handle in self.handles.values() {
            handle.cancel.cancel();
        }
        self.cancel_children().await;
        let watches = self.handles.values().any(|handle| handle.watches);
        let grace =
            if watches { self.work.cancel_grace().max(OF_CHILDREN) } else { self.work.cancel_grace() };
        let until = tokio::time::Instant::now() + grace;
        while let Ok(Some(done)) = tokio::time::timeout_at(until, self.tasks.join_next_with_id()).await {
            if let Ok((id, attempted)) = done {
                self.came_late(id, attempted).await?;
            }
        }
        self.tasks.shutdown().await;
        Ok(())
    }

    /// Stops runs that nodes of an earlier epoch had started and that a crash may have left going.
    async fn cancel_children(&self) {
        let (tenant, user) = (self.work.tenant, self.work.run.user);
        let mut left = Vec::new();
        for (id, region) in &self.state.regions {
            for (ix, exec) in &region.execs {
                let waits =
                    matches!(&self.state.plan.node(*ix).kind, NodeKind::Workflow(config) if !config.detach);
                let stopped = exec.phase == Phase::Active || exec.status == Some(NodeStatus::Cancelled);
                // One that is watched is told by whoever watches it.
                if waits && stopped && !self.handles.contains_key(&(*id, *ix)) {
                    left.extend(exec.child.map(|(run, _)| run));
                }
            }
        }
        let cancels = left.into_iter().map(|child| self.work.runs.cancel(tenant, child, user));
        futures::future::join_all(cancels).await;
    }

    /// What the run gives. One that has no `end` node gives what it said; one that said nothing says
    /// what it gives.
    async fn tell_outputs(&mut self) -> Result<(), WriteError> {
        match self.state.outputs.clone() {
            None if self.state.answer.is_empty() => Ok(()),
            None => {
                let answer = Value::String(self.state.answer.clone());
                let outputs = Map::from_iter([("text".to_owned(), answer)]);
                let outputs = self.vault.store(outputs).await.unwrap_or_default();
                self.tell(EventData::Outputs(Outputs { outputs }))
            }
            Some(outputs) if self.state.answer.is_empty() && !outputs.is_empty() => {
                let outputs = self.vault.load_all(&outputs).await.unwrap_or_default();
                let (part, text) = ("outputs".to_owned(), readable(&outputs));
                let events = [
                    EventData::TextStart { part: part.clone() },
                    EventData::TextDelta { part: part.clone(), text },
                    EventData::TextEnd { part },
                ];
                self.record(events.into_iter().map(Into::into).collect())
            }
            Some(_) => Ok(()),
        }
    }
}

/// An outcome as the journal tells it.
fn told(outcome: &RunOutcome) -> RunEnding {
    RunEnding { status: outcome.status(), reason: outcome.reason(), error: outcome.error() }
}

/// Outputs for people: a single text as it is, anything else as JSON.
fn readable(outputs: &Map<String, Value>) -> String {
    let mut values = outputs.values();
    match (values.next(), values.next()) {
        (Some(Value::String(text)), None) => text.clone(),
        _ => {
            let json = serde_json::to_string_pretty(outputs).unwrap_or_default();
            format!("```json\n{json}\n```")
        }
    }
}
