//! Who may see and do what with shared things: assistants, knowledge bases, skills.

use storage::records::{
    Grant, GrantLevel, Group, Membership, Principal, PrincipalKind, Shared, Team, Visibility,
};
use storage::{Reader, Record, Row, TenantId};
use uuid::Uuid;

use crate::http::{Api, Caller, Faults, Refusal, lacking};

/// What the caller may do with a thing; none where they may not even see it.
pub fn level(thing: &impl Shared, caller: &Caller) -> Option<GrantLevel> {
    thing.level_of(caller)
}

/// A thing that the caller may see.
pub fn visible<T>(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<T>>>
where
    T: Record<Id = Uuid> + Shared,
{
    let row = reader.get::<T>(caller.tenant, &id)?;
    Ok(row.filter(|row| level(&row.body, caller).is_some()))
}

/// Refuses, with 403, a caller who may see a thing and may not do that.
pub fn require(thing: &impl Shared, caller: &Caller, least: GrantLevel) -> Api<()> {
    match level(thing, caller) {
        Some(level) if level >= least => Ok(()),
        level => Err(lacking(least, level)),
    }
}

/// A thing that the caller may do that with: 404 where they may not see it, 403 where they may see
/// it only.
pub fn at_least<T>(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<T>>
where
    T: Record<Id = Uuid> + Shared,
{
    let name = T::NAME.replace('_', " ");
    let row = visible::<T>(reader, caller, id)?.ok_or_else(|| Refusal::not_found(&name))?;
    require(&row.body, caller, least)?;
    Ok(row)
}

/// Notes grants that name nobody of this tenant at `grants`. One that was made before stays possible: whom it names may be
/// gone since.
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

/// Notes, at `visibility`, that something is to be private and yet left to those who have a grant.
pub fn check_private(before: &[Grant], private: bool, new: Option<&[Grant]>, faults: &mut Faults) {
    if private && new.is_none() && !before.is_empty() {
        let why = "those who have a grant would still see it; send `grants` as `[]` along to take these away";
        faults.add(["visibility"], why, "conflicting");
    }
}

/// How something is called that these have a grant for: whoever has one sees it, so it is not private.
pub fn with_grants(visibility: Visibility, grants: &[Grant]) -> Visibility {
    match visibility {
        Visibility::Private if !grants.is_empty() => Visibility::Shared,
        other => other,
    }
}

/// Whether this is someone of this tenant, or something in it.
pub fn is_principal(reader: &Reader, tenant: TenantId, principal: &Principal) -> storage::Result<bool> {
    let id = principal.id;
    Ok(match principal.kind {
        PrincipalKind::Tenant => id == tenant.0,
        PrincipalKind::User => reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?.is_some(),
        PrincipalKind::Group => reader.get::<Group>(tenant, &id)?.is_some(),
        PrincipalKind::Team => reader.get::<Team>(tenant, &id)?.is_some(),
    })
}
