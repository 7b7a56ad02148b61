//! The members to whom an administrator sends a notification.

use std::collections::BTreeSet;

use storage::records::{Group, GroupMember, Membership, Principal, PrincipalKind, Team, User, UserKind};
use storage::{IndexKey, Reader, Scan, TenantId};
use uuid::Uuid;

use crate::{Faults, Refusal, Result};

/// Maximum number of recipients of a notification.
pub const MAX_RECIPIENTS: usize = 10_000;

/// The recipients of a notification: all people of the tenant, or the given users, groups and teams.
#[derive(Clone, Debug, Default)]
pub struct Recipients {
    /// All people of the tenant who can log in.
    pub everyone: bool,
    /// Members of the tenant.
    pub user_ids: Vec<Uuid>,
    /// Groups, with all their members.
    pub group_ids: Vec<Uuid>,
    /// Teams, with all their owners and members.
    pub team_ids: Vec<Uuid>,
}

impl Recipients {
    /// Returns the users, without duplicates.
    ///
    /// # Errors
    /// `invalid` for users, groups and teams that do not exist, and for more than [`MAX_RECIPIENTS`] users.
    pub(super) fn resolve(&self, reader: &Reader, tenant: TenantId) -> Result<BTreeSet<Uuid>> {
        let mut users = BTreeSet::new();
        if self.everyone {
            add_everyone(reader, tenant, &mut users)?;
        }
        let mut faults = Faults::new("body");
        for (at, id) in self.user_ids.iter().enumerate() {
            match is_member(reader, tenant, *id)? {
                true => drop(users.insert(*id)),
                false => faults.add(["user_ids", &at.to_string()], "there is no such member", "not_found"),
            }
        }
        for (at, id) in self.group_ids.iter().enumerate() {
            match reader.get::<Group>(tenant, id)? {
                Some(_) => add_group(reader, tenant, *id, &mut users)?,
                None => faults.add(["group_ids", &at.to_string()], "there is no such group", "not_found"),
            }
        }
        for (at, id) in self.team_ids.iter().enumerate() {
            match reader.get::<Team>(tenant, id)? {
                Some(team) => add_team(reader, tenant, &team, &mut users)?,
                None => faults.add(["team_ids", &at.to_string()], "there is no such team", "not_found"),
            }
        }
        faults.into_result()?;
        match users.len() > MAX_RECIPIENTS {
            true => Err(Refusal::invalid(
                "body",
                std::iter::empty(),
                format!("selects {} people; at most {MAX_RECIPIENTS} can be notified", users.len()),
                "too_many",
            )),
            false => Ok(users),
        }
    }
}

fn add_everyone(reader: &Reader, tenant: TenantId, users: &mut BTreeSet<Uuid>) -> storage::Result<()> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant.0).done());
    for row in reader.scan::<Membership>(TenantId::SYSTEM, scan)?.items {
        let user = reader.get::<User>(TenantId::SYSTEM, &row.id.0)?;
        if user.is_some_and(|user| user.kind == UserKind::Human && !user.disabled) {
            users.insert(row.id.0);
        }
    }
    Ok(())
}

fn add_team(
    reader: &Reader,
    tenant: TenantId,
    team: &Team,
    users: &mut BTreeSet<Uuid>,
) -> storage::Result<()> {
    for Principal { kind, id } in team.owners.iter().chain(&team.members) {
        match kind {
            PrincipalKind::User if is_member(reader, tenant, *id)? => drop(users.insert(*id)),
            PrincipalKind::Group => add_group(reader, tenant, *id, users)?,
            PrincipalKind::User | PrincipalKind::Team | PrincipalKind::Tenant => {}
        }
    }
    Ok(())
}

fn add_group(
    reader: &Reader,
    tenant: TenantId,
    group: Uuid,
    users: &mut BTreeSet<Uuid>,
) -> storage::Result<()> {
    let scan = Scan::index("by_group").prefix(IndexKey::new().id(&group).done());
    for row in reader.scan::<GroupMember>(tenant, scan)?.items {
        if is_member(reader, tenant, row.id.0)? {
            users.insert(row.id.0);
        }
    }
    Ok(())
}

fn is_member(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<bool> {
    Ok(reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?.is_some())
}
