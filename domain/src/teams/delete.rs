//! Deletes teams and the grants to them.

use serde_json::json;
use storage::records::{
    Assistant, Grant, KnowledgeBase, Principal, PrincipalKind, Project, ProjectKind, Shared, Skill, Team,
};
use storage::{Reader, Record, Scan, TenantId, Tx};
use uuid::Uuid;

use super::change::{has_others, record, set_has_teams};
use super::managed;
use crate::{Caller, Result};

/// The objects that are shared with a team, except projects, which are found through an index.
#[derive(Clone, Default)]
pub struct SharedObjects {
    assistants: Vec<Uuid>,
    bases: Vec<Uuid>,
    skills: Vec<Uuid>,
}

impl SharedObjects {
    /// Finds the objects by reading whole tables. Call it in a separate read, because a transaction would depend on all
    /// rows.
    ///
    /// # Errors
    /// `not_found`, `not_allowed` unless the caller manages the team.
    pub fn read(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Self> {
        managed(reader, caller, id)?;
        let (tenant, team) = (caller.tenant, principal(id));
        Ok(Self {
            assistants: shared_with::<Assistant>(reader, tenant, &team)?,
            bases: shared_with::<KnowledgeBase>(reader, tenant, &team)?,
            skills: shared_with::<Skill>(reader, tenant, &team)?,
        })
    }
}

/// Deletes a team and revokes its grants. If an object is shared with the team between the read of [`SharedObjects`]
/// and this transaction, it keeps a grant without effect: the id of the team is never reused.
///
/// # Errors
/// `not_found`, `not_allowed` unless the caller manages the team.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid, shared: &SharedObjects) -> Result<()> {
    let (tenant, row) = (caller.tenant, managed(tx, caller, id)?);
    set_has_teams(tx, tenant, |tx| has_others(tx, tenant, id))?;
    let team = principal(id);
    revoke::<Assistant>(tx, tenant, &shared.assistants, &team, |body| &mut body.grants)?;
    revoke::<KnowledgeBase>(tx, tenant, &shared.bases, &team, |body| &mut body.grants)?;
    revoke::<Skill>(tx, tenant, &shared.skills, &team, |body| &mut body.grants)?;
    let projects = Scan::index("by_principal").prefix(team.index_key());
    for mut project in tx.scan::<Project>(tenant, projects)?.items {
        project.grants.retain(|grant| grant.principal != team);
        if project.team_id == Some(id) {
            (project.kind, project.body.team_id) = (ProjectKind::Personal, None);
        }
        tx.update(tenant, project)?;
    }
    record(tx, caller, &row, "team.delete", json!({"name": row.name}))?;
    tx.delete::<Team>(tenant, &id)?;
    Ok(())
}

fn principal(id: Uuid) -> Principal {
    Principal { kind: PrincipalKind::Team, id }
}

fn shared_with<T: Record<Id = Uuid> + Shared>(
    reader: &Reader,
    tenant: TenantId,
    team: &Principal,
) -> storage::Result<Vec<Uuid>> {
    let all = reader.scan::<T>(tenant, Scan::table())?.items;
    let granted =
        all.into_iter().filter(|row| row.sharing().grants.iter().any(|grant| grant.principal == *team));
    Ok(granted.map(|row| row.id).collect())
}

/// Removes the team's grants from the rows that still exist.
fn revoke<T: Record<Id = Uuid>>(
    tx: &mut Tx,
    tenant: TenantId,
    ids: &[Uuid],
    team: &Principal,
    grants: fn(&mut T) -> &mut Vec<Grant>,
) -> storage::Result<()> {
    for id in ids {
        if let Some(mut row) = tx.get::<T>(tenant, id)? {
            grants(&mut row.body).retain(|grant| grant.principal != *team);
            tx.update(tenant, row)?;
        }
    }
    Ok(())
}
