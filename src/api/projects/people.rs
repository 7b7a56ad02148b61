//! Who is a member of a project.

use serde_json::json;
use storage::authority::Subject;
use storage::records::{
    Grant, GrantLevel, Principal, PrincipalKind, Project, ProjectKind, Team, User, UserKind,
};
use storage::{Reader, Row, TenantId, Tx};
use uuid::Uuid;

use super::change::store;
use super::schema::{AddProjectMembersBody, MEMBERS, NewProjectMember};
use super::view::{AddProjectMembersResponse, AddedProjectMember, AddedStatus, DeleteProjectResponse};
use crate::api::sharing::{self, is_principal};
use crate::http::{Api, Caller, Code, Refusal, lacking};

/// Lets people in, or gives them another level. Whom there is not is told, and the others are let in.
pub fn add(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    new: &AddProjectMembersBody,
) -> Api<AddProjectMembersResponse> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    let before = row.body.clone();
    // What administrators manage they let nobody into: its conversations are others'. Where its owner has left the
    // tenant, somebody has to name another one.
    if row.member_level(caller) < Some(GrantLevel::Owner) {
        if !is_orphaned(tx, caller, &before)? {
            return Err(lacking(GrantLevel::Owner, before.member_level(caller)));
        }
        for member in &new.members {
            may_be_named(tx, caller, &before, &member.principal())?;
        }
    }
    let mut results = Vec::with_capacity(new.members.len());
    for member in &new.members {
        let principal = member.principal();
        results.push(let_in(tx, caller, &mut row.body, member, principal)?);
    }
    if row.body != before {
        keep_owner(tx, caller, &mut row.body)?;
        if row.grants.len() >= MEMBERS {
            let why = format!("a project has {MEMBERS} members at most");
            return Err(Refusal::new(Code::LimitReached).detail(why));
        }
        let detail = json!({"before": before.grants, "after": row.grants, "owner": row.owner});
        store(tx, caller, row, "project.members", detail)?;
    }
    Ok(AddProjectMembersResponse { results })
}

fn let_in(
    reader: &Reader,
    caller: &Caller,
    project: &mut Project,
    member: &NewProjectMember,
    principal: Principal,
) -> Api<AddedProjectMember> {
    let level = member.level;
    let shown = |status| AddedProjectMember { kind: principal.kind, id: principal.id, level, status };
    if level_of(project, &principal) == Some(level) {
        return Ok(shown(AddedStatus::Unchanged));
    }
    if !is_principal(reader, caller.tenant, &principal)? {
        return Ok(shown(AddedStatus::NotFound));
    }
    let was_owner = principal == Principal::user(project.owner);
    if was_owner {
        // Who comes after them is seen once everybody has been looked at.
        project.owner = Uuid::nil();
    }
    if let Some(grant) = project.grants.iter_mut().find(|grant| grant.principal == principal) {
        grant.level = level;
        return Ok(shown(AddedStatus::Changed));
    }
    project.grants.push(Grant { principal: principal.clone(), level });
    Ok(shown(if was_owner { AddedStatus::Changed } else { AddedStatus::Added }))
}

/// Whether nobody who owns it by name is in the tenant any more.
fn is_orphaned(reader: &Reader, caller: &Caller, project: &Project) -> storage::Result<bool> {
    let owning = project.grants.iter().filter(|grant| grant.level == GrantLevel::Owner);
    let users = owning.map(|grant| grant.principal.clone()).filter(|one| one.kind == PrincipalKind::User);
    for owner in users.chain([Principal::user(project.owner)]) {
        if is_principal(reader, caller.tenant, &owner)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses whom an administrator cannot put in the place of owners who are gone: nobody comes to read the conversations by
/// taking the owners out of the tenant. Who is a member by name reads them already.
fn may_be_named(reader: &Reader, caller: &Caller, project: &Project, named: &Principal) -> Api<()> {
    let member = named.kind == PrincipalKind::User && level_of(project, named).is_some();
    match member || takes_over(reader, caller, named)? {
        true => Ok(()),
        false => Err(Refusal::new(Code::NotAllowed).detail(
            "its owners have left the tenant: only users who are members, or people who are no administrators, take it over",
        )),
    }
}

/// Whether this is a person of the tenant who does not administer it, or who is not there, as is told then.
fn takes_over(reader: &Reader, caller: &Caller, named: &Principal) -> storage::Result<bool> {
    if named.kind != PrincipalKind::User {
        return Ok(false);
    }
    let person =
        reader.get::<User>(TenantId::SYSTEM, &named.id)?.is_none_or(|user| user.kind == UserKind::Human);
    let standing = Subject::read(reader, caller.tenant, named.id)?;
    Ok(person && standing.is_none_or(|standing| !standing.is_admin()))
}

/// The level that is written down for a principal itself.
fn level_of(project: &Project, principal: &Principal) -> Option<GrantLevel> {
    if *principal == Principal::user(project.owner) {
        return Some(GrantLevel::Owner);
    }
    project.grants.iter().find(|grant| grant.principal == *principal).map(|grant| grant.level)
}

/// Where the owner is gone, the next user of that level comes in their place: 409 where there is none. A group or a
/// team can be an owner, and not the only one: it may be empty tomorrow.
fn keep_owner(reader: &Reader, caller: &Caller, project: &mut Project) -> Api<()> {
    if !project.owner.is_nil() {
        return Ok(());
    }
    for (at, Grant { principal, level }) in project.grants.iter().enumerate() {
        let is_user = principal.kind == PrincipalKind::User;
        if is_user && *level == GrantLevel::Owner && is_principal(reader, caller.tenant, principal)? {
            project.owner = project.grants.remove(at).principal.id;
            return Ok(());
        }
    }
    Err(Refusal::new(Code::LastOwner).detail("a project has at least one user who owns it"))
}

/// Takes a member out: an owner anyone, and everybody themselves.
pub fn remove(tx: &mut Tx, caller: &Caller, id: Uuid, member: Uuid) -> Api<DeleteProjectResponse> {
    let found = sharing::visible::<Project>(tx, caller, id)?;
    let mut row = found.ok_or_else(|| Refusal::not_found("project"))?;
    if member != caller.user {
        sharing::require(&row.body, caller, GrantLevel::Owner)?;
    }
    let before = row.body.clone();
    row.grants.retain(|grant| grant.principal.id != member);
    if row.owner == member {
        row.owner = Uuid::nil();
        keep_owner(tx, caller, &mut row.body)?;
    }
    if row.body == before {
        return Err(Refusal::not_found("member"));
    }
    if row.team_id == Some(member) {
        (row.kind, row.body.team_id) = (ProjectKind::Personal, None);
    }
    let detail = json!({"before": before.grants, "after": row.grants, "owner": row.owner});
    store(tx, caller, row, "project.members", detail)?;
    Ok(DeleteProjectResponse { project_id: id, member_id: Some(member), released_conversations: None })
}

/// Whether a group is a member of a project, by itself or in a team that is one.
pub fn has_group(
    reader: &Reader,
    caller: &Caller,
    project: &Row<Project>,
    group: Uuid,
) -> storage::Result<bool> {
    let group = Principal::group(group);
    for principal in project.principals() {
        if principal == group {
            return Ok(true);
        }
        if principal.kind == PrincipalKind::Team
            && let Some(team) = reader.get::<Team>(caller.tenant, &principal.id)?
            && team.owners.iter().chain(&team.members).any(|member| *member == group)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
