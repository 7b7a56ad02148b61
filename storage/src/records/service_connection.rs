//! Logins of users at external services, and at the tool servers of assistants.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// That a user has logged in somewhere. Its id is (user, name of the service), or (user,
/// [`tool_key`](Self::tool_key)) for a tool server. The tokens are a secret, under [`secret`](Self::secret), and not
/// here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ServiceConnection {
    /// The account name at the service.
    pub account: Option<String>,
    /// What the service allowed.
    pub scopes: Vec<String>,
    /// When the login took place.
    pub connected_at: Timestamp,
    /// Until when it holds if the user does nothing; none where it is renewed for ever. For one that is over: since when.
    pub expires_at: Option<Timestamp>,
    /// Why it is over before its time.
    pub ended_because: Option<String>,
    /// When the access token is to be renewed, where it can be.
    pub renew_at: Option<Timestamp>,
    /// Until when the access token holds, where that was said.
    pub token_expires_at: Option<Timestamp>,
    /// The assistant whose tool server it is for.
    pub assistant: Option<Uuid>,
    /// The name of the tool server, as it was then, and its address.
    pub server: Option<String>,
    /// The address of the tool server.
    pub url: Option<String>,
    /// The assistants of other people that may use it. The user's own may anyway, where they are approved.
    pub assistants: Vec<Uuid>,
    /// Who gave the tokens; empty where only endpoints are known.
    pub issuer: String,
    /// What they are for (RFC 8707).
    pub resource: Option<String>,
    /// As what this server is known there.
    pub client_id: String,
    /// What is known of the authority, as it was at the login.
    #[schema(value_type = Object)]
    pub authority: Value,
    /// Scopes that were asked for later and are not among those allowed: the next login asks for them, too.
    pub wanted_scopes: Vec<String>,
}

impl ServiceConnection {
    /// The second half of the id of a login at a tool server. It is for one assistant and one address: another
    /// assistant, or the same one led elsewhere, needs a login of its own. `digest` is that of the address.
    pub fn tool_key(assistant: Uuid, digest: &str) -> String {
        format!("mcp:{assistant}:{digest}")
    }

    /// The name of the secret that holds its tokens.
    pub fn secret(id: &(Uuid, String)) -> String {
        format!("connection/{}/{}", id.0, id.1)
    }

    /// Whether the login has ended at `now`, see [`expires_at`](Self::expires_at).
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl Record for ServiceConnection {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"xc";
    const NAME: &'static str = "service_connection";
    const GROWTH: Growth<Self> = Growth::OnePer("user and service, or user and tool server of an assistant");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"x3",
        name: "by_assistant",
        unique: false,
        keys: |row| row.assistant.iter().map(|id| IndexKey::new().id(id).done()).collect(),
    }];
}
