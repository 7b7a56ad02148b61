//! Logins of users at external services and at the tool servers of assistants.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// A user's login at an external service or a tool server. Its id is (user, name of the service) or, for a tool server,
/// (user, [`tool_key`](Self::tool_key)). The tokens are not part of the record: they are a secret, under
/// [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ServiceConnection {
    /// The account name at the service.
    pub account: Option<String>,
    /// The scopes that the service granted.
    pub scopes: Vec<String>,
    /// Time of the login.
    pub connected_at: Timestamp,
    /// Time at which the login expires unless the user renews it; not set if it is renewed automatically without limit.
    /// If the login has ended: the time at which it ended.
    pub expires_at: Option<Timestamp>,
    /// Why the login ended before it expired.
    pub ended_because: Option<String>,
    /// Time at which the access token is to be refreshed, if it can be.
    pub renew_at: Option<Timestamp>,
    /// Time at which the access token expires, if the service reported it.
    pub token_expires_at: Option<Timestamp>,
    /// The assistant that the tool server belongs to.
    pub assistant: Option<Uuid>,
    /// Name of the tool server at the time of the login.
    pub server: Option<String>,
    /// URL of the tool server.
    pub url: Option<String>,
    /// Assistants of other users that may use the login. The user's own assistants may use it anyway if they are
    /// approved.
    pub assistants: Vec<Uuid>,
    /// Issuer of the tokens; empty if only the endpoints are known.
    pub issuer: String,
    /// The resource that the tokens are for (RFC 8707).
    pub resource: Option<String>,
    /// The client id of this server at the service.
    pub client_id: String,
    /// Metadata of the authorization server, as of the login.
    #[schema(value_type = Object)]
    pub authority: Value,
    /// Scopes that were requested later and have not been granted. The next login requests them too.
    pub wanted_scopes: Vec<String>,
}

impl ServiceConnection {
    /// Returns the second part of the id of a login at a tool server. The login is for one assistant and one URL: another
    /// assistant, or the same one with another URL, needs its own login. `digest` is the digest of the URL.
    pub fn tool_key(assistant: Uuid, digest: &str) -> String {
        format!("mcp:{assistant}:{digest}")
    }

    /// Returns the name of the secret with the tokens.
    pub fn secret(id: &(Uuid, String)) -> String {
        format!("connection/{}/{}", id.0, id.1)
    }

    /// Returns whether the login has ended at `now`, see [`expires_at`](Self::expires_at).
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
