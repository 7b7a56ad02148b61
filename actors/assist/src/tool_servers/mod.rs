//! Tool servers that assistants are connected to: their tools, and the logins that are used there.

mod lists;
mod rights;

use std::sync::Arc;
use std::time::Duration;

use providers::mcp::{Anonymous, Bearer, McpError, McpErrorKind, McpLimits, McpSession, ServerTools};
use providers::web::WebClient;
use storage::TenantId;
use uuid::Uuid;

use lists::Lists;

pub use rights::{ServerDenial, connected};

/// Provides the logins for tool servers.
pub trait Logins: Send + Sync {
    /// The login of a user at the tool server with this URL for this assistant, whether or not it exists. A login for
    /// another assistant is not used: otherwise the creator of an assistant could use the logins of its users.
    fn bearer(&self, place: &UserToolServer) -> Arc<dyn Bearer>;
}

/// Access to tool servers without any logins.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLogins;

impl Logins for NoLogins {
    fn bearer(&self, _: &UserToolServer) -> Arc<dyn Bearer> {
        Arc::new(Anonymous)
    }
}

/// Limits for tool servers, and the lifetime of their cached tool lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolServersConfig {
    /// Limits on the time and the data of each tool server.
    pub limits: McpLimits,
    /// How long a list of tools is cached.
    pub list_kept: Duration,
    /// How long a server that failed is not called again.
    pub failure_kept: Duration,
}

impl Default for ToolServersConfig {
    fn default() -> Self {
        let limits = McpLimits::default();
        Self { limits, list_kept: Duration::from_secs(300), failure_kept: Duration::from_secs(15) }
    }
}

/// Access to tool servers, with cached tool lists.
pub struct ToolServers {
    web: WebClient,
    logins: Arc<dyn Logins>,
    config: ToolServersConfig,
    lists: Lists,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserToolServer {
    /// The tenant that the user and the assistant belong to.
    pub tenant: TenantId,
    /// The user whose login is used.
    pub user: Uuid,
    pub assistant: Uuid,
    /// URL to which requests are sent.
    pub url: String,
}

/// The tools of a server, and the connection that was opened to list them, if they were not cached.
pub(crate) struct Offer {
    pub tools: Result<Arc<ServerTools>, McpError>,
    pub session: Option<Arc<McpSession>>,
}

impl ToolServers {
    /// Creates the access from a web client and the logins.
    pub fn new(web: WebClient, logins: Arc<dyn Logins>, config: ToolServersConfig) -> Self {
        Self { web, logins, config, lists: Lists::default() }
    }

    /// Creates the access for calls without any logins.
    pub fn without_logins(web: WebClient) -> Self {
        Self::new(web, Arc::new(NoLogins), ToolServersConfig::default())
    }

    /// Opens a connection to a tool server.
    ///
    /// # Errors
    /// [`McpError`] if the connection fails.
    pub(crate) async fn open(&self, place: &UserToolServer) -> Result<Arc<McpSession>, McpError> {
        let bearer = self.logins.bearer(place);
        McpSession::open(&self.web, &place.url, bearer, self.config.limits).await.map(Arc::new)
    }

    /// The tools of a server, cached for a few minutes. A server that has just failed is not called again immediately,
    /// unless a login was missing, because it may have been made since.
    pub(crate) async fn offer(&self, place: &UserToolServer) -> Offer {
        if let Some(tools) = self.lists.get(place, &self.config) {
            return Offer { tools, session: None };
        }
        let (tools, session) = match self.open(place).await {
            Ok(session) => (session.tools().await.map(Arc::new), Some(session)),
            Err(why) => (Err(why), None),
        };
        if let Err(why) = tools.as_ref()
            && why.kind != McpErrorKind::LoginRequired
        {
            // The URL may contain a secret; the assistant is sufficient to find it.
            tracing::warn!(assistant = %place.assistant, code = why.kind.code(), %why, "a tool server is unavailable");
        }
        if !matches!(&tools, Err(why) if why.kind == McpErrorKind::LoginRequired) {
            self.lists.insert(place.clone(), tools.clone());
        }
        Offer { tools, session }
    }

    /// Lists the tools of a server without the cache.
    ///
    /// # Errors
    /// [`McpError`] if the server fails.
    pub async fn tools(&self, place: &UserToolServer) -> Result<Arc<ServerTools>, McpError> {
        self.forget(place);
        self.offer(place).await.tools
    }

    /// Removes the cached tool list of a server because its tools or the login have changed.
    pub fn forget(&self, place: &UserToolServer) {
        self.lists.forget(place);
    }
}

impl std::fmt::Debug for ToolServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServers").field("config", &self.config).finish_non_exhaustive()
    }
}
