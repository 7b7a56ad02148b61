//! Members of a tenant: how they come in, what they may do, how they leave.

use super::{Actor, audit, passwords};
use crate::http::{Caller, Code, Refusal};
use serde_json::json;
use storage::authority::Subject;
use storage::records::{
    ApiToken, DirectoryPerson, Group, GroupMember, Invitation, JoinRequest, Membership, MembershipOrigin,
    Role, Session, User,
};
use storage::{IndexKey, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A user in a tenant.
pub(crate) struct Member {
    /// The user.
    pub user: Row<User>,
    /// Their place there.
    pub membership: Row<Membership>,
}

/// A member of a tenant, or a 404.
pub(crate) fn member(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Member, Refusal> {
    let membership = reader.get::<Membership>(SYSTEM, &(user, tenant.0))?;
    let row = reader.get::<User>(SYSTEM, &user)?;
    match (row, membership) {
        (Some(user), Some(membership)) => Ok(Member { user, membership }),
        _ => Err(Refusal::not_found("user")),
    }
}

/// How somebody comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// What they may do.
    pub role: Role,
    /// By which door.
    pub origin: MembershipOrigin,
    /// Whether the address is theirs for certain: then they are in the groups that list it, too.
    pub proved: bool,
}

/// Makes a user a member; what was still open about the address is over with that.
pub(crate) fn seat(
    tx: &mut Tx,
    tenant: TenantId,
    user: &Row<User>,
    entry: Entry,
) -> storage::Result<Row<Membership>> {
    let Entry { role, origin, proved } = entry;
    for email in User::spellings(&user.email) {
        let invitation = Invitation::address_key(&tenant.0, &email);
        if let Some(invitation) = tx.by_unique::<Invitation>(SYSTEM, "by_address", &invitation)? {
            tx.delete::<Invitation>(SYSTEM, &invitation.id)?;
        }
        let wish = JoinRequest::address_key(&tenant.0, &email);
        if let Some(wish) = tx.by_unique::<JoinRequest>(SYSTEM, "by_address", &wish)? {
            tx.delete::<JoinRequest>(SYSTEM, &wish.id)?;
        }
    }
    if proved {
        DirectoryPerson::enrol(tx, tenant, user.id, &user.email)?;
    }
    tx.insert(SYSTEM, (user.id, tenant.0), Membership { role, origin, proved })
}

/// Makes somebody who has an account a member, and writes it down. Whoever is one stays what they are.
pub(crate) fn join(
    tx: &mut Tx,
    tenant: TenantId,
    user: &Row<User>,
    entry: Entry,
    actor: Actor,
) -> Result<(), Refusal> {
    if tx.get::<Membership>(SYSTEM, &(user.id, tenant.0))?.is_some() {
        return Ok(());
    }
    seat(tx, tenant, user, entry)?;
    let detail = json!({"email": user.email, "role": entry.role, "origin": entry.origin});
    Ok(audit(tx, tenant, actor, "member.join", format!("user {}", user.id), detail)?)
}

/// Refuses (409) that a tenant loses the last of its administrators: people who can log in. Reads all of its
/// members, so that of two who go at the same time the second one is asked again.
pub(crate) fn keep_an_admin(reader: &Reader, tenant: TenantId, leaving: Uuid) -> Result<(), Refusal> {
    if passwords::holder(reader, leaving)?.is_none() {
        return Ok(());
    }
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant.0).done());
    for row in reader.scan::<Membership>(SYSTEM, scan)?.items {
        let other = row.role == Role::TenantAdmin && row.id.0 != leaving;
        if other && passwords::holder(reader, row.id.0)?.is_some() {
            return Ok(());
        }
    }
    Err(Code::LastAdmin.into())
}

/// Refuses a caller who was an administrator when the request came, and is none any more.
pub(crate) fn still_admin(reader: &Reader, caller: &Caller) -> Result<(), Refusal> {
    match Subject::read(reader, caller.tenant, caller.user)? {
        Some(standing) if standing.is_admin() => Ok(()),
        _ => Err(Refusal::new(Code::RoleMissing).detail("this needs the role tenant_admin")),
    }
}

/// Gives a member another role.
pub(crate) fn change_role(tx: &mut Tx, caller: &Caller, user: Uuid, role: Role) -> Result<Member, Refusal> {
    still_admin(tx, caller)?;
    caller.may_appoint(role)?;
    let Member { user, mut membership } = member(tx, caller.tenant, user)?;
    let before = std::mem::replace(&mut membership.role, role);
    if before == role {
        return Ok(Member { user, membership });
    }
    if before == Role::TenantAdmin {
        keep_an_admin(tx, caller.tenant, user.id)?;
    }
    let membership = tx.update(SYSTEM, membership)?;
    let (target, detail) = (format!("user {}", user.id), json!({"from": before, "to": role}));
    audit(tx, caller.tenant, Actor::from(caller), "member.role", target, detail)?;
    Ok(Member { user, membership })
}

/// Ends a membership with all credentials that open this tenant. What the user made stays.
pub(crate) fn remove(tx: &mut Tx, caller: &Caller, user: Uuid) -> Result<(), Refusal> {
    still_admin(tx, caller)?;
    let Member { user, membership } = member(tx, caller.tenant, user)?;
    if membership.role == Role::TenantAdmin {
        keep_an_admin(tx, caller.tenant, user.id)?;
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

/// Ends the sessions that are in a tenant, and revokes the API tokens that open it; says how many of these.
fn end_credentials(tx: &mut Tx, tenant: TenantId, user: Uuid) -> storage::Result<usize> {
    let now = Timestamp::now();
    let of_user = IndexKey::new().id(&user).done();
    for mut session in tx.scan::<Session>(SYSTEM, Scan::index("by_user").prefix(of_user))?.items {
        if session.tenant == tenant.0 && session.ended_at.is_none() {
            session.ended_at = Some(now);
            tx.update(SYSTEM, session)?;
        }
    }
    let here = IndexKey::new().id(&user).id(&tenant.0).done();
    let mut revoked = 0;
    for mut token in tx.scan::<ApiToken>(SYSTEM, Scan::index("by_user").prefix(here))?.items {
        if token.revoked_at.is_none() {
            token.revoked_at = Some(now);
            tx.update(SYSTEM, token)?;
            revoked += 1;
        }
    }
    tx.change_rights();
    Ok(revoked)
}
