//! The resources that the work of runs may use.

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

/// The resources that the work of runs of all kinds may use.
pub struct RunContext {
    /// The persistent store.
    pub store: Store,
    pub models: Arc<Models>,
    /// Executes scripts.
    pub sandbox: Sandbox,
    /// Sends requests to other servers.
    pub web: WebClient,
    /// Connects to tool servers.
    pub tool_servers: ToolServers,
    /// The logins of users at other servers.
    pub connections: Connections,
    /// Documents and their contents.
    pub library: Library,
    /// Maximum number of model calls of one piece of work.
    pub max_turns: u32,
}

/// The work of one epoch of a run, together with its resources.
pub struct RunWork {
    work: Work,
    /// The resources that the work may use.
    pub run_context: Arc<RunContext>,
}

impl RunWork {
    /// Combines the work with its run context.
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
