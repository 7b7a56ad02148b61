//! What happens with the tools of tool servers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A tool of a tool server is about to be called. It stands in the journal before anything is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolStarted {
    pub call_id: String,
    /// The tool server, by the assistant's name for it.
    pub server: String,
    /// The tool, by its server's name for it.
    pub tool: String,
    /// Whether the server says that the same call once more does no harm.
    #[serde(default)]
    pub repeatable: bool,
}

/// A tool tells how far it has come. Only the newest of those that come close together is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolProgress {
    pub call_id: String,
    /// What is done.
    pub progress: f64,
    /// What there is to do in all, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// In the tool's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A tool server cannot be used as it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ToolServerTold)]
pub struct ToolServerIssue {
    /// The tool server, by the assistant's name for it.
    pub server: String,
    /// What is wrong: `not_approved` (it is not approved for the assistant), `feature_disabled` (tool servers are
    /// switched off for the user), `login_required` (the user has to log in there), `tool_server_unreachable`, `tool_server_refused`,
    /// `tool_server_protocol`, `timeout` and the like; `tools_left_out` where the servers say too much of their tools.
    pub code: String,
    /// In words.
    pub message: String,
}
