//! Invitations by email address: issuing, renewing, revoking and accepting.

use std::time::Duration;

use serde_json::json;
use storage::authority::Subject;
use storage::records::{Invitation, Membership, MembershipOrigin, Role, Session, Tenant, User, UserKind};
use storage::{Reader, Row, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

use super::members::{Admission, join, require_admin};
use super::passwords::{VerifiedPassword, is_session_current};
use super::users::NewUser;
use crate::audit::{Actor, audit};
use crate::credentials::LinkSecret;
use crate::{Caller, Code, Faults, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;
/// Time for which a link is valid.
const LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Invitations to issue.
#[derive(Clone, Debug)]
pub struct NewInvitations {
    /// The email addresses, in lower case, without duplicates.
    pub emails: Vec<String>,
    /// The role of the new members.
    pub role: Role,
    /// A personal message for the email.
    pub message: Option<String>,
}

/// An invitation with its link.
pub struct IssuedInvitation {
    pub row: Row<Invitation>,
    pub secret: LinkSecret,
    /// Whether it replaces an earlier invitation, whose link is no longer valid.
    pub renewed: bool,
}

/// Issues an invitation for each address, or for none of them. The result is in the order of the addresses, with `None`
/// for the addresses of members.
///
/// # Errors
/// `invalid` if an address belongs to a service account.
pub fn invite(tx: &mut Tx, caller: &Caller, new: &NewInvitations) -> Result<Vec<Option<IssuedInvitation>>> {
    require_admin(tx, caller)?;
    caller.may_appoint(new.role)?;
    let (mut invited, mut faults) = (Vec::with_capacity(new.emails.len()), Faults::new("body"));
    for (at, email) in new.emails.iter().enumerate() {
        let user = User::by_email(tx, email)?;
        if user.as_ref().is_some_and(|user| user.kind == UserKind::ServiceAccount) {
            faults.add(["emails", &at.to_string()], "is the address of a service account", "refused");
            continue;
        }
        let member = match &user {
            Some(user) => tx.get::<Membership>(SYSTEM, &(user.id, caller.tenant.0))?.is_some(),
            None => false,
        };
        invited.push(if member { None } else { Some(issue(tx, caller, new, email)?) });
    }
    match faults.is_empty() {
        true => Ok(invited),
        false => Err(Refusal::faulty(faults.into_vec())),
    }
}

fn issue(tx: &mut Tx, caller: &Caller, new: &NewInvitations, email: &str) -> Result<IssuedInvitation> {
    let key = Invitation::address_key(&caller.tenant.0, email);
    let before = tx.by_unique::<Invitation>(SYSTEM, "by_address", &key)?;
    let secret = LinkSecret::new(before.as_ref().map_or_else(new_id, |row| row.id))?;
    let body = Invitation {
        tenant: caller.tenant.0,
        email: email.to_owned(),
        role: new.role,
        invited_by: caller.user,
        message: new.message.clone(),
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
    Ok(IssuedInvitation { row, secret, renewed })
}

/// Records that a mail server accepted the emails with these links, given as ids with the hashes of the secrets.
pub fn record_mailed(tx: &mut Tx, mailed: &[(Uuid, String)]) -> Result<()> {
    for (id, hash) in mailed {
        let row = tx.get::<Invitation>(SYSTEM, id)?;
        // The invitation may have been accepted, revoked or renewed since.
        if let Some(mut row) = row.filter(|row| row.secret_sha256 == *hash) {
            row.mailed_at = Some(Timestamp::now());
            tx.update(SYSTEM, row)?;
        }
    }
    Ok(())
}

/// Revokes an invitation of the caller's tenant.
///
/// # Errors
/// `not_found` if there is no invitation with this id.
pub fn revoke(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<()> {
    let row = tx.get::<Invitation>(SYSTEM, &id)?.filter(|row| row.tenant == caller.tenant.0);
    let row = row.ok_or_else(|| Refusal::not_found("invitation"))?;
    tx.delete::<Invitation>(SYSTEM, &id)?;
    let (target, detail) = (format!("invitation {id}"), json!({"email": row.email}));
    Ok(audit(tx, caller.tenant, Actor::from(caller), "invitation.revoke", target, detail)?)
}

/// Returns the refusal for a link without an invitation. The row has been deleted, so the reason is not known.
pub fn invalid_link() -> Refusal {
    let why = "this invitation link has been used, replaced or revoked. If you already used it, sign in; otherwise \
               request a new one";
    Refusal::new(Code::NotFound).detail(why)
}

/// Returns the invitation that a link belongs to.
///
/// # Errors
/// `not_found` if it was used or revoked, or never existed; `invitation_expired` if it has expired.
pub fn find(reader: &Reader, secret: &LinkSecret) -> Result<Row<Invitation>> {
    let row = reader.get::<Invitation>(SYSTEM, &secret.id())?;
    let row = row.filter(|row| secret.matches(&row.secret_sha256)).ok_or_else(invalid_link)?;
    // The inviter must still be an administrator. Otherwise a removed administrator could return through an invitation
    // of their own.
    let inviter = Subject::read(reader, TenantId(row.tenant), row.invited_by)?;
    match row.expires_at > Timestamp::now() && inviter.is_some_and(|inviter| inviter.is_admin()) {
        true => Ok(row),
        false => Err(Code::InvitationExpired.into()),
    }
}

/// The user who accepts an invitation.
#[derive(Clone, Debug)]
pub enum Invitee {
    /// A user who entered the password of their account.
    Account(VerifiedPassword),
    /// A user who is logged in.
    SignedIn {
        user: Uuid,
        /// The session, which must not have ended.
        session: Uuid,
    },
    /// A new user.
    New {
        /// Name shown to other users.
        display_name: String,
        /// The hash of the password, in PHC form.
        phc: String,
    },
}

/// Accepts an invitation: deletes it and makes the invitee a member. Returns the user.
///
/// # Errors
/// The errors of [`find`], and `login_failed` if the invitation is for another address.
pub fn accept(tx: &mut Tx, secret: &LinkSecret, invitee: Invitee) -> Result<Uuid> {
    let row = find(tx, secret)?;
    let tenant = TenantId(row.tenant);
    tx.require::<Tenant>(SYSTEM, &row.tenant)?;
    tx.delete::<Invitation>(SYSTEM, &row.id)?;
    let admission = Admission { role: row.role, origin: MembershipOrigin::Invited, email_verified: true };
    let user = match invitee {
        Invitee::Account(verified) => {
            verified.require(tx)?;
            join_as(tx, &row, verified.user, admission)?
        }
        Invitee::SignedIn { user, session } => {
            let live = tx.get::<Session>(SYSTEM, &session)?.filter(|live| live.ended_at.is_none());
            let live = live.filter(|live| live.user == user).ok_or(Code::SessionEnded)?;
            if !is_session_current(tx, &live)? {
                return Err(Code::SessionEnded.into());
            }
            join_as(tx, &row, user, admission)?
        }
        Invitee::New { display_name, phc } => {
            let new = NewUser {
                email: row.email.clone(),
                display_name,
                kind: UserKind::Human,
                platform_admin: false,
                tenant: row.tenant,
                role: row.role,
                phc: Some(phc),
            };
            new.insert_admitted(tx, None, admission)?.id
        }
    };
    let (target, detail) = (format!("invitation {}", row.id), json!({"invited_by": row.invited_by}));
    audit(tx, tenant, Actor { user, act: None }, "invitation.accept", target, detail)?;
    Ok(user)
}

/// Makes an existing user a member, if the invitation is for the email address of the account.
fn join_as(tx: &mut Tx, row: &Row<Invitation>, user: Uuid, admission: Admission) -> Result<Uuid> {
    let user = tx.require::<User>(SYSTEM, &user)?;
    if !User::same_email(&user.email, &row.email) || user.disabled || user.kind != UserKind::Human {
        return Err(Code::LoginFailed.into());
    }
    join(tx, TenantId(row.tenant), &user, admission, Actor { user: user.id, act: None })?;
    Ok(user.id)
}
