//! Deleting teams, with what was granted to them.

use std::sync::Arc;

use serde_json::json;
use storage::records::{
    Assistant, Grant, KnowledgeBase, Principal, PrincipalKind, Project, ProjectKind, Shared, Skill, Team,
};
use storage::{Reader, Record, Scan, TenantId, Tx};
use uuid::Uuid;

use super::change::{has_others, note, say_whether_any};
use super::managed;
use crate::App;
use crate::http::{Api, Caller};

/// What is shared with a team, beside projects, which an index finds.
#[derive(Clone, Default)]
struct Holders {
    assistants: Vec<Uuid>,
    bases: Vec<Uuid>,
    skills: Vec<Uuid>,
}

/// Deletes a team and takes out what was granted to it. Something that is shared with it in this very moment keeps a
/// grant that is nobody's: the team's id is never used again.
pub async fn remove(app: &App, caller: &Arc<Caller>, id: Uuid) -> Api<()> {
    let by = caller.clone();
    let holders = app.store.read(move |reader| {
        managed(reader, &by, id)?;
        Holders::of(reader, by.tenant, id)
    });
    let (by, holders) = (caller.clone(), holders.await?);
    app.store.run(move |tx| delete(tx, &by, id, &holders)).await
}

fn delete(tx: &mut Tx, caller: &Caller, id: Uuid, holders: &Holders) -> Api<()> {
    let (tenant, row) = (caller.tenant, managed(tx, caller, id)?);
    say_whether_any(tx, tenant, |tx| has_others(tx, tenant, id))?;
    let team = team(id);
    take::<Assistant>(tx, tenant, &holders.assistants, &team, |body| &mut body.grants)?;
    take::<KnowledgeBase>(tx, tenant, &holders.bases, &team, |body| &mut body.grants)?;
    take::<Skill>(tx, tenant, &holders.skills, &team, |body| &mut body.grants)?;
    let projects = Scan::index("by_principal").prefix(team.index_key());
    for mut project in tx.scan::<Project>(tenant, projects)?.items {
        project.grants.retain(|grant| grant.principal != team);
        if project.team_id == Some(id) {
            (project.kind, project.body.team_id) = (ProjectKind::Personal, None);
        }
        tx.update(tenant, project)?;
    }
    note(tx, caller, &row, "team.delete", json!({"name": row.name}))?;
    tx.delete::<Team>(tenant, &id)?;
    Ok(())
}

fn team(id: Uuid) -> Principal {
    Principal { kind: PrincipalKind::Team, id }
}

impl Holders {
    fn of(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Self> {
        let team = team(id);
        Ok(Self {
            assistants: holding::<Assistant>(reader, tenant, &team)?,
            bases: holding::<KnowledgeBase>(reader, tenant, &team)?,
            skills: holding::<Skill>(reader, tenant, &team)?,
        })
    }
}

fn holding<T: Record<Id = Uuid> + Shared>(
    reader: &Reader,
    tenant: TenantId,
    team: &Principal,
) -> storage::Result<Vec<Uuid>> {
    let all = reader.scan::<T>(tenant, Scan::table())?.items;
    let granted =
        all.into_iter().filter(|row| row.sharing().grants.iter().any(|grant| grant.principal == *team));
    Ok(granted.map(|row| row.id).collect())
}

/// Takes the team's grants out of what is still there.
fn take<T: Record<Id = Uuid>>(
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
