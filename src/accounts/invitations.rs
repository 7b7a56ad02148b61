//! Invitations: made for addresses, renewed, taken back, accepted.

use super::members::{Entry, join, still_admin};
use super::passwords::{Verified, still_goes_with};
use super::{Actor, NewUser, audit};
use crate::http::credentials::LinkSecret;
use crate::http::{Caller, Code, Faults, Refusal};
use serde_json::json;
use std::time::Duration;
use storage::authority::Subject;
use storage::records::{Invitation, Membership, MembershipOrigin, Role, Session, Tenant, User, UserKind};
use storage::{Reader, Row, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
/// For how long a link is valid.
const LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Whom an administrator wants to have.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The addresses, in lower case, each once.
    pub emails: Vec<String>,
    /// What they may do.
    pub role: Role,
    /// What is written to them.
    pub message: Option<String>,
}

/// A link for one address.
pub(crate) struct Issued {
    /// The invitation.
    pub row: Row<Invitation>,
    /// What its link carries.
    pub secret: LinkSecret,
    /// Whether there was one before, whose link is void now.
    pub renewed: bool,
}

/// Invites all of them, or none; there is no link for whoever belongs to the tenant already.
pub(crate) fn invite(tx: &mut Tx, caller: &Caller, wanted: &Wanted) -> Result<Vec<Option<Issued>>, Refusal> {
    still_admin(tx, caller)?;
    caller.may_appoint(wanted.role)?;
    let (mut invited, mut faults) = (Vec::with_capacity(wanted.emails.len()), Faults::of("body"));
    for (at, email) in wanted.emails.iter().enumerate() {
        let user = User::by_email(tx, email)?;
        if user.as_ref().is_some_and(|user| user.kind == UserKind::ServiceAccount) {
            faults.add(["emails", &at.to_string()], "is the address of a service account", "refused");
            continue;
        }
        let member = match &user {
            Some(user) => tx.get::<Membership>(SYSTEM, &(user.id, caller.tenant.0))?.is_some(),
            None => false,
        };
        invited.push(if member { None } else { Some(issue(tx, caller, wanted, email)?) });
    }
    match faults.is_empty() {
        true => Ok(invited),
        false => Err(Refusal::faulty(faults.into_vec())),
    }
}

fn issue(tx: &mut Tx, caller: &Caller, wanted: &Wanted, email: &str) -> Result<Issued, Refusal> {
    let key = Invitation::address_key(&caller.tenant.0, email);
    let before = tx.by_unique::<Invitation>(SYSTEM, "by_address", &key)?;
    let secret = LinkSecret::new(before.as_ref().map_or_else(new_id, |row| row.id));
    let secret = secret.map_err(|_| Refusal::new(Code::Internal).because("no randomness"))?;
    let body = Invitation {
        tenant: caller.tenant.0,
        email: email.to_owned(),
        role: wanted.role,
        invited_by: caller.user,
        message: wanted.message.clone(),
        secret_sha256: secret.hash(),
        expires_at: Timestamp::now() + LIFE,
        mailed_at: None,
    };
    let renewed = before.is_some();
    let row = match before {
        Some(before) => tx.update(SYSTEM, Row { body, ..before })?,
        None => tx.insert(SYSTEM, secret.id(), body)?,
    };
    let action = if renewed { "invitation.renew" } else { "invitation.create" };
    let (target, detail) = (format!("invitation {}", row.id), json!({"email": row.email, "role": row.role}));
    audit(tx, caller.tenant, Actor::from(caller), action, target, detail)?;
    Ok(Issued { row, secret, renewed })
}

/// Notes that the letters with these links were taken by a mail server.
pub(crate) fn note_mailed(tx: &mut Tx, mailed: &[(Uuid, String)]) -> Result<(), Refusal> {
    for (id, hash) in mailed {
        let row = tx.get::<Invitation>(SYSTEM, id)?;
        // It may have been accepted, taken back or renewed meanwhile.
        if let Some(mut row) = row.filter(|row| row.secret_sha256 == *hash) {
            row.mailed_at = Some(Timestamp::now());
            tx.update(SYSTEM, row)?;
        }
    }
    Ok(())
}

/// Takes one back.
pub(crate) fn revoke(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<(), Refusal> {
    let row = tx.get::<Invitation>(SYSTEM, &id)?.filter(|row| row.tenant == caller.tenant.0);
    let row = row.ok_or_else(|| Refusal::not_found("invitation"))?;
    tx.delete::<Invitation>(SYSTEM, &id)?;
    let (target, detail) = (format!("invitation {id}"), json!({"email": row.email}));
    Ok(audit(tx, caller.tenant, Actor::from(caller), "invitation.revoke", target, detail)?)
}

/// What is told of a link that is void. Which of the reasons it is, nobody knows any more.
pub(crate) fn void() -> Refusal {
    let why = "this link is void: it was used, or replaced by a later one, or taken back. Whoever has used it logs in; \
               others ask for another";
    Refusal::new(Code::NotFound).detail(why)
}

/// The invitation that a link belongs to.
///
/// # Errors
/// 404 for what was used, taken back, or never there; 410 for what is over.
pub(crate) fn find(reader: &Reader, secret: &LinkSecret) -> Result<Row<Invitation>, Refusal> {
    let row = reader.get::<Invitation>(SYSTEM, &secret.id())?;
    let row = row.filter(|row| secret.matches(&row.secret_sha256)).ok_or_else(void)?;
    // It is the word of somebody who may give it still: else whoever is sent away comes back by one of their own.
    let inviter = Subject::read(reader, TenantId(row.tenant), row.invited_by)?;
    match row.expires_at > Timestamp::now() && inviter.is_some_and(|inviter| inviter.is_admin()) {
        true => Ok(row),
        false => Err(Code::InvitationExpired.into()),
    }
}

/// Who accepts an invitation.
#[derive(Clone, Debug)]
pub(crate) enum Guest {
    /// The user of an account, who gave its password.
    Account(Verified),
    /// The user of an account, who is logged in.
    SignedIn {
        /// The user.
        user: Uuid,
        /// The session, which has to be live still.
        session: Uuid,
    },
    /// Somebody new, by this name, with the hash of a password.
    New {
        /// The name shown.
        display_name: String,
        /// In PHC form.
        phc: String,
    },
}

/// Accepts one: it is used up, and the guest is a member. Says who that is.
pub(crate) fn accept(tx: &mut Tx, secret: &LinkSecret, guest: Guest) -> Result<Uuid, Refusal> {
    let row = find(tx, secret)?;
    let tenant = TenantId(row.tenant);
    tx.require::<Tenant>(SYSTEM, &row.tenant)?;
    tx.delete::<Invitation>(SYSTEM, &row.id)?;
    let entry = Entry { role: row.role, origin: MembershipOrigin::Invited, proved: true };
    let user = match guest {
        Guest::Account(verified) => {
            verified.require(tx)?;
            join_as(tx, &row, verified.user, entry)?
        }
        Guest::SignedIn { user, session } => {
            let live = tx.get::<Session>(SYSTEM, &session)?.filter(|live| live.ended_at.is_none());
            let live = live.filter(|live| live.user == user).ok_or(Code::SessionEnded)?;
            if !still_goes_with(tx, &live)? {
                return Err(Code::SessionEnded.into());
            }
            join_as(tx, &row, user, entry)?
        }
        Guest::New { display_name, phc } => {
            let new = NewUser {
                email: row.email.clone(),
                display_name,
                kind: UserKind::Human,
                platform_admin: false,
                tenant: row.tenant,
                role: row.role,
                phc: Some(phc),
            };
            new.enter(tx, None, entry)?.id
        }
    };
    let (target, detail) = (format!("invitation {}", row.id), json!({"invited_by": row.invited_by}));
    audit(tx, tenant, Actor { user, act: None }, "invitation.accept", target, detail)?;
    Ok(user)
}

/// Makes the user of an account a member, if the invitation is for that account's address.
fn join_as(tx: &mut Tx, row: &Row<Invitation>, user: Uuid, entry: Entry) -> Result<Uuid, Refusal> {
    let user = tx.require::<User>(SYSTEM, &user)?;
    if !User::same_email(&user.email, &row.email) || user.disabled || user.kind != UserKind::Human {
        return Err(Code::LoginFailed.into());
    }
    join(tx, TenantId(row.tenant), &user, entry, Actor { user: user.id, act: None })?;
    Ok(user.id)
}
