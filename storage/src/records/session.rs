//! Sessions of signed-in users.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A login and the refresh tokens that followed from it. Kept in the system partition under the
/// id of the family; hashes only, never a token.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Session {
    /// Who signed in.
    pub user: Uuid,
    /// The tenant they work in.
    pub tenant: Uuid,
    /// The id that all tokens of this login share.
    pub family: Uuid,
    /// SHA-256 (hex) of the refresh token that is valid now.
    pub refresh_sha256: String,
    /// Hashes of recent spent ones; presenting one of these ends the session.
    pub spent: Vec<String>,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was ended.
    pub ended_at: Option<Timestamp>,
    /// Who acts as this user, when an administrator does.
    pub actor: Option<Uuid>,
    /// The session of that administrator: it ends with that one.
    pub actor_session: Option<Uuid>,
    /// The version of the user's [`PasswordHash`](super::PasswordHash) that it goes with: the session is over once the hash
    /// has another one. None where it was begun without a password, or by an older server.
    pub password_version: Option<u64>,
    /// The browser or program, as it calls itself.
    pub user_agent: Option<String>,
    /// The address of the login.
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

    /// A session that begins, or is renewed, takes nothing from anyone.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        let facts = |row: &Self| (row.user, row.tenant, row.ended_at, row.actor, row.actor_session);
        let shortened = |before: &Self, after: &Self| after.expires_at < before.expires_at;
        match (before, after) {
            (Some(before), Some(after)) => facts(before) != facts(after) || shortened(before, after),
            (before, _) => before.is_some(),
        }
    }
}
