//! Members of a tenant: admission, roles and removal.

use serde_json::json;
use storage::authority::Subject;
use storage::records::{
    ApiToken, DirectoryPerson, Group, GroupMember, Invitation, JoinRequest, Membership, MembershipOrigin,
    Role, Session, User,
};
use storage::{IndexKey, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::passwords;
use crate::audit::{Actor, audit};
use crate::{Caller, Code, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A user in a tenant.
pub struct Member {
    pub user: Row<User>,
    pub membership: Row<Membership>,
}

/// Returns a member of a tenant.
///
/// # Errors
/// `not_found` if the user is not a member.
pub fn get(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Member> {
    find(reader, tenant, user)?.ok_or_else(|| Refusal::not_found("user"))
}

/// Returns a member of a tenant; `None` if the user is not a member.
///
/// # Errors
/// Returns an error if storage fails.
pub fn find(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Option<Member>> {
    let membership = reader.get::<Membership>(SYSTEM, &(user, tenant.0))?;
    let row = reader.get::<User>(SYSTEM, &user)?;
    Ok(row.zip(membership).map(|(user, membership)| Member { user, membership }))
}

/// How a user becomes a member.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// The role of the new member.
    pub role: Role,
    pub origin: MembershipOrigin,
    /// Whether the email address is known to belong to the user. Only then is the user added to the groups of the
    /// directory that list the address.
    pub email_verified: bool,
}

/// Stores a membership, and deletes the invitations and join requests of the email address.
pub fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    user: &Row<User>,
    admission: Admission,
) -> storage::Result<Row<Membership>> {
    let Admission { role, origin, email_verified } = admission;
    for email in User::spellings(&user.email) {
        let invitation = Invitation::address_key(&tenant.0, &email);
        if let Some(invitation) = tx.by_unique::<Invitation>(SYSTEM, "by_address", &invitation)? {
            tx.delete::<Invitation>(SYSTEM, &invitation.id)?;
        }
        let request = JoinRequest::address_key(&tenant.0, &email);
        if let Some(request) = tx.by_unique::<JoinRequest>(SYSTEM, "by_address", &request)? {
            tx.delete::<JoinRequest>(SYSTEM, &request.id)?;
        }
    }
    if email_verified {
        DirectoryPerson::enrol(tx, tenant, user.id, &user.email)?;
    }
    tx.insert(SYSTEM, (user.id, tenant.0), Membership { role, origin, proved: email_verified })
}

/// Makes an existing user a member, with an audit record. Changes nothing if the user is already a member.
pub fn join(
    tx: &mut Tx,
    tenant: TenantId,
    user: &Row<User>,
    admission: Admission,
    actor: Actor,
) -> Result<()> {
    if tx.get::<Membership>(SYSTEM, &(user.id, tenant.0))?.is_some() {
        return Ok(());
    }
    insert(tx, tenant, user, admission)?;
    let detail = json!({"email": user.email, "role": admission.role, "origin": admission.origin});
    Ok(audit(tx, tenant, actor, "member.join", format!("user {}", user.id), detail)?)
}

/// Requires that a tenant keeps an administrator who can log in when the user `leaving` is no longer one. Reads all
/// members, so that if two administrators leave concurrently, the second transaction is retried.
///
/// # Errors
/// `last_admin` otherwise.
pub fn require_another_admin(reader: &Reader, tenant: TenantId, leaving: Uuid) -> Result<()> {
    if passwords::account(reader, leaving)?.is_none() {
        return Ok(());
    }
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant.0).done());
    for row in reader.scan::<Membership>(SYSTEM, scan)?.items {
        let other = row.role == Role::TenantAdmin && row.id.0 != leaving;
        if other && passwords::account(reader, row.id.0)?.is_some() {
            return Ok(());
        }
    }
    Err(Code::LastAdmin.into())
}

/// Requires that the caller, who was an administrator when the request was authenticated, is still one in this
/// transaction.
///
/// # Errors
/// `role_missing` otherwise.
pub fn require_admin(reader: &Reader, caller: &Caller) -> Result<()> {
    match Subject::read(reader, caller.tenant, caller.user)? {
        Some(subject) if subject.is_admin() => Ok(()),
        _ => Err(Refusal::new(Code::RoleMissing).detail("this needs the role tenant_admin")),
    }
}

/// Changes the role of a member.
///
/// # Errors
/// `last_admin` if the tenant would have no administrator.
pub fn change_role(tx: &mut Tx, caller: &Caller, user: Uuid, role: Role) -> Result<Member> {
    require_admin(tx, caller)?;
    caller.may_appoint(role)?;
    let Member { user, mut membership } = get(tx, caller.tenant, user)?;
    let before = std::mem::replace(&mut membership.role, role);
    if before == role {
        return Ok(Member { user, membership });
    }
    if before == Role::TenantAdmin {
        require_another_admin(tx, caller.tenant, user.id)?;
    }
    let membership = tx.update(SYSTEM, membership)?;
    let (target, detail) = (format!("user {}", user.id), json!({"from": before, "to": role}));
    audit(tx, caller.tenant, Actor::from(caller), "member.role", target, detail)?;
    Ok(Member { user, membership })
}

/// Ends a membership, with the user's sessions and API tokens in this tenant. The objects that the user created
/// stay.
///
/// # Errors
/// `last_admin` if the tenant would have no administrator.
pub fn remove(tx: &mut Tx, caller: &Caller, user: Uuid) -> Result<()> {
    require_admin(tx, caller)?;
    let Member { user, membership } = get(tx, caller.tenant, user)?;
    if membership.role == Role::TenantAdmin {
        require_another_admin(tx, caller.tenant, user.id)?;
    }
    tx.delete::<Membership>(SYSTEM, &membership.id)?;
    leave_groups(tx, caller.tenant, user.id)?;
    storage::notices::forget(tx, caller.tenant, user.id)?;
    tx.forget_connections_of(caller.tenant, user.id)?;
    tx.forget_installations_of(caller.tenant, user.id)?;
    let ended = end_credentials(tx, caller.tenant, user.id)?;
    let (target, detail) =
        (format!("user {}", user.id), json!({"email": user.email, "role": membership.role, "tokens": ended}));
    Ok(audit(tx, caller.tenant, Actor::from(caller), "member.remove", target, detail)?)
}

fn leave_groups(tx: &mut Tx, tenant: TenantId, user: Uuid) -> storage::Result<()> {
    let listed = tx.scan::<GroupMember>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?.items;
    for row in listed {
        tx.delete::<GroupMember>(tenant, &row.id)?;
        if let Some(mut group) = tx.get::<Group>(tenant, &row.id.1)? {
            group.member_count = group.member_count.saturating_sub(1);
            tx.update(tenant, group)?;
        }
    }
    Ok(())
}

/// Ends the user's sessions in a tenant and revokes their API tokens for it. Returns the number of revoked tokens.
fn end_credentials(tx: &mut Tx, tenant: TenantId, user: Uuid) -> storage::Result<usize> {
    let now = Timestamp::now();
    let of_user = IndexKey::new().id(&user).done();
    for mut session in tx.scan::<Session>(SYSTEM, Scan::index("by_user").prefix(of_user))?.items {
        if session.tenant == tenant.0 && session.ended_at.is_none() {
            session.ended_at = Some(now);
            tx.update(SYSTEM, session)?;
        }
    }
    let in_tenant = IndexKey::new().id(&user).id(&tenant.0).done();
    let mut revoked = 0;
    for mut token in tx.scan::<ApiToken>(SYSTEM, Scan::index("by_user").prefix(in_tenant))?.items {
        if token.revoked_at.is_none() {
            token.revoked_at = Some(now);
            tx.update(SYSTEM, token)?;
            revoked += 1;
        }
    }
    tx.change_rights();
    Ok(revoked)
}
