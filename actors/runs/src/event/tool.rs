//! Events of tools on tool servers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A tool of a tool server is about to be called. The event is durable before anything is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolStarted {
    pub call_id: String,
    /// Name of the tool server in the assistant.
    pub server: String,
    /// Name of the tool on its server.
    pub tool: String,
    /// Whether the server declares that repeating the same call is safe.
    #[serde(default)]
    pub repeatable: bool,
}

/// Progress of a tool call. If several reports arrive close together, only the newest is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolProgress {
    pub call_id: String,
    /// Amount of work that is done.
    pub progress: f64,
    /// Total amount of work, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub total: Option<f64>,
    /// Description of the current step, as reported by the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message: Option<String>,
}

/// A tool server has a problem or cannot be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ToolServerTold)]
pub struct ToolServerIssue {
    /// Name of the tool server in the assistant.
    pub server: String,
    /// What is wrong: `not_approved` (the server is not approved for the assistant), `feature_disabled` (tool servers are
    /// switched off for the user), `login_required` (the user has to sign in to the server), `tool_server_unreachable`,
    /// `tool_server_refused`, `tool_server_protocol`, `timeout` and the like; `tools_left_out` if the servers' descriptions
    /// of their tools are too long.
    pub code: String,
    /// Description of the problem for people.
    pub message: String,
}
