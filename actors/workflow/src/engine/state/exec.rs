//! Executions of nodes, and the activations of levels of the graph that contain them.

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
    /// Some of its incoming edges are undecided.
    #[default]
    Pending,
    /// It can begin.
    Ready,
    /// It has begun and is not over: it works, waits, or contains something that does.
    Active,
    Over,
}

/// One execution of a node.
#[derive(Default)]
pub struct Exec {
    /// Its name, computed when first needed.
    pub name: OnceLock<Arc<NodeRef>>,
    pub phase: Phase,
    /// Incoming edges that were taken.
    pub taken: u32,
    /// Incoming edges that can no longer be taken.
    pub dead: u32,
    /// Nodes whose edges were taken, in that order.
    pub arrived: Vec<NodeIx>,
    /// The current attempt, from 1.
    pub attempt: u32,
    /// Attempts that failed.
    pub failures: u32,
    /// Whether the last attempt has failed and the next one has not begun.
    pub retrying: bool,
    /// When that next attempt is due.
    pub retry_at: Option<Timestamp>,
    /// Epochs in which it began without coming to an end.
    pub begun: u32,
    /// The last of those epochs.
    pub begun_in: u32,
    pub started_at: Option<Timestamp>,
    /// Inputs as the journal has them.
    pub inputs: Arc<Map<String, Value>>,
    pub waiting: Option<NodeWaiting>,
    /// The run that it started, with its conversation, once the journal names it.
    pub child: Option<(Uuid, Option<Uuid>)>,
    pub form: Option<Box<FormRequired>>,
    pub iterations: Option<Box<Iterations>>,
    pub status: Option<NodeStatus>,
    /// Outputs as the journal has them, with `error` added where it failed.
    pub outputs: Option<Arc<Value>>,
    pub error: Option<TerminalError>,
    /// Tokens of attempts before the current one.
    pub usage: Usage,
    pub cost_nanos: u64,
    /// Characters that a model has read and written in this attempt without a usage event so far.
    pub unbilled: Option<(u64, u64)>,
    /// Full id of the fallback model that answers, until its usage event.
    pub answering: Option<String>,
    /// The text that it has written to the run's answer.
    pub said: String,
    /// Its place in the order of ends, for compensation.
    pub ended: u64,
    /// Whether it did something in this run that can be undone.
    pub undoable: bool,
}

impl Exec {
    /// Counts characters that a model has written.
    pub fn count_said(&mut self, text: &str) {
        if let Some((_, said)) = &mut self.unbilled {
            *said += text.chars().count() as u64;
        }
    }
}

/// The iterations of a container.
#[derive(Default)]
pub struct Iterations {
    /// Items of an `each`, once they were loaded.
    pub items: Option<Arc<Value>>,
    pub count: Option<u64>,
    pub next: u64,
    pub open: u64,
    /// Results so far, by index; `None` for those that are dropped.
    pub results: BTreeMap<u64, Option<Value>>,
    pub failed: u64,
    /// The error of the last iteration that failed.
    pub error: Option<TerminalError>,
    pub breaking: bool,
    pub last: Value,
}

/// One activation of a level of the graph.
#[derive(Default)]
pub struct Region {
    /// The container's execution, and the index of the iteration.
    pub of: Option<(Key, u64)>,
    pub path: Path,
    pub execs: BTreeMap<NodeIx, Box<Exec>>,
    /// Iterations under way of containers in this region.
    pub inner: BTreeSet<RegionId>,
    /// Whether an inner region that is over may contain something to undo.
    pub keeps: bool,
    /// Executions that are ready or active.
    pub open: usize,
    /// The last execution that succeeded; its outputs are the result unless a template names another.
    pub last: Option<NodeIx>,
}

/// About how many characters a model has to read for a value.
pub fn chars(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.chars().count() as u64,
        Value::Array(items) => items.iter().map(chars).sum(),
        Value::Object(members) => members.values().map(chars).sum(),
        _ => 4,
    }
}
