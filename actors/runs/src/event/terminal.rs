//! The terminal record of a run.

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::{MessageError, RunState, Usage};
use utoipa::ToSchema;
use uuid::Uuid;

/// How a run ended. The record is written once and never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Terminal {
    pub status: RunState,
    /// The reason, if the status does not imply it (`length`, `crashed`, `grace_expired`, ...).
    pub reason: Option<String>,
    /// The user who cancelled the run.
    pub cancelled_by: Option<Uuid>,
    /// The error, if the run failed.
    pub error: Option<TerminalError>,
    /// Token usage of all model calls of the run.
    pub usage: Usage,
    /// Cost of all model calls in billionths of a dollar.
    pub cost_nanos: u64,
    /// Sequence number of the event that contains this record.
    pub last_seq: u64,
    /// When the work started. Absent for a run that never started.
    pub started_at: Option<Timestamp>,
    /// When the run ended.
    pub finished_at: Timestamp,
    /// Whether there is an answer that is incomplete.
    pub partial: bool,
}

/// Why a run failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TerminalError {
    /// Stable error code.
    pub code: String,
    /// Message for people. May contain the provider's message, without API keys.
    pub message: String,
    /// The provider's own error code, such as `insufficient_quota`, if it reported one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64, pattern = "^[A-Za-z][A-Za-z0-9_.-]*$", nullable = false)]
    pub provider_code: Option<String>,
    /// Number of seconds after which the provider asks for a retry, if it reported one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after_s: Option<u64>,
    /// In a workflow, the innermost node in which the error occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub node_id: Option<String>,
    /// In a workflow, whether the message is the text of a `fail` node, which is written for users.
    #[serde(default, skip_serializing_if = "is_false")]
    pub authored: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl TerminalError {
    /// Creates an error with a code and a message only.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), ..Self::default() }
    }
}

impl From<TerminalError> for MessageError {
    fn from(TerminalError { code, message, provider_code, .. }: TerminalError) -> Self {
        Self { code, message, provider_code }
    }
}

#[cfg(test)]
mod tests {
    use super::TerminalError;

    #[test]
    fn terminal_error_round_trips_errors_of_older_journals() {
        let old = r#"{"code":"upstream_refused","message":"No.","retry_after_s":3}"#;
        let error: TerminalError = serde_json::from_str(old).expect("it reads");
        assert_eq!((error.provider_code.as_deref(), error.retry_after_s), (None, Some(3)));
        assert_eq!(serde_json::to_string(&error).expect("JSON"), old);
    }
}
