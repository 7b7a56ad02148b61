//! The canonical events: what a journal holds and every wire is made from.

mod data;
pub mod directory;
pub mod flow;
mod form;
mod kind;
mod raw_delta;
mod source;
mod terminal;
pub mod tool;
mod value_type;
pub mod video;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::journal::JournalEvent;
use utoipa::ToSchema;
use uuid::Uuid;

pub use data::EventData;
pub use form::{FormAction, FormField};
pub use raw_delta::RawDelta;
pub use terminal::{Terminal, TerminalError};
pub use value_type::ValueType;

/// One event of a run's journal, as it stands on disk and on the `events` and `ndjson` wires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StreamEvent {
    /// Position in the journal, from 1 without a gap.
    pub seq: u64,
    /// When the event was made.
    pub ts: Timestamp,
    /// The run; for a completion this is its stream id.
    pub run_id: Uuid,
    /// Which start of the run's work it is, from 1.
    pub epoch: u32,
    /// The node of a workflow that it happened in.
    #[serde(flatten)]
    pub node: Option<NodeRef>,
    /// What happened.
    #[serde(flatten)]
    pub event: EventData,
}

impl StreamEvent {
    /// A whole event; none for one that cannot be read, as with [`EventData::read`]. Without type parameters, so that it is
    /// compiled once.
    pub fn read(event: &JournalEvent) -> Option<Self> {
        serde_json::from_slice(&event.json).ok()
    }
}

/// One execution of a node of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeRef {
    /// The node, by its name in the graph.
    #[schema(value_type = String)]
    pub node_id: Arc<str>,
    /// This execution: the node's name, after the iterations it stands in (`each1:3/write`).
    #[schema(value_type = String)]
    pub exec_id: Arc<str>,
    /// The iterations it stands in, outermost first: the container and the index from 0.
    #[serde(default)]
    #[schema(value_type = Vec<Vec<Value>>)]
    pub scope: Vec<(Arc<str>, u64)>,
}

/// What is written to a journal: what happened, and in which node.
#[derive(Clone, Debug, PartialEq)]
pub struct EventBody {
    /// The node, in a workflow.
    pub node: Option<Arc<NodeRef>>,
    /// What happened.
    pub data: EventData,
}

impl From<EventData> for EventBody {
    fn from(data: EventData) -> Self {
        Self { node: None, data }
    }
}

impl EventBody {
    /// Something that happened in a node.
    pub fn in_node(node: &Arc<NodeRef>, data: EventData) -> Self {
        Self { node: Some(node.clone()), data }
    }

    /// Adds a delta that follows this one directly; false when the two do not belong together.
    pub(crate) fn fold(&mut self, next: &EventBody, limit: usize) -> bool {
        self.node == next.node && self.data.fold(&next.data, limit)
    }
}
