//! Accounts with a password, and password changes.

use serde_json::json;
use storage::records::{PasswordHash, Session, User, UserKind};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::tenants;
use crate::audit::{Actor, audit};
use crate::{Code, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A user who logs in with a password and is not disabled.
pub struct PasswordAccount {
    pub user: Row<User>,
    /// The hash of the password. Its version changes with the password and whenever all sessions of the user are ended.
    pub hash: Row<PasswordHash>,
}

impl PasswordAccount {
    /// Returns the proof that a password was checked against this hash.
    pub fn verified(&self) -> VerifiedPassword {
        VerifiedPassword { user: self.user.id, version: self.hash.version }
    }
}

/// Returns the account of a user, if the user is a person with a password and is not disabled.
pub fn account(reader: &Reader, user: Uuid) -> storage::Result<Option<PasswordAccount>> {
    let row = reader.get::<User>(SYSTEM, &user)?.filter(|row| row.kind == UserKind::Human && !row.disabled);
    let Some(user) = row else { return Ok(None) };
    let hash = reader.get::<PasswordHash>(SYSTEM, &user.id)?;
    Ok(hash.map(|hash| PasswordAccount { user, hash }))
}

/// A password that has been checked, with the version of its hash at that time.
///
/// Checking a password takes long, and waiting for a free slot may take longer. The transaction that acts on the result
/// must call [`VerifiedPassword::require`], so that it is refused or retried if the password was changed, or all sessions
/// were ended, since the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedPassword {
    /// The user whose password was checked.
    pub user: Uuid,
    version: u64,
}

impl VerifiedPassword {
    /// Makes the transaction depend on the hash that was checked.
    ///
    /// # Errors
    /// `login_failed` if the hash was written since, or the user was disabled.
    pub fn require(self, reader: &Reader) -> Result<()> {
        let now = account(reader, self.user)?;
        match now.is_some_and(|now| now.hash.version == self.version) {
            true => Ok(()),
            false => Err(Refusal::new(Code::LoginFailed).detail(
                "the password was changed, or all sessions were ended, while this login was under way; log in again",
            )),
        }
    }
}

/// Returns whether a session was started with the current password; see [`Session::password_version`].
pub fn is_session_current(reader: &Reader, session: &Session) -> storage::Result<bool> {
    let Some(version) = session.password_version else { return Ok(true) };
    let hash = reader.get::<PasswordHash>(SYSTEM, &session.user)?;
    Ok(hash.is_some_and(|hash| hash.version == version))
}

/// Ends all sessions of a user that depend on the password, and all pending logins. The hash itself does not change, so
/// links for choosing a new password stay valid.
pub fn end_pending_logins(tx: &mut Tx, user: Uuid) -> storage::Result<()> {
    match tx.get::<PasswordHash>(SYSTEM, &user)? {
        Some(row) => tx.update(SYSTEM, row).map(drop),
        None => Ok(()),
    }
}

/// Returns the [`account`] with this email address.
pub fn account_by_email(reader: &Reader, email: &str) -> storage::Result<Option<PasswordAccount>> {
    match User::by_email(reader, email)? {
        Some(row) => account(reader, row.id),
        None => Ok(None),
    }
}

/// How a password was changed, for the audit log.
#[derive(Clone, Copy, Debug)]
pub enum ChangeMethod {
    /// By the user, who entered the old password.
    OldPassword,
    /// Through a link sent by email.
    Link,
    CommandLine,
}

impl ChangeMethod {
    const fn as_str(self) -> &'static str {
        match self {
            Self::OldPassword => "changed",
            Self::Link => "link",
            Self::CommandLine => "command_line",
        }
    }
}

/// A password that replaces another.
#[derive(Clone, Debug)]
pub struct NewPassword {
    /// The user, and the hash that is replaced.
    pub before: VerifiedPassword,
    /// The hash of the new password, in PHC form.
    pub phc: String,
    /// The session that continues. All other sessions of the user end.
    pub keep: Option<Uuid>,
    pub method: ChangeMethod,
}

impl NewPassword {
    /// Replaces the password, ends the sessions that were started with the old one, and adds an audit record in each
    /// tenant of the user. Must run in a transaction that changes rights.
    ///
    /// # Errors
    /// `conflict` if the password was changed, or all sessions were ended, since the old password was checked.
    pub fn store(&self, tx: &mut Tx) -> Result<()> {
        let user = self.before.user;
        let row = tx.get::<PasswordHash>(SYSTEM, &user)?.filter(|row| row.version == self.before.version);
        let Some(mut row) = row else {
            return Err(Refusal::new(Code::Conflict).detail("the password was changed at the same time"));
        };
        row.body.phc.clone_from(&self.phc);
        let version = tx.update(SYSTEM, row)?.version;
        let of_user = Scan::index("by_user").prefix(user.as_bytes().to_vec());
        let sessions = tx.scan::<Session>(SYSTEM, of_user)?.items.into_iter();
        // Sessions that start concurrently are not among these; they depend on the version that was replaced.
        for mut session in sessions.filter(|row| row.ended_at.is_none()) {
            match Some(session.id) == self.keep {
                true => session.password_version = Some(version),
                false => session.ended_at = Some(Timestamp::now()),
            }
            tx.update(SYSTEM, session)?;
        }
        let actor = match self.method {
            ChangeMethod::CommandLine => Actor::COMMAND_LINE,
            ChangeMethod::OldPassword | ChangeMethod::Link => Actor { user, act: None },
        };
        for (tenant, _) in tenants::of_user(tx, user)? {
            let (target, detail) = (format!("user {user}"), json!({"way": self.method.as_str()}));
            audit(tx, TenantId(tenant.id), actor, "user.password", target, detail)?;
        }
        Ok(())
    }
}
