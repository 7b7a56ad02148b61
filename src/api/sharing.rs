//! Who may see and do what with shared things: assistants, knowledge bases, skills.

use storage::records::{Grant, GrantLevel, Membership, PrincipalKind, Shared};
use storage::{Reader, Record, Row, TenantId};
use uuid::Uuid;

use crate::http::{Api, ApiError, Caller, Code};

/// What the caller may do with a thing; none where they may not even see it.
pub fn level(thing: &impl Shared, caller: &Caller) -> Option<GrantLevel> {
    thing.level_of(caller.tenant, caller.user, caller.role)
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
        _ => Err(Code::NotAllowed.into()),
    }
}

/// A thing that the caller may do that with: 404 where they may not see it, 403 where they may see
/// it only.
pub fn at_least<T>(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<T>>
where
    T: Record<Id = Uuid> + Shared,
{
    let name = T::NAME.replace('_', " ");
    let row = visible::<T>(reader, caller, id)?.ok_or_else(|| ApiError::not_found(&name))?;
    require(&row.body, caller, least)?;
    Ok(row)
}

/// Whether a grant names someone of this tenant.
pub fn is_principal(reader: &Reader, tenant: TenantId, grant: &Grant) -> storage::Result<bool> {
    let id = grant.principal.id;
    match grant.principal.kind {
        PrincipalKind::Tenant => Ok(id == tenant.0),
        PrincipalKind::User => {
            let membership = reader.get::<Membership>(TenantId::SYSTEM, &(id, tenant.0))?;
            Ok(membership.is_some())
        }
        PrincipalKind::Group | PrincipalKind::Team => Ok(false),
    }
}
