//! Provides logins to the client of a tool server.

use std::sync::Arc;

use async_trait::async_trait;
use providers::Secret;
use providers::mcp::{Bearer, BearerError, Token};
use storage::ServerKey;

use super::error::TokenError;
use super::{Connections, LoginKey};
use crate::tool_servers::{self, Logins};

impl Logins for Connections {
    fn bearer(&self, place: &tool_servers::UserToolServer) -> Arc<dyn Bearer> {
        Arc::new(self.tool_login(place.clone()))
    }
}

/// The login of a user at a tool server of an assistant. Stores no token itself.
#[derive(Clone, Debug)]
pub struct ToolLogin {
    connections: Connections,
    server: tool_servers::UserToolServer,
    place: LoginKey,
}

impl ToolLogin {
    pub(super) fn new(connections: Connections, server: tool_servers::UserToolServer) -> Self {
        let place = LoginKey::tool(server.tenant, server.user, server.assistant, &server.url);
        Self { connections, server, place }
    }

    /// The assistant's shared key for the server, if it has one.
    async fn key(&self) -> Result<Option<ServerKey>, BearerError> {
        let tool_servers::UserToolServer { tenant, assistant, url, .. } = self.server.clone();
        let read = move |reader: &storage::Reader| reader.server_key(tenant, assistant, &url);
        let key = self.connections.0.store.read(read).await;
        key.map_err(|why| BearerError::Unavailable(why.to_string()))
    }
}

#[async_trait]
impl Bearer for ToolLogin {
    async fn token(&self) -> Result<Option<Token>, BearerError> {
        // If the assistant has a key, it is used for every user, and users do not log in.
        if let Some(ServerKey { header, value }) = self.key().await? {
            return Ok(Some(Token { secret: Secret::from(value), header }));
        }
        match self.connections.token(&self.place).await {
            Ok(token) => Ok(Some(token.into())),
            // The server may not require a token; if it does, it responds accordingly.
            Err(TokenError::LoginRequired) => Ok(None),
            Err(TokenError::Unavailable(why)) => Err(BearerError::Unavailable(why)),
        }
    }

    async fn renew(&self, stale: Option<&Secret>, challenge: Option<&str>) -> Result<Secret, BearerError> {
        if self.key().await?.is_some() {
            return Err(BearerError::KeyRefused);
        }
        self.connections.renew(&self.place, stale, challenge).await.map_err(|why| match why {
            TokenError::LoginRequired => BearerError::LoginRequired,
            TokenError::Unavailable(why) => BearerError::Unavailable(why),
        })
    }
}
