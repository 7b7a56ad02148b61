//! What a run that has been did: read from its journal, node by node.

use std::collections::{BTreeMap, HashMap};

use runs::event::flow::{NodeFinished, NodeStatus, OutputsFrom};
use runs::{EventData, NodeRef, StreamEvent};
use serde_json::{Map, Value};
use storage::records::{Run, Usage};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use crate::StoredRequest;

/// Bytes of a journal that are looked through at once.
const LOOK: usize = 256 * 1024;
/// Runs that are looked through for where a result that was taken over came from.
const ANCESTORS: usize = 16;

/// What a run did.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// By node, and there by execution; at the outermost level an execution is named as its node.
    executions: HashMap<String, BTreeMap<String, Execution>>,
}

/// One execution of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution {
    /// What it was given, where it began in this run.
    pub inputs: Option<Map<String, Value>>,
    /// Whether it did something, in this run or in the one that its result was taken over from.
    pub began: bool,
    /// How it ended, if it did.
    pub end: Option<NodeFinished>,
    /// Whether it was passed over.
    pub skipped: bool,
    /// Whether what it did was undone.
    pub undone: bool,
    /// Tokens that it cost.
    pub tokens: u64,
    /// What they cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Of a result that was taken over: where it came from at first, if that is known.
    origin: Option<OutputsFrom>,
}

impl Execution {
    /// Its result, if the run went on from one.
    pub fn result(&self) -> Option<&NodeFinished> {
        let ended = self.end.as_ref().filter(|_| !self.undone);
        ended.filter(|end| matches!(end.status, NodeStatus::Succeeded | NodeStatus::ErrorHandled))
    }

    /// Where its outputs came from at first.
    pub fn from(&self) -> OutputsFrom {
        self.origin.unwrap_or_else(|| self.finished_from())
    }

    fn finished_from(&self) -> OutputsFrom {
        self.end.as_ref().map(|end| end.from).unwrap_or_default()
    }

    /// Whether it was copied from a run that is unknown by now.
    fn is_orphan(&self) -> bool {
        self.origin.is_none() && self.finished_from() == OutputsFrom::Reused
    }
}

impl Source {
    /// Reads all of a run's journal, and of those before it what shows where the results came from
    /// that it took over.
    pub fn of_run(reader: &Reader, tenant: TenantId, run: &Row<Run>) -> storage::Result<Self> {
        let mut from = forked_from(run);
        let mut source = Self::read(reader, tenant, run.id)?;
        for _ in 0..ANCESTORS {
            let Some(before) = from.filter(|_| source.has_orphans()) else { break };
            source.adopt(&Self::read(reader, tenant, before)?);
            from = reader.get::<Run>(tenant, &before)?.and_then(|run| forked_from(&run));
        }
        Ok(source)
    }

    fn has_orphans(&self) -> bool {
        self.executions.values().flat_map(BTreeMap::values).any(Execution::is_orphan)
    }

    /// Learns from the run before where the results came from that were taken over from it.
    fn adopt(&mut self, before: &Self) {
        for (node, executions) in &mut self.executions {
            for (name, execution) in executions.iter_mut().filter(|(_, execution)| execution.is_orphan()) {
                let Some(first) = before.executions.get(node).and_then(|of_node| of_node.get(name)) else {
                    continue;
                };
                execution.origin = Some(first.from()).filter(|from| *from != OutputsFrom::Reused);
                execution.inputs = first.inputs.clone();
            }
        }
    }

    fn read(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<Self> {
        let (mut source, mut after) = (Self::default(), 0);
        loop {
            let events = reader.journal_read(tenant, run, after, LOOK)?;
            let Some(last) = events.last() else { return Ok(source) };
            after = last.seq;
            for event in events.iter().filter(|event| is_needed(&event.kind)) {
                if let Ok(StreamEvent { node, event, .. }) = serde_json::from_slice(&event.json) {
                    source.apply(node.as_ref(), event);
                }
            }
        }
    }

    /// Takes note of one event.
    pub fn apply(&mut self, node: Option<&NodeRef>, event: EventData) {
        if let EventData::RunCompensating(undone) = &event {
            undone.executions.iter().for_each(|execution| self.undo(execution));
        }
        let Some(node) = node else { return };
        let of_node = self.executions.entry(node.node_id.to_string()).or_default();
        let execution = of_node.entry(node.exec_id.to_string()).or_default();
        match event {
            EventData::NodeStarted(started) => {
                execution.began = true;
                execution.inputs = Some(started.inputs);
            }
            EventData::Usage { usage, cost_nanos, .. } => {
                execution.tokens += tokens(&usage);
                execution.cost_nanos += cost_nanos;
            }
            EventData::NodeFinished(end) => {
                execution.began |= end.from != OutputsFrom::Pinned;
                // A result that was copied has no other events with its cost.
                execution.tokens = execution.tokens.max(tokens(&end.usage));
                execution.cost_nanos = execution.cost_nanos.max(end.cost_nanos);
                execution.end = Some(*end);
            }
            EventData::NodeSkipped(_) => execution.skipped = true,
            _ => {}
        }
    }

    fn undo(&mut self, execution: &str) {
        let node = execution.rsplit('/').next().unwrap_or(execution);
        let found = self.executions.get_mut(node).and_then(|of_node| of_node.get_mut(execution));
        if let Some(execution) = found {
            execution.undone = true;
        }
    }

    /// The executions of a node.
    pub fn executions_of(&self, node: &str) -> impl Iterator<Item = &Execution> {
        self.executions.get(node).into_iter().flat_map(BTreeMap::values)
    }

    /// The execution of a node of the outermost level, if it came to one.
    pub fn outermost(&self, node: &str) -> Option<&Execution> {
        self.executions.get(node)?.get(node)
    }
}

/// Whether an event of this type says something of what is left at the end.
fn is_needed(kind: &str) -> bool {
    matches!(kind, "node.started" | "usage" | "node.finished" | "node.skipped" | "run.compensating")
}

fn forked_from(run: &Run) -> Option<Uuid> {
    StoredRequest::from_run(run).debug?.fork.map(|fork| fork.from)
}

fn tokens(usage: &Usage) -> u64 {
    usage.input_tokens + usage.output_tokens
}
