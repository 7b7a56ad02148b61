//! Sessions of signed-in users.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A login and the refresh tokens that follow from it. Stored in the system partition under the id of the family. Only
/// hashes are stored, never a token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Session {
    /// The user who signed in.
    pub user: Uuid,
    /// The tenant that the user works in.
    pub tenant: Uuid,
    /// The id that all tokens of this login share.
    pub family: Uuid,
    /// SHA-256 (hex) of the currently valid refresh token.
    pub refresh_sha256: String,
    /// Hashes of recently used refresh tokens. Presenting one of them ends the session.
    pub spent: Vec<String>,
    /// Time at which the session expires.
    pub expires_at: Timestamp,
    /// Time at which the session was ended.
    pub ended_at: Option<Timestamp>,
    /// The administrator who acts as this user, if any.
    pub actor: Option<Uuid>,
    /// The session of that administrator. This session ends with it.
    pub actor_session: Option<Uuid>,
    /// The version of the user's [`PasswordHash`](super::PasswordHash) at the time of the login. The session ends when the
    /// hash has another version. None if the session was started without a password or by an older server.
    pub password_version: Option<u64>,
    /// The browser or program, from its `User-Agent` header.
    pub user_agent: Option<String>,
    /// The IP address of the login.
    pub ip: Option<String>,
}

impl Record for Session {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"se";
    const NAME: &'static str = "session";
    const GROWTH: Growth<Self> = Growth::Counted("100 per user");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"s1",
        name: "by_user",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.user).done()],
    }];

    /// Starting or renewing a session does not revoke any rights.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| (row.user, row.tenant, row.ended_at, row.actor, row.actor_session);
        let shortened = |before: &Self, after: &Self| after.expires_at < before.expires_at;
        match (before, after) {
            (Some(before), Some(after)) => facts(before) != facts(after) || shortened(before, after),
            (before, _) => before.is_some(),
        }
    }
}
