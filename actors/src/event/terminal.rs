//! The end of a run.

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::{RunState, Usage};
use utoipa::ToSchema;
use uuid::Uuid;

/// How a run ended: one record, written once, the same for every reader and for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Terminal {
    /// One of the terminal states.
    pub status: RunState,
    /// Why, where the status alone does not say it (`length`, `crashed`, `grace_expired`, ...).
    pub reason: Option<String>,
    /// Who cancelled it.
    pub cancelled_by: Option<Uuid>,
    /// What went wrong.
    pub error: Option<TerminalError>,
    /// Tokens of all the run's model calls.
    pub usage: Usage,
    /// Their cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Sequence number of the event that carries this record.
    pub last_seq: u64,
    /// When work began; none for a run that never began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Timestamp,
    /// Whether the answer is there, but not all of it.
    pub partial: bool,
}

/// What went wrong in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TerminalError {
    /// Stable code.
    pub code: String,
    /// For people; a provider's own words, without keys.
    pub message: String,
    /// In how many seconds a provider asks to be asked again, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
    /// In a workflow: the node in which it went wrong, the innermost one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

impl TerminalError {
    /// An error of which nothing more is known.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), retry_after_s: None, node_id: None }
    }
}
