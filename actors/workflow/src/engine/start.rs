//! The start of an epoch: of a new run, of a run that partly repeats another run, or after an earlier epoch was interrupted.

use std::sync::Arc;

use runs::event::flow::{GraphPinned, NodeFinished, NodesStale, OutputsFrom};
use runs::{EventBody, EventData, RunOutcome, StreamEvent, WriteError};
use serde_json::Value;
use storage::records::{Run, RunState};
use storage::{BlobId, Timestamp};

use super::Engine;
use super::value_store::marked;
use crate::request::Fork;

/// Number of bytes of another run's journal that are read at a time.
const READ_SIZE: usize = 1 << 20;

impl Engine {
    /// Begins or continues the run.
    pub(super) async fn start(&mut self) -> Result<(), WriteError> {
        self.store_constants().await;
        let history = std::mem::take(&mut self.recorder.work.history);
        match history.is_empty() {
            true => self.begin_run().await?,
            false => self.recover(&history).await?,
        }
        self.waits.start_clock(&self.recorder.state);
        Ok(())
    }

    /// Stores constant values of the graph in the same way as values produced by a run: large values as blobs, and no value that
    /// could be mistaken for a reference to a blob.
    async fn store_constants(&mut self) {
        let plan = self.recorder.state.plan.clone();
        for (name, var) in &plan.vars {
            match self.values.store.store_one(var.initial.clone()).await {
                Ok(initial) => drop(self.recorder.state.vars.insert(name.clone(), initial)),
                Err(why) => self.ends().fail_run(why.into()),
            }
        }
        for (ix, node) in plan.nodes.iter().enumerate() {
            if let Some(Value::Object(default)) = &node.policy.default {
                match self.values.store.store(default.clone()).await {
                    Ok(default) => drop(self.values.defaults.insert(ix, default)),
                    Err(why) => self.ends().fail_run(why.into()),
                }
            }
        }
    }

    /// Records that the run begins. Also called if the previous epoch was interrupted before it recorded this.
    pub(super) async fn begin_run(&mut self) -> Result<(), WriteError> {
        let run = &self.recorder.work.run;
        let fork = self.request.debug.as_ref().and_then(|debug| debug.fork.clone());
        let mut events = vec![
            EventData::RunStarted {
                model: run.model.clone(),
                message_id: run.message_id,
                parent_id: self.request.parent_id,
                input_estimate: 0,
            },
            EventData::Graph(GraphPinned {
                hash: self.request.graph_hash.clone(),
                debug: self.request.debug.is_some(),
                forked_from: fork.as_ref().map(|fork| fork.from),
            }),
        ];
        events.extend(self.request.title.clone().map(|title| EventData::Title { title }));
        if let Some(fork) = fork.as_ref().filter(|fork| !fork.stale.is_empty()) {
            events.push(EventData::NodesStale(NodesStale { ids: fork.stale.clone() }));
        }
        let begun = |run: &mut Run| {
            run.state = RunState::Running;
            run.started_at.get_or_insert(Timestamp::now());
        };
        // Written immediately, before a `run.recovered` event that is recorded but not pushed yet.
        self.recorder.work.change(events.into_iter().map(EventBody::from).collect(), begun).await?;
        match fork {
            Some(fork) => self.copy_results(&fork).await,
            None => Ok(()),
        }
    }

    /// Copies the results of nodes that need not be executed again from an earlier run.
    pub(super) async fn copy_results(&mut self, fork: &Fork) -> Result<(), WriteError> {
        let (tenant, from) = (self.recorder.work.tenant, fork.from);
        let (mut after, mut copies) = (0, Vec::new());
        loop {
            let read = self
                .recorder
                .work
                .store
                .read(move |reader| reader.journal_read(tenant, from, after, READ_SIZE));
            let events = read.await.map_err(|_: storage::Error| WriteError)?;
            let Some(last) = events.last() else { break };
            after = last.seq;
            copies.extend(events.iter().filter_map(|event| copy(fork, &event.json)));
        }
        let blobs = copies.iter().flat_map(|copy| blobs_of(&copy.data)).collect();
        self.values.store.claim(blobs).await.map_err(|_| WriteError)?;
        // Recorded in one turn, because a node whose result is not copied would be executed again.
        self.recorder.record(copies);
        if after == 0 {
            self.outcome =
                Some(RunOutcome::failed("source_expired", "the run that this one repeats has expired"));
        }
        Ok(())
    }
}

/// Returns the copy of an event of another run, or `None` if the event is not copied.
fn copy(fork: &Fork, json: &[u8]) -> Option<EventBody> {
    let StreamEvent { node, event, .. } = serde_json::from_slice(json).ok()?;
    let node = node.filter(|node| !node.exec_id.ends_with("~undo"))?;
    let outermost = node.scope.first().map_or(&node.node_id, |(container, _)| container);
    if !fork.reuse.iter().any(|id| **id == **outermost) {
        return None;
    }
    let data = match event {
        EventData::NodeFinished(done) if node.scope.is_empty() => {
            EventData::NodeFinished(Box::new(NodeFinished {
                from: OutputsFrom::Reused,
                elapsed_ms: 0,
                ..*done
            }))
        }
        copied @ (EventData::VariableChanged(_)
        | EventData::TextStart { .. }
        | EventData::TextDelta { .. }
        | EventData::TextEnd { .. }) => copied,
        _ => return None,
    };
    Some(EventBody { node: Some(Arc::new(node)), data })
}

/// Returns the blobs that a copied event refers to.
fn blobs_of(data: &EventData) -> Vec<BlobId> {
    match data {
        EventData::NodeFinished(done) => done.outputs.values().filter_map(marked).collect(),
        EventData::VariableChanged(change) => marked(&change.value).into_iter().collect(),
        _ => Vec::new(),
    }
}
