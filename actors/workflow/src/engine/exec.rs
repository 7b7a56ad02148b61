//! Executions of nodes, and the activations of levels of the graph that they stand in.

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

/// How far an execution has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Some of the edges that lead here are undecided.
    #[default]
    Pending,
    /// It can begin.
    Ready,
    /// It has begun and is not over: it works, waits, or something in it does.
    Active,
    /// It is over.
    Over,
}

/// One execution of a node.
#[derive(Default)]
pub struct Exec {
    /// Its name, once somebody has asked for it.
    pub name: OnceLock<Arc<NodeRef>>,
    pub phase: Phase,
    pub taken: u32,
    pub dead: u32,
    /// Nodes whose edges led here, in the order in which they came.
    pub arrived: Vec<NodeIx>,
    /// The attempt that it is in, from 1.
    pub attempt: u32,
    /// Attempts that failed.
    pub failures: u32,
    /// Whether the last attempt is known to have failed, and the next one has not begun.
    pub retrying: bool,
    /// When that next one is due.
    pub retry_at: Option<Timestamp>,
    /// Epochs in which it began and came to no end,
    pub begun: u32,
    /// and the last of them.
    pub begun_in: u32,
    pub started_at: Option<Timestamp>,
    /// What it was given, as it stands in the journal.
    pub inputs: Arc<Map<String, Value>>,
    pub waiting: Option<NodeWaiting>,
    /// The run that it started and the conversation of that, as far as the journal tells.
    pub child: Option<(Uuid, Option<Uuid>)>,
    pub form: Option<Box<FormRequired>>,
    pub iterations: Option<Box<Iterations>>,
    pub status: Option<NodeStatus>,
    /// What it gave, as it stands in the journal, with `error` beside it where it failed.
    pub outputs: Option<Arc<Value>>,
    pub error: Option<TerminalError>,
    /// Tokens of attempts before the one it is in.
    pub usage: Usage,
    pub cost_nanos: u64,
    /// Characters that a model has read and said in this attempt, and of which no usage was told.
    pub unbilled: Option<(u64, u64)>,
    /// Full id of the model that answers in the place of the one that was asked, until it tells its usage.
    pub answering: Option<String>,
    /// What it said to the run's answer before a crash cut it off.
    pub said: String,
    /// Whether whoever debugs has let it pass a breakpoint.
    pub passed: bool,
    /// Whether whoever debugs has changed its inputs.
    pub edited: bool,
    /// Whether it was told that it waits for its turn.
    pub told: bool,
    /// Its place in the order of ends, for undoing.
    pub ended: u64,
    /// Whether it did something in this run that can be undone.
    pub undoable: bool,
}

/// What a container has come to.
#[derive(Default)]
pub struct Iterations {
    /// Items of an `each`, once they were looked at.
    pub items: Option<Arc<Value>>,
    pub count: Option<u64>,
    pub next: u64,
    pub open: u64,
    /// Results that are in, by index; none for those that are dropped.
    pub results: BTreeMap<u64, Option<Value>>,
    pub failed: u64,
    /// Why the last iteration that failed did.
    pub error: Option<TerminalError>,
    pub breaking: bool,
    pub last: Value,
}

/// One activation of a level of the graph.
#[derive(Default)]
pub struct Region {
    /// The container's execution, and which iteration this is.
    pub of: Option<(Key, u64)>,
    pub path: Path,
    pub execs: BTreeMap<NodeIx, Box<Exec>>,
    /// Iterations that are under way of containers that stand in it.
    pub inner: BTreeSet<RegionId>,
    /// Whether something in one of those that are over may have to be undone.
    pub keeps: bool,
    /// Executions that are ready or active.
    pub open: usize,
    /// The last that succeeded, whose outputs are the result if nothing else is said.
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
