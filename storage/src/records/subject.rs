//! Loads the role, groups and teams of a member.

use super::{Governed, GroupMember, Membership, Team, Tenant, User};
use crate::authority::{Principal, PrincipalKind, Role, Subject};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::Row;
use crate::scan::Scan;
use uuid::Uuid;

impl Subject {
    /// Loads the permissions of a user in a tenant. Returns `None` if the account is disabled or the user is
    /// not a member. If the tenant has neither groups nor teams, this reads three rows.
    ///
    /// A transaction that calls this function is retried if the user, the role or the tenant changes
    /// concurrently. If the user is added to a group concurrently, the transaction decides as if that happened
    /// later.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn read(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Option<Self>> {
        let account = reader.get_shared::<User>(TenantId::SYSTEM, &user)?.filter(|row| !row.disabled);
        let member = reader.get_shared::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
        let row = reader.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let (Some(_), Some(member), Some(row)) = (account, member, row) else { return Ok(None) };
        Self::load(reader, row.governed, tenant, user, member.role).map(Some)
    }

    /// Loads the permissions of a member whose rows have already been read.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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

/// Returns the groups that a user is in, in order.
fn groups_of(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Vec<Uuid>> {
    let rows = reader.scan::<GroupMember>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?;
    Ok(rows.items.into_iter().map(|row| row.id.1).collect())
}

/// Returns the teams that name the user or one of the groups, in order.
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
