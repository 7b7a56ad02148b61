//! A login as the client of a tool server asks for it.

use std::sync::Arc;

use async_trait::async_trait;
use providers::Secret;
use providers::mcp::{Bearer, BearerError};

use super::error::TokenError;
use super::{Connections, Place};
use crate::tool_servers::{self, Logins};

impl Logins for Connections {
    fn bearer(&self, place: &tool_servers::Place) -> Arc<dyn Bearer> {
        Arc::new(self.tool_login(place.tenant, place.user, place.assistant, &place.url))
    }
}

/// The login of a user at a tool server of an assistant. It keeps no token.
#[derive(Clone, Debug)]
pub struct ToolLogin {
    connections: Connections,
    place: Place,
}

impl ToolLogin {
    pub(super) fn new(connections: Connections, place: Place) -> Self {
        Self { connections, place }
    }
}

#[async_trait]
impl Bearer for ToolLogin {
    async fn token(&self) -> Result<Option<Secret>, BearerError> {
        match self.connections.token(&self.place).await {
            Ok(token) => Ok(Some(token)),
            // The server may want none; if it does, it says so.
            Err(TokenError::LoginRequired) => Ok(None),
            Err(TokenError::Unavailable(why)) => Err(BearerError::Unavailable(why)),
        }
    }

    async fn renew(&self, stale: Option<&Secret>, challenge: Option<&str>) -> Result<Secret, BearerError> {
        self.connections.renew(&self.place, stale, challenge).await.map_err(|why| match why {
            TokenError::LoginRequired => BearerError::LoginRequired,
            TokenError::Unavailable(why) => BearerError::Unavailable(why),
        })
    }
}
