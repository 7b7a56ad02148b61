//! How an epoch begins: with a new run, with one that repeats another in part, or where the epoch
//! before it was cut off.

use std::sync::Arc;

use assist::RunContext;
use runs::event::flow::{GraphPinned, NodeFinished, NodesStale, OutputsFrom};
use runs::{EventBody, EventData, RunOutcome, StreamEvent, Work, WriteError};
use serde_json::{Map, Value, json};
use storage::records::RunState;
use storage::{BlobId, Timestamp};
use tokio::task::JoinSet;

use super::place::Key;
use super::state::State;
use super::timers::{Due, Timers};
use super::values::{Surroundings, ValueStore, marked};
use super::{Engine, pause};
use crate::graph::{JoinMode, NodeKind, Plan};
use crate::request::{Fork, StoredRequest};

/// Bytes of another run's journal that are read at once.
const READ: usize = 1 << 20;

impl Engine {
    /// Puts an epoch together. `inputs` are those the run was started with, whole.
    pub(crate) fn new(
        work: Work,
        run_context: Arc<RunContext>,
        asked: StoredRequest,
        plan: Arc<Plan>,
        inputs: Map<String, Value>,
    ) -> Self {
        let run = json!({
            "id": work.run.id,
            "started_at": work.run.created_at,
            "user_id": work.run.user,
        });
        let around = Surroundings { run: Arc::new(run), inputs: Arc::new(Value::Object(inputs)) };
        let vault = ValueStore::new(work.store.clone(), work.tenant, work.run.id);
        let order = asked.debug.as_ref().map(|debug| debug.order.clone());
        let budget = order.as_ref().and_then(pause::budget);
        let early = |kind: &NodeKind| matches!(kind, NodeKind::Join(join) if !join.keep_others && join.mode != JoinMode::All);
        let early_joins = (0..plan.nodes.len()).filter(|ix| early(&plan.node(*ix).kind)).collect();
        Self {
            state: State::new(plan),
            outbox: Vec::new(),
            early_joins,
            told: work.run.told.clone(),
            defaults: Default::default(),
            work,
            run_context,
            asked,
            vault,
            around,
            tasks: JoinSet::new(),
            working: Default::default(),
            handles: Default::default(),
            timers: Timers::default(),
            touched: Default::default(),
            uncertain: Default::default(),
            order,
            budget,
            halt: None,
            outcome: None,
            worked_ms: 0,
            working_since: None,
            forgiven: false,
        }
    }

    /// Begins, or goes on.
    pub(super) async fn begin(&mut self) -> Result<(), WriteError> {
        self.keep_constants().await;
        let history = std::mem::take(&mut self.work.history);
        match history.is_empty() {
            true => self.begin_new().await?,
            false => self.replay(&history).await?,
        }
        self.work_from_now();
        Ok(())
    }

    /// Values that stand in the graph are kept like those that a run makes: large ones apart, and none
    /// that passes itself off as one that is kept.
    async fn keep_constants(&mut self) {
        let plan = self.state.plan.clone();
        for (name, var) in &plan.vars {
            match self.vault.store_one(var.initial.clone()).await {
                Ok(initial) => drop(self.state.vars.insert(name.clone(), initial)),
                Err(why) => self.fail(why.into()),
            }
        }
        for (ix, node) in plan.nodes.iter().enumerate() {
            if let Some(Value::Object(default)) = &node.policy.default {
                match self.vault.store(default.clone()).await {
                    Ok(default) => drop(self.defaults.insert(ix, default)),
                    Err(why) => self.fail(why.into()),
                }
            }
        }
    }

    /// Counts the time from here on as worked.
    pub(super) fn work_from_now(&mut self) {
        let now = Timestamp::now();
        self.working_since = Some(now);
        let left = self.state.plan.limits.run_timeout_ms.saturating_sub(self.worked_ms);
        self.timers.add(now + std::time::Duration::from_millis(left), Due::Run, NOBODY);
    }

    /// Stops counting.
    pub(super) fn stop_counting(&mut self) {
        if let Some(since) = self.working_since.take() {
            self.worked_ms += Timestamp::now().since(since).as_millis() as u64;
        }
    }

    pub(super) async fn begin_new(&mut self) -> Result<(), WriteError> {
        let run = &self.work.run;
        let fork = self.asked.debug.as_ref().and_then(|debug| debug.fork.clone());
        let mut events = vec![
            EventData::RunStarted {
                model: run.model.clone(),
                message_id: run.message_id,
                parent_id: self.asked.parent_id,
                input_estimate: 0,
            },
            EventData::Graph(GraphPinned {
                hash: self.asked.graph_hash.clone(),
                debug: self.asked.debug.is_some(),
                forked_from: fork.as_ref().map(|fork| fork.from),
            }),
        ];
        events.extend(self.asked.title.clone().map(|title| EventData::Title { title }));
        if let Some(fork) = fork.as_ref().filter(|fork| !fork.stale.is_empty()) {
            events.push(EventData::NodesStale(NodesStale { ids: fork.stale.clone() }));
        }
        let begun = |run: &mut storage::records::Run| {
            run.state = RunState::Running;
            run.started_at.get_or_insert(Timestamp::now());
        };
        self.work.change(events.into_iter().map(EventBody::from).collect(), begun).await?;
        match fork {
            Some(fork) => self.take_over(&fork).await,
            None => Ok(()),
        }
    }

    /// Copies what an earlier run had done with nodes that need not run again.
    pub(super) async fn take_over(&mut self, fork: &Fork) -> Result<(), WriteError> {
        let (tenant, from) = (self.work.tenant, fork.from);
        let (mut after, mut copies) = (0, Vec::new());
        loop {
            let read = self.work.store.read(move |reader| reader.journal_read(tenant, from, after, READ));
            let events = read.await.map_err(|_: storage::Error| WriteError)?;
            let Some(last) = events.last() else { break };
            after = last.seq;
            copies.extend(events.iter().filter_map(|event| self.copy(fork, &event.json)));
        }
        let named = copies.iter().flat_map(|copy| named(&copy.data)).collect();
        self.vault.claim(named).await.map_err(|_| WriteError)?;
        // All of it or nothing: what is not copied would run again.
        self.record(copies)?;
        if after == 0 {
            self.outcome =
                Some(RunOutcome::failed("source_expired", "the run that this one repeats has expired"));
        }
        Ok(())
    }

    fn copy(&self, fork: &Fork, json: &[u8]) -> Option<EventBody> {
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
            kept @ (EventData::VariableChanged(_)
            | EventData::TextStart { .. }
            | EventData::TextDelta { .. }
            | EventData::TextEnd { .. }) => kept,
            _ => return None,
        };
        Some(EventBody { node: Some(Arc::new(node)), data })
    }
}

/// The blobs that a copied event names.
fn named(data: &EventData) -> Vec<BlobId> {
    match data {
        EventData::NodeFinished(done) => done.outputs.values().filter_map(marked).collect(),
        EventData::VariableChanged(change) => marked(&change.value).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The key of times that belong to no node.
pub(super) const NOBODY: Key = (super::place::TOP, usize::MAX);
