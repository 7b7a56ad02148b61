//! Tool servers that assistants are connected to: what they offer, and whose login is used there.

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

/// Whose login is used at tool servers.
pub trait Logins: Send + Sync {
    /// The login of a user at the tool server of this address for this assistant, whether there is one or not. One
    /// that was made for another assistant is not used: who makes an assistant would have the use of it.
    fn bearer(&self, place: &UserToolServer) -> Arc<dyn Bearer>;
}

/// Access without any logins.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLogins;

impl Logins for NoLogins {
    fn bearer(&self, _: &UserToolServer) -> Arc<dyn Bearer> {
        Arc::new(Anonymous)
    }
}

/// How much tool servers may take, and how long what they said is believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolServersConfig {
    /// How much one of them may take.
    pub limits: McpLimits,
    /// How long a list of tools is kept.
    pub list_kept: Duration,
    /// How long a server that does not answer is left alone.
    pub failure_kept: Duration,
}

impl Default for ToolServersConfig {
    fn default() -> Self {
        let limits = McpLimits::default();
        Self { limits, list_kept: Duration::from_secs(300), failure_kept: Duration::from_secs(15) }
    }
}

/// The way to tool servers.
pub struct ToolServers {
    web: WebClient,
    logins: Arc<dyn Logins>,
    config: ToolServersConfig,
    lists: Lists,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserToolServer {
    /// Whose tenant.
    pub tenant: TenantId,
    /// Whose login.
    pub user: Uuid,
    pub assistant: Uuid,
    /// Where it listens.
    pub url: String,
}

/// What a server offers, and the connection by which it was asked, where it was asked just now.
pub(crate) struct Offer {
    pub tools: Result<Arc<ServerTools>, McpError>,
    pub session: Option<Arc<McpSession>>,
}

impl ToolServers {
    /// The way out, and the logins.
    pub fn new(web: WebClient, logins: Arc<dyn Logins>, config: ToolServersConfig) -> Self {
        Self { web, logins, config, lists: Lists::default() }
    }

    /// The access of calls without any logins.
    pub fn without_logins(web: WebClient) -> Self {
        Self::new(web, Arc::new(NoLogins), ToolServersConfig::default())
    }

    /// Connects.
    ///
    /// # Errors
    /// [`McpError`].
    pub(crate) async fn open(&self, place: &UserToolServer) -> Result<Arc<McpSession>, McpError> {
        let bearer = self.logins.bearer(place);
        McpSession::open(&self.web, &place.url, bearer, self.config.limits).await.map(Arc::new)
    }

    /// What the server offers, as it said some minutes ago at most. One that did not answer just now is not asked
    /// again at once; a login that is missing may have been made since.
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
            // The address may hold a secret; its assistant is enough to find it.
            tracing::warn!(assistant = %place.assistant, code = why.kind.code(), %why, "a tool server cannot be used");
        }
        if !matches!(&tools, Err(why) if why.kind == McpErrorKind::LoginRequired) {
            self.lists.insert(place.clone(), tools.clone());
        }
        Offer { tools, session }
    }

    /// What the server offers, asked now.
    ///
    /// # Errors
    /// [`McpError`].
    pub async fn tools(&self, place: &UserToolServer) -> Result<Arc<ServerTools>, McpError> {
        self.forget(place);
        self.offer(place).await.tools
    }

    /// Discards what is known of a server, so that it is asked again for its tools: they, or the login, have changed.
    pub fn forget(&self, place: &UserToolServer) {
        self.lists.forget(place);
    }
}

impl std::fmt::Debug for ToolServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServers").field("config", &self.config).finish_non_exhaustive()
    }
}
