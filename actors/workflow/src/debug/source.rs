//! Reads from a run's journal what each node did.

use std::collections::{BTreeMap, HashMap};

use runs::event::flow::{NodeFinished, NodeStatus, OutputsFrom};
use runs::{EventData, NodeRef, StreamEvent};
use serde_json::{Map, Value};
use storage::records::{Run, Usage};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use crate::StoredRequest;

/// Number of journal bytes read at a time.
const READ_BYTES: usize = 256 * 1024;
/// Maximum number of ancestor runs that are searched for the origin of a reused result.
const ANCESTORS: usize = 16;

/// What the nodes of a run did.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Executions by node and by name. At the outermost level, an execution has the name of its node.
    executions: HashMap<String, BTreeMap<String, Execution>>,
}

/// One execution of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution {
    /// The inputs, if the execution began in this run.
    pub inputs: Option<Map<String, Value>>,
    /// Whether the node did any work, in this run or in the run from which its result was copied.
    pub began: bool,
    /// How the execution ended, if it did.
    pub end: Option<NodeFinished>,
    /// Whether the execution was skipped.
    pub skipped: bool,
    /// Whether the work of the execution was undone.
    pub undone: bool,
    /// Tokens used by the execution.
    pub tokens: u64,
    /// Cost of the tokens, in billionths of a US dollar.
    pub cost_nanos: u64,
    /// For a copied result: the original source of the outputs, if it is known.
    origin: Option<OutputsFrom>,
}

impl Execution {
    /// Returns the result, if the run continued from one.
    pub fn result(&self) -> Option<&NodeFinished> {
        let ended = self.end.as_ref().filter(|_| !self.undone);
        ended.filter(|end| matches!(end.status, NodeStatus::Succeeded | NodeStatus::ErrorHandled))
    }

    /// Returns the original source of the outputs.
    pub fn from(&self) -> OutputsFrom {
        self.origin.unwrap_or_else(|| self.finished_from())
    }

    fn finished_from(&self) -> OutputsFrom {
        self.end.as_ref().map(|end| end.from).unwrap_or_default()
    }

    /// Whether the result was copied from a run that is not known yet.
    fn is_orphan(&self) -> bool {
        self.origin.is_none() && self.finished_from() == OutputsFrom::Reused
    }
}

impl Source {
    /// Reads the complete journal of a run. Also reads ancestor runs, as far as necessary to find the original source of copied
    /// results.
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

    /// Takes the original source of copied results from the previous run.
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
            let events = reader.journal_read(tenant, run, after, READ_BYTES)?;
            let Some(last) = events.last() else { return Ok(source) };
            after = last.seq;
            for event in events.iter().filter(|event| is_needed(&event.kind)) {
                if let Ok(StreamEvent { node, event, .. }) = serde_json::from_slice(&event.json) {
                    source.apply(node.as_ref(), event);
                }
            }
        }
    }

    /// Applies one event of the journal.
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
                // For a copied result, no other event contains the cost.
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

    /// Returns all executions of a node.
    pub fn executions_of(&self, node: &str) -> impl Iterator<Item = &Execution> {
        self.executions.get(node).into_iter().flat_map(BTreeMap::values)
    }

    /// Returns the execution of a node of the outermost level, if there is one.
    pub fn outermost(&self, node: &str) -> Option<&Execution> {
        self.executions.get(node)?.get(node)
    }
}

/// Whether events of this type are needed to determine what each node did.
fn is_needed(kind: &str) -> bool {
    matches!(kind, "node.started" | "usage" | "node.finished" | "node.skipped" | "run.compensating")
}

fn forked_from(run: &Run) -> Option<Uuid> {
    StoredRequest::from_run(run).debug?.fork.map(|fork| fork.from)
}

fn tokens(usage: &Usage) -> u64 {
    usage.input_tokens + usage.output_tokens
}
