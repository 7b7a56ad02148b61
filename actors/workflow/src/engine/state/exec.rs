//! Executions of nodes, and regions: the activations of graph levels that contain executions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use runs::event::flow::{FormRequired, NodeStatus, NodeWaiting};
use runs::{NodeRef, TerminalError};
use serde_json::{Map, Value};
use storage::Timestamp;
use storage::records::Usage;
use uuid::Uuid;

use super::place::{Key, Path, RegionId};
use crate::graph::NodeIx;

/// The progress of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Some incoming edges are undecided.
    #[default]
    Pending,
    /// The execution can begin.
    Ready,
    /// The execution has begun and not ended: it works, waits, or contains executions that do.
    Active,
    Over,
}

/// One execution of a node.
#[derive(Default)]
pub struct Exec {
    /// The name of the execution, computed on first use.
    pub name: OnceLock<Arc<NodeRef>>,
    pub phase: Phase,
    /// Number of incoming edges that were taken.
    pub taken: u32,
    /// Number of incoming edges that can no longer be taken.
    pub dead: u32,
    /// Nodes whose edges were taken, in the order of arrival.
    pub arrived: Vec<NodeIx>,
    /// The current attempt, counted from 1.
    pub attempt: u32,
    /// Number of failed attempts.
    pub failures: u32,
    /// Whether the last attempt has failed and the next attempt has not begun.
    pub retrying: bool,
    /// When the next attempt is due.
    pub retry_at: Option<Timestamp>,
    /// Number of epochs in which the execution began without ending.
    pub begun: u32,
    /// The most recent of these epochs.
    pub begun_in: u32,
    pub started_at: Option<Timestamp>,
    /// Inputs in the form stored in the journal.
    pub inputs: Arc<Map<String, Value>>,
    pub waiting: Option<NodeWaiting>,
    /// The child run and its conversation, once the journal names them.
    pub child: Option<(Uuid, Option<Uuid>)>,
    pub form: Option<Box<FormRequired>>,
    pub iterations: Option<Box<Iterations>>,
    pub status: Option<NodeStatus>,
    /// Outputs in the form stored in the journal. `error` is added if the execution failed.
    pub outputs: Option<Arc<Value>>,
    pub error: Option<TerminalError>,
    /// Token usage of attempts before the current one.
    pub usage: Usage,
    pub cost_nanos: u64,
    /// Number of characters that a model has read and written in this attempt without a usage event so far.
    pub unbilled: Option<(u64, u64)>,
    /// Full id of the fallback model that answers, until its usage event.
    pub answering: Option<String>,
    /// The text that the execution has written to the run's answer.
    pub said: String,
    /// The position in the order of ends, for compensation.
    pub ended: u64,
    /// Whether the execution had an effect in this run that can be undone.
    pub undoable: bool,
}

impl Exec {
    /// Counts characters written by a model.
    pub fn count_said(&mut self, text: &str) {
        if let Some((_, said)) = &mut self.unbilled {
            *said += text.chars().count() as u64;
        }
    }
}

/// The state of a container's iterations.
#[derive(Default)]
pub struct Iterations {
    /// The items of an `each`, once they are loaded.
    pub items: Option<Arc<Value>>,
    pub count: Option<u64>,
    pub next: u64,
    pub open: u64,
    /// Results so far, by index. `None` for dropped results.
    pub results: BTreeMap<u64, Option<Value>>,
    pub failed: u64,
    /// The error of the most recent failed iteration.
    pub error: Option<TerminalError>,
    pub breaking: bool,
    pub last: Value,
}

/// One activation of a level of the graph.
#[derive(Default)]
pub struct Region {
    /// The execution of the container, and the index of the iteration.
    pub of: Option<(Key, u64)>,
    pub path: Path,
    pub execs: BTreeMap<NodeIx, Box<Exec>>,
    /// Running iterations of containers in this region.
    pub inner: BTreeSet<RegionId>,
    /// Whether an ended inner region may contain executions to undo.
    pub keeps: bool,
    /// Number of executions that are ready or active.
    pub open: usize,
    /// The most recent execution that succeeded. Its outputs are the result unless the container has a result template.
    pub last: Option<NodeIx>,
}

/// Approximate number of characters that a model reads for a value.
pub fn chars(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.chars().count() as u64,
        Value::Array(items) => items.iter().map(chars).sum(),
        Value::Object(members) => members.values().map(chars).sum(),
        _ => 4,
    }
}
