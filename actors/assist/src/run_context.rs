//! What work may use.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use providers::Models;
use providers::web::WebClient;
use runs::Work;
use sandbox::Sandbox;
use storage::Store;

use crate::connections::Connections;
use crate::library::Library;
use crate::tool_servers::ToolServers;

/// What the work of runs may use, whatever kind they are.
pub struct RunContext {
    /// What stays.
    pub store: Store,
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

/// The work of one epoch of a run, together with what it may use beside the run itself.
pub struct RunWork {
    work: Work,
    /// What it may use.
    pub run_context: Arc<RunContext>,
}

impl RunWork {
    /// The work with this context.
    pub fn new(work: Work, run_context: Arc<RunContext>) -> Self {
        Self { work, run_context }
    }
}

impl Deref for RunWork {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.work
    }
}

impl DerefMut for RunWork {
    fn deref_mut(&mut self) -> &mut Work {
        &mut self.work
    }
}
