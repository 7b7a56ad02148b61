//! Reading the role, the groups and the teams of a member.

use super::{Governed, GroupMember, Membership, Team, Tenant, User};
use crate::authority::{Principal, PrincipalKind, Role, Subject};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::Row;
use crate::scan::Scan;
use uuid::Uuid;

impl Subject {
    /// Where a user stands; none for who is kept out, or is no member. Where a tenant has neither groups nor
    /// teams, that takes three rows.
    ///
    /// A transaction that reads it is retried if role, user or tenant change in the meantime. One that reads it
    /// while the user comes into a group decides as if that had come later.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Option<Self>> {
        let account = reader.get_shared::<User>(TenantId::SYSTEM, &user)?.filter(|row| !row.disabled);
        let member = reader.get_shared::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
        let row = reader.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let (Some(_), Some(member), Some(row)) = (account, member, row) else { return Ok(None) };
        Self::load(reader, row.governed, tenant, user, member.role).map(Some)
    }

    /// Of a member whose rows were read already.
    ///
    /// # Errors
    /// Those of the store.
    pub fn load(
        reader: &Reader,
        governed: Governed,
        tenant: TenantId,
        user: Uuid,
        role: Role,
    ) -> Result<Self> {
        let groups = if governed.groups { groups_of(reader, tenant, user)? } else { Vec::new() };
        let teams = if governed.teams { teams_of(reader, tenant, user, &groups)? } else { Vec::new() };
        Ok(Self { tenant, user, role, groups: groups.into(), teams: teams.into() })
    }
}

/// The groups that a user is in, in order.
fn groups_of(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Vec<Uuid>> {
    let rows = reader.scan::<GroupMember>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?;
    Ok(rows.items.into_iter().map(|row| row.id.1).collect())
}

/// The teams that name the user or one of the groups, in order.
fn teams_of(reader: &Reader, tenant: TenantId, user: Uuid, groups: &[Uuid]) -> Result<Vec<Uuid>> {
    let of_groups = groups.iter().map(|id| Principal { kind: PrincipalKind::Group, id: *id });
    let principals = std::iter::once(Principal { kind: PrincipalKind::User, id: user }).chain(of_groups);
    let mut teams = Vec::new();
    for principal in principals {
        let scan = Scan::index("by_principal").prefix(principal.index_key());
        let rows: Vec<Row<Team>> = reader.scan::<Team>(tenant, scan)?.items;
        teams.extend(rows.into_iter().map(|row| row.id));
    }
    teams.sort_unstable();
    teams.dedup();
    Ok(teams)
}
