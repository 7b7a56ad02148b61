//! The state of a user's logins at the tool servers of an assistant.

use futures::future::join_all;
use providers::oauth::ServerAccess;
use serde::Serialize;
use storage::records::{ServiceConnection, ToolServer};
use storage::{TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ConnectError, Connections, LoginKey};

/// State of a user's login at a tool server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// The user is logged in.
    Connected,
    /// The user was logged in, and the login has expired.
    Expired,
    /// The user is not logged in, or has not granted all scopes that the server requires.
    LoginRequired,
    /// The server requires no login, or the assistant has a key for it.
    NotRequired,
    /// The server could not be reached.
    Unreachable,
}

/// A user's login at a tool server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServerStanding {
    /// Name of the server in the assistant.
    pub server: String,
    /// URL under which the server is reached.
    pub url: String,
    /// State of the login.
    pub status: ServerState,
    /// Explanation of the state, if it needs one.
    pub reason: Option<String>,
    /// Issuer of the tokens.
    pub issuer: Option<String>,
    /// Account that the user logged in with, as reported by the authorization server.
    pub account: Option<String>,
    /// Scopes that the user granted.
    pub scopes: Vec<String>,
    /// When the user logged in.
    pub connected_at: Option<Timestamp>,
    /// When the login expires. Absent if it is renewed indefinitely.
    pub expires_at: Option<Timestamp>,
}

impl Connections {
    /// Returns the state of a user's logins at these servers of an assistant. Servers without a login are queried, all
    /// concurrently and for a few seconds at most.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn login_statuses(
        &self,
        tenant: TenantId,
        user: Uuid,
        assistant: Uuid,
        servers: &[ToolServer],
    ) -> Result<Vec<ServerStanding>, ConnectError> {
        let places: Vec<_> =
            servers.iter().map(|server| LoginKey::tool(tenant, user, assistant, &server.url).id).collect();
        let urls: Vec<_> = servers.iter().map(|server| server.url.clone()).collect();
        let read = self.0.store.read(move |reader| {
            let found = places.iter().zip(&urls).map(|(id, url)| {
                let key = reader.server_key(tenant, assistant, url)?;
                Ok((key.is_some(), reader.get::<ServiceConnection>(tenant, id)?))
            });
            found.collect::<storage::Result<Vec<_>>>()
        });
        let found = read.await?;
        let checks = servers.iter().zip(found).map(|(server, (has_key, row))| async move {
            match row {
                _ if has_key => {
                    let why = "the assistant has a key for it".to_owned();
                    without_login(server, ServerState::NotRequired, Some(why))
                }
                Some(row) => of_login(server, row.body),
                None => self.status_without_login(server).await,
            }
        });
        Ok(join_all(checks).await)
    }

    async fn status_without_login(&self, server: &ToolServer) -> ServerStanding {
        let (status, reason) = match self.0.known.welcome(&self.0.oauth, &server.url).await {
            Ok(ServerAccess::Open) => (ServerState::NotRequired, None),
            Ok(ServerAccess::Closed(_)) => (ServerState::LoginRequired, None),
            Err(why) => (ServerState::Unreachable, Some(why.message)),
        };
        without_login(server, status, reason)
    }
}

fn without_login(server: &ToolServer, status: ServerState, reason: Option<String>) -> ServerStanding {
    ServerStanding {
        server: server.name.clone(),
        url: server.url.clone(),
        status,
        reason,
        issuer: None,
        account: None,
        scopes: Vec::new(),
        connected_at: None,
        expires_at: None,
    }
}

fn of_login(server: &ToolServer, row: ServiceConnection) -> ServerStanding {
    let (status, reason) = match (row.is_over(Timestamp::now()), row.wanted_scopes.is_empty()) {
        (true, _) => (ServerState::Expired, row.ended_because),
        (false, false) => {
            let lacking = row.wanted_scopes.join(" ");
            (ServerState::LoginRequired, Some(format!("the server asks for more: {lacking}")))
        }
        (false, true) => (ServerState::Connected, None),
    };
    ServerStanding {
        server: server.name.clone(),
        url: server.url.clone(),
        status,
        reason,
        issuer: Some(row.issuer).filter(|issuer| !issuer.is_empty()),
        account: row.account,
        scopes: row.scopes,
        connected_at: Some(row.connected_at),
        expires_at: row.expires_at,
    }
}
