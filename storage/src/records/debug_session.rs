//! Debug sessions of workflows.

use crate::record::{Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// Whether a run stops before or after a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BreakWhen {
    /// The inputs of the node are known, and it has not started.
    #[default]
    Before,
    /// The node has finished, and no node after it has started.
    After,
}

/// A node at which a debug run stops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Breakpoint {
    pub node: String,
    /// Whether the run stops before or after the node.
    #[serde(default)]
    pub when: BreakWhen,
}

/// A user's debug settings for a workflow. Its id is (user, assistant), so that two users who debug
/// the same workflow do not interfere with each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DebugSession {
    /// The conversation with the debug runs. The newest run in it is the one that is debugged.
    pub conversation_id: Option<Uuid>,
    /// The breakpoints, at which runs stop.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that do not run, with the outputs that are used in their place.
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Input values that replace those in the graph, by `node.in.name`.
    pub overrides: BTreeMap<String, Value>,
}

impl Record for DebugSession {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"ds";
    const NAME: &'static str = "debug_session";
    const GROWTH: Growth<Self> =
        Growth::metered(|id: &Self::Id, _| Owner::User(id.0), "one per user and assistant");
}
