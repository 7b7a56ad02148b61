//! Debug sessions.

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
    /// Its inputs are known; it has not begun.
    #[default]
    Before,
    /// It is done; nothing behind it has begun.
    After,
}

/// Where a debug run stops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Breakpoint {
    pub node: String,
    /// On which side of it.
    #[serde(default)]
    pub when: BreakWhen,
}

/// What a person who debugs a workflow has set up. Its id is (user, assistant), so that two who
/// debug the same workflow do not meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DebugSession {
    /// Where its runs live; the newest run in it is the one that is debugged.
    pub conversation_id: Option<Uuid>,
    /// The breakpoints, at which runs stop.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that do not run, with the outputs they are taken to have.
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Inputs of nodes with other values than in the graph: `node.in.name`.
    pub overrides: BTreeMap<String, Value>,
}

impl Record for DebugSession {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"ds";
    const NAME: &'static str = "debug_session";
    const GROWTH: Growth<Self> =
        Growth::metered(|id: &Self::Id, _| Owner::User(id.0), "one per user and assistant");
}
