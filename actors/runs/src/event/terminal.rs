//! The end of a run.

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::{MessageError, RunState, Usage};
use utoipa::ToSchema;
use uuid::Uuid;

/// How a run ended: one record, written once, the same for every reader and for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Terminal {
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
    /// The name that a provider itself has for it, such as `insufficient_quota`, if it tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64, pattern = "^[A-Za-z][A-Za-z0-9_.-]*$")]
    pub provider_code: Option<String>,
    /// In how many seconds a provider asks to be asked again, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
    /// In a workflow: the node in which it went wrong, the innermost one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// In a workflow: whether the message is the text of a `fail` node, which is written for users.
    #[serde(default, skip_serializing_if = "is_false")]
    pub authored: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl TerminalError {
    /// An error of which nothing more is known.
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
    fn errors_of_older_journals_read_and_are_written_as_they_were() {
        let old = r#"{"code":"upstream_refused","message":"No.","retry_after_s":3}"#;
        let error: TerminalError = serde_json::from_str(old).expect("it reads");
        assert_eq!((error.provider_code.as_deref(), error.retry_after_s), (None, Some(3)));
        assert_eq!(serde_json::to_string(&error).expect("JSON"), old);
    }
}
