//! Users, groups and teams in lists of principals.

use storage::records::{GroupMember, Membership, Principal, PrincipalKind, User};
use storage::{Reader, Scan, TenantId};
use uuid::Uuid;

use crate::Faults;
use crate::sharing::is_principal;

/// Returns the user with this id, if they are a member of the tenant.
pub fn member(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Option<User>> {
    let membership = reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?;
    let user = if membership.is_some() { reader.get::<User>(TenantId::SYSTEM, &id)? } else { None };
    Ok(user.map(|row| row.body))
}

/// Returns whether at least one of the principals is a user who can log in, or a group with such a user.
pub fn include_active_user(
    reader: &Reader,
    tenant: TenantId,
    principals: &[Principal],
) -> storage::Result<bool> {
    let is_active =
        |id| Ok::<_, storage::Error>(member(reader, tenant, id)?.is_some_and(|user| !user.disabled));
    for Principal { kind, id } in principals {
        let found = match kind {
            PrincipalKind::User => is_active(*id)?,
            PrincipalKind::Group => {
                let members = Scan::index("by_group").prefix(id.as_bytes());
                let members = reader.scan::<GroupMember>(tenant, members)?.items;
                members.iter().map(|row| is_active(row.id.0)).collect::<Result<Vec<_>, _>>()?.contains(&true)
            }
            PrincipalKind::Team | PrincipalKind::Tenant => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds a fault at `field` for each principal that does not exist in the tenant. A principal of `before` may stay
/// although it has been deleted since.
pub fn check_existence(
    reader: &Reader,
    tenant: TenantId,
    field: &str,
    before: &[Principal],
    principals: &[Principal],
    faults: &mut Faults,
) -> storage::Result<()> {
    for (at, principal) in principals.iter().enumerate() {
        if !before.contains(principal) && !is_principal(reader, tenant, principal)? {
            faults.add([field, &at.to_string()], "there is no such principal", "not_found");
        }
    }
    Ok(())
}
