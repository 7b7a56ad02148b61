//! Access to shared objects (assistants, knowledge bases, skills, projects), and the rules for their grants.

use storage::records::{
    Grant, GrantLevel, Group, Membership, Principal, PrincipalKind, Shared, Team, Visibility,
};
use storage::{Reader, Record, Row, TenantId};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Faults, Refusal, Result};

/// Returns the caller's level on an object; `None` if the caller may not see it.
pub fn level(object: &impl Shared, caller: &Caller) -> Option<GrantLevel> {
    object.level_of(caller)
}

/// Returns the object with this id, if the caller may see it.
pub fn visible<T>(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<T>>>
where
    T: Record<Id = Uuid> + Shared,
{
    let row = reader.get::<T>(caller.tenant, &id)?;
    Ok(row.filter(|row| level(&row.body, caller).is_some()))
}

/// Requires the caller to have at least the level `least` on an object.
///
/// # Errors
/// `not_allowed` otherwise.
pub fn require(object: &impl Shared, caller: &Caller, least: GrantLevel) -> Result<()> {
    match level(object, caller) {
        Some(level) if level >= least => Ok(()),
        level => Err(lacking(least, level)),
    }
}

/// Returns the object with this id, if the caller has at least the level `least` on it.
///
/// # Errors
/// `not_found` when the caller may not see it, `not_allowed` when they have a lower level.
pub fn at_least<T>(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Result<Row<T>>
where
    T: Record<Id = Uuid> + Shared,
{
    let name = T::NAME.replace('_', " ");
    let row = visible::<T>(reader, caller, id)?.ok_or_else(|| Refusal::not_found(&name))?;
    require(&row.body, caller, least)?;
    Ok(row)
}

/// Adds a fault at `grants` for each new grant whose principal does not exist in the tenant. A grant of `before` may
/// stay although its principal has been deleted since.
pub fn check_grants(
    reader: &Reader,
    tenant: TenantId,
    before: &[Grant],
    grants: &[Grant],
    faults: &mut Faults,
) -> storage::Result<()> {
    for (at, grant) in grants.iter().enumerate() {
        if !before.contains(grant) && !is_principal(reader, tenant, &grant.principal)? {
            faults.add(["grants", &at.to_string()], "there is no such principal", "not_found");
        }
    }
    Ok(())
}

/// Adds a fault at `visibility` if an object is made private while its grants stay.
pub fn check_private(before: &[Grant], private: bool, new: Option<&[Grant]>, faults: &mut Faults) {
    if private && new.is_none() && !before.is_empty() {
        let why = "users with a grant would still see it; to remove the grants, also send `grants` as `[]`";
        faults.add(["visibility"], why, "conflicting");
    }
}

/// Returns the visibility of an object with these grants. Each grant makes the object visible, so it cannot be private.
pub fn with_grants(visibility: Visibility, grants: &[Grant]) -> Visibility {
    match visibility {
        Visibility::Private if !grants.is_empty() => Visibility::Shared,
        other => other,
    }
}

/// Returns whether the principal exists in the tenant.
pub fn is_principal(reader: &Reader, tenant: TenantId, principal: &Principal) -> storage::Result<bool> {
    let id = principal.id;
    Ok(match principal.kind {
        PrincipalKind::Tenant => id == tenant.0,
        PrincipalKind::User => reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?.is_some(),
        PrincipalKind::Group => reader.get::<Group>(tenant, &id)?.is_some(),
        PrincipalKind::Team => reader.get::<Team>(tenant, &id)?.is_some(),
    })
}
