//! New passwords for those who have one.

use super::{Actor, audit, tenants_of};
use crate::http::{Code, Refusal};
use serde_json::json;
use storage::records::{PasswordHash, Session, User, UserKind};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A user who logs in with a password and is not disabled.
pub(crate) struct Holder {
    /// The user.
    pub user: Row<User>,
    /// The password's hash. Its version changes with the password and whenever all sessions of the user are ended.
    pub hash: Row<PasswordHash>,
}

impl Holder {
    /// What a password that was checked against this hash proves.
    pub fn verified(&self) -> Verified {
        Verified { user: self.user.id, version: self.hash.version }
    }
}

/// A user with a password, if it is a person who is not disabled.
pub(crate) fn holder(reader: &Reader, user: Uuid) -> storage::Result<Option<Holder>> {
    let row = reader.get::<User>(SYSTEM, &user)?.filter(|row| row.kind == UserKind::Human && !row.disabled);
    let Some(user) = row else { return Ok(None) };
    let hash = reader.get::<PasswordHash>(SYSTEM, &user.id)?;
    Ok(hash.map(|hash| Holder { user, hash }))
}

/// A password that was checked, and the version of its hash at that moment.
///
/// Checking a password takes long, and may wait for its turn even longer. The transaction that acts on the result has
/// to call [`Verified::require`], so that it is refused, or run again, when the password was changed or all sessions
/// were ended since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    /// Whose password it is.
    pub user: Uuid,
    version: u64,
}

impl Verified {
    /// Makes the transaction depend on the hash that was checked.
    ///
    /// # Errors
    /// 401 when the hash was written since, or the user was disabled.
    pub fn require(self, reader: &Reader) -> Result<(), Refusal> {
        let now = holder(reader, self.user)?;
        match now.is_some_and(|now| now.hash.version == self.version) {
            true => Ok(()),
            false => Err(Refusal::new(Code::LoginFailed).detail(
                "the password was changed, or all sessions were ended, while this login was under way; log in again",
            )),
        }
    }
}

/// Whether a session goes with the password as it is now; see [`Session::password_version`].
pub(crate) fn still_goes_with(reader: &Reader, session: &Session) -> storage::Result<bool> {
    let Some(version) = session.password_version else { return Ok(true) };
    let hash = reader.get::<PasswordHash>(SYSTEM, &session.user)?;
    Ok(hash.is_some_and(|hash| hash.version == version))
}

/// Ends all sessions of a user that rest on the password, and all logins that are under way. The hash itself stays what
/// it is, so that links to choose a new password stay valid.
pub(crate) fn end_logins_under_way(tx: &mut Tx, user: Uuid) -> storage::Result<()> {
    match tx.get::<PasswordHash>(SYSTEM, &user)? {
        Some(row) => tx.update(SYSTEM, row).map(drop),
        None => Ok(()),
    }
}

/// The same, by the address.
pub(crate) fn holder_of(reader: &Reader, email: &str) -> storage::Result<Option<Holder>> {
    match User::by_email(reader, email)? {
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
    /// Whose, and the hash that is replaced.
    pub before: Verified,
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
    /// 409 when the password is another by now, or all sessions were ended since the old one was checked.
    pub fn store(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let user = self.before.user;
        let row = tx.get::<PasswordHash>(SYSTEM, &user)?.filter(|row| row.version == self.before.version);
        let Some(mut row) = row else {
            return Err(Refusal::new(Code::Conflict).detail("the password was changed meanwhile"));
        };
        row.body.phc.clone_from(&self.phc);
        let version = tx.update(SYSTEM, row)?.version;
        let of_user = Scan::index("by_user").prefix(user.as_bytes().to_vec());
        let sessions = tx.scan::<Session>(SYSTEM, of_user)?.items.into_iter();
        // Sessions that begin at this moment are not among these; they go with the hash that was replaced.
        for mut session in sessions.filter(|row| row.ended_at.is_none()) {
            match Some(session.id) == self.keep {
                true => session.password_version = Some(version),
                false => session.ended_at = Some(Timestamp::now()),
            }
            tx.update(SYSTEM, session)?;
        }
        let actor = match self.way {
            Way::CommandLine => Actor::COMMAND_LINE,
            Way::Changed | Way::Link => Actor { user, act: None },
        };
        for (tenant, _) in tenants_of(tx, user)? {
            let (target, detail) = (format!("user {user}"), json!({"way": self.way.as_str()}));
            audit(tx, TenantId(tenant.id), actor, "user.password", target, detail)?;
        }
        Ok(())
    }
}
