//! What work may use.

use std::sync::Arc;

use providers::Models;
use providers::web::WebClient;
use sandbox::Sandbox;
use storage::Store;

use crate::connections::Connections;
use crate::library::Library;
use crate::tool_servers::ToolServers;

/// What the work of runs may use, whatever kind they are.
pub struct RunContext {
    /// What stays.
    pub store: Store,
    /// Models.
    pub models: Arc<Models>,
    /// Where scripts run.
    pub sandbox: Sandbox,
    /// The way to other servers.
    pub web: WebClient,
    /// The way to tool servers.
    pub tool_servers: ToolServers,
    /// The logins of users at other servers.
    pub connections: Connections,
    /// What documents say.
    pub library: Library,
    /// Model calls that one piece of work may make.
    pub max_turns: u32,
}
