//! Whom an administrator writes to.

use std::collections::BTreeSet;

use storage::records::{Group, GroupMember, Membership, Principal, PrincipalKind, Team, User, UserKind};
use storage::{IndexKey, Reader, Scan, TenantId};
use uuid::Uuid;

use super::schema::SendNotificationRequest;
use crate::http::{Api, Faults, Refusal};

/// People who can be written to at once.
pub const MOST: usize = 10_000;

/// All who are meant, each once. Refuses names of nobody.
pub fn meant(reader: &Reader, tenant: TenantId, asked: &SendNotificationRequest) -> Api<BTreeSet<Uuid>> {
    let mut meant = BTreeSet::new();
    if asked.everyone {
        everyone(reader, tenant, &mut meant)?;
    }
    let mut faults = Faults::of("body");
    for (at, id) in asked.user_ids.iter().enumerate() {
        match is_member(reader, tenant, *id)? {
            true => drop(meant.insert(*id)),
            false => faults.add(["user_ids", &at.to_string()], "there is no such member", "not_found"),
        }
    }
    for (at, id) in asked.group_ids.iter().enumerate() {
        match reader.get::<Group>(tenant, id)? {
            Some(_) => of_group(reader, tenant, *id, &mut meant)?,
            None => faults.add(["group_ids", &at.to_string()], "there is no such group", "not_found"),
        }
    }
    for (at, id) in asked.team_ids.iter().enumerate() {
        match reader.get::<Team>(tenant, id)? {
            Some(team) => of_team(reader, tenant, &team, &mut meant)?,
            None => faults.add(["team_ids", &at.to_string()], "there is no such team", "not_found"),
        }
    }
    faults.told()?;
    match meant.len() > MOST {
        true => Err(Refusal::invalid(
            "body",
            std::iter::empty(),
            format!("means {} people, and {MOST} can be written to at once", meant.len()),
            "too_many",
        )),
        false => Ok(meant),
    }
}

/// All people of the tenant who are let in.
fn everyone(reader: &Reader, tenant: TenantId, meant: &mut BTreeSet<Uuid>) -> storage::Result<()> {
    let scan = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant.0).done());
    for row in reader.scan::<Membership>(TenantId::SYSTEM, scan)?.items {
        let user = reader.get::<User>(TenantId::SYSTEM, &row.id.0)?;
        if user.is_some_and(|user| user.kind == UserKind::Human && !user.disabled) {
            meant.insert(row.id.0);
        }
    }
    Ok(())
}

fn of_team(
    reader: &Reader,
    tenant: TenantId,
    team: &Team,
    meant: &mut BTreeSet<Uuid>,
) -> storage::Result<()> {
    for Principal { kind, id } in team.owners.iter().chain(&team.members) {
        match kind {
            PrincipalKind::User if is_member(reader, tenant, *id)? => drop(meant.insert(*id)),
            PrincipalKind::Group => of_group(reader, tenant, *id, meant)?,
            PrincipalKind::User | PrincipalKind::Team | PrincipalKind::Tenant => {}
        }
    }
    Ok(())
}

fn of_group(
    reader: &Reader,
    tenant: TenantId,
    group: Uuid,
    meant: &mut BTreeSet<Uuid>,
) -> storage::Result<()> {
    let scan = Scan::index("by_group").prefix(IndexKey::new().id(&group).done());
    for row in reader.scan::<GroupMember>(tenant, scan)?.items {
        if is_member(reader, tenant, row.id.0)? {
            meant.insert(row.id.0);
        }
    }
    Ok(())
}

fn is_member(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<bool> {
    Ok(reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?.is_some())
}
