//! New passwords for those who have one.

use super::{Actor, audit, tenants_of};
use crate::http::{ApiError, Code};
use serde_json::json;
use storage::records::{PasswordHash, Session, User, UserKind};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

/// Somebody who has a password and is not kept out, with its hash in PHC form.
pub(crate) fn holder(reader: &Reader, user: Uuid) -> storage::Result<Option<(Row<User>, String)>> {
    let row = reader.get::<User>(SYSTEM, &user)?.filter(|row| row.kind == UserKind::Human && !row.disabled);
    let Some(row) = row else { return Ok(None) };
    let hash = reader.get::<PasswordHash>(SYSTEM, &user)?;
    Ok(hash.map(|hash| (row, hash.body.phc)))
}

/// The same, by the address.
pub(crate) fn holder_of(reader: &Reader, email: &str) -> storage::Result<Option<(Row<User>, String)>> {
    match reader.by_unique::<User>(SYSTEM, "email", &User::email_key(email))? {
        Some(row) => holder(reader, row.id),
        None => Ok(None),
    }
}

/// By which way somebody comes to a new password; told in the audit record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// They knew the old one.
    Changed,
    /// By the link of a letter.
    Link,
    /// By whoever may use the data folder.
    CommandLine,
}

impl Way {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Link => "link",
            Self::CommandLine => "command_line",
        }
    }
}

/// A password to be kept in the place of another.
#[derive(Clone, Debug)]
pub(crate) struct NewPassword {
    /// Whose.
    pub user: Uuid,
    /// The hash of the one before, as it was when its owner was known by it.
    pub before: String,
    /// The hash of the new one, in PHC form.
    pub phc: String,
    /// The session that goes on; all others of the user end.
    pub keep: Option<Uuid>,
    /// How they come to it.
    pub way: Way,
}

impl NewPassword {
    /// Puts it in the place of the one before, ends the sessions that were begun with that, and writes it down in all
    /// tenants of the user. Within a transaction that changes rights.
    ///
    /// # Errors
    /// 409 when the password is another by now.
    pub fn store(&self, tx: &mut Tx) -> Result<(), ApiError> {
        let row = tx.get::<PasswordHash>(SYSTEM, &self.user)?.filter(|row| row.phc == self.before);
        let Some(mut row) = row else {
            return Err(ApiError::new(Code::Conflict).detail("the password was changed meanwhile"));
        };
        row.body.phc.clone_from(&self.phc);
        tx.update(SYSTEM, row)?;
        let of_user = Scan::index("by_user").prefix(self.user.as_bytes().to_vec());
        let sessions = tx.scan::<Session>(SYSTEM, of_user)?.items.into_iter();
        for mut session in sessions.filter(|row| row.ended_at.is_none() && Some(row.id) != self.keep) {
            session.ended_at = Some(Timestamp::now());
            tx.update(SYSTEM, session)?;
        }
        let actor = match self.way {
            Way::CommandLine => Actor::COMMAND_LINE,
            Way::Changed | Way::Link => Actor { user: self.user, act: None },
        };
        for (tenant, _) in tenants_of(tx, self.user)? {
            let (target, detail) = (format!("user {}", self.user), json!({"way": self.way.as_str()}));
            audit(tx, TenantId(tenant.id), actor, "user.password", target, detail)?;
        }
        Ok(())
    }
}
