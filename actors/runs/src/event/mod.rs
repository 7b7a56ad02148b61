//! The canonical events: the contents of a journal, from which every encoding is produced.

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

/// One event of a run's journal, as stored on disk and as sent in the encodings `events` and `ndjson`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StreamEvent {
    /// Position in the journal, from 1 without gaps.
    pub seq: u64,
    /// When the event was created.
    pub ts: Timestamp,
    /// ID of the run. For a completion, this is the stream ID.
    pub run_id: Uuid,
    /// Number of the start of the run's work during which the event was created, from 1.
    pub epoch: u32,
    /// The workflow node in which the event occurred.
    #[serde(flatten)]
    pub node: Option<NodeRef>,
    /// The type of the event and its data.
    #[serde(flatten)]
    pub event: EventData,
}

impl StreamEvent {
    /// Deserializes a whole event. Returns `None` for an event that cannot be read, like [`EventData::read`]. Has no type
    /// parameters, so that it is compiled once.
    pub fn read(event: &JournalEvent) -> Option<Self> {
        serde_json::from_slice(&event.json).ok()
    }
}

/// One execution of a workflow node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeRef {
    /// Name of the node in the graph.
    #[schema(value_type = String)]
    pub node_id: Arc<str>,
    /// ID of this execution: the node's name, preceded by the iterations that contain it (`each1:3/write`).
    #[schema(value_type = String)]
    pub exec_id: Arc<str>,
    /// The iterations that contain the execution, outermost first: name of the container and index from 0.
    #[serde(default)]
    #[schema(value_type = Vec<Vec<Value>>)]
    pub scope: Vec<(Arc<str>, u64)>,
}

/// An event as it is passed to a writer: its data and its node.
#[derive(Clone, Debug, PartialEq)]
pub struct EventBody {
    /// The node, in a workflow run.
    pub node: Option<Arc<NodeRef>>,
    /// The type of the event and its data.
    pub data: EventData,
}

impl From<EventData> for EventBody {
    fn from(data: EventData) -> Self {
        Self { node: None, data }
    }
}

impl EventBody {
    /// Creates an event that occurred in a node.
    pub fn in_node(node: &Arc<NodeRef>, data: EventData) -> Self {
        Self { node: Some(node.clone()), data }
    }

    /// Appends a delta that directly follows this one. Returns false if the two cannot be folded.
    pub(crate) fn fold(&mut self, next: &EventBody, limit: usize) -> bool {
        self.node == next.node && self.data.fold(&next.data, limit)
    }
}
