//! Members of projects.

use serde_json::json;
use storage::authority::Subject;
use storage::records::{
    Grant, GrantLevel, GroupMember, Principal, PrincipalKind, Project, ProjectKind, Team, User, UserKind,
};
use storage::{Cursor, Page, Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::change::store;
use crate::access::lacking;
use crate::paging::PAGE_BYTES;
use crate::sharing::{self, is_principal};
use crate::{Caller, Code, Refusal, Result};

/// Maximum number of members of a project, including its owner.
const MAX_MEMBERS: usize = 500;

/// A member to add, or whose level is to change.
#[derive(Clone, Debug)]
pub struct NewMember {
    /// User, group or team.
    pub principal: Principal,
    /// The level to give to the member.
    pub level: GrantLevel,
}

/// The outcome for one [`NewMember`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// The principal became a member.
    Added,
    /// The principal was a member and now has another level.
    Changed,
    /// The principal was already a member with this level.
    Unchanged,
    /// The principal does not exist in the tenant.
    NotFound,
}

/// Adds members, or changes their levels. Returns the outcome for each of them, in order. A principal that does not exist
/// does not prevent the others from being added.
///
/// # Errors
/// `not_found`, `not_allowed`; `last_owner` if no user would own the project; `limit_reached`.
pub fn add(tx: &mut Tx, caller: &Caller, id: Uuid, new: &[NewMember]) -> Result<Vec<AddOutcome>> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    let before = row.body.clone();
    // Administrators who only manage a project cannot add members, because its conversations are not theirs to share. If
    // the owners have left the tenant, an administrator has to appoint a new owner.
    if row.member_level(caller) < Some(GrantLevel::Owner) {
        if !is_orphaned(tx, caller, &before)? {
            return Err(lacking(GrantLevel::Owner, before.member_level(caller)));
        }
        for member in new {
            check_takeover(tx, caller, &before, &member.principal)?;
        }
    }
    let mut outcomes = Vec::with_capacity(new.len());
    for member in new {
        outcomes.push(add_one(tx, caller, &mut row.body, member)?);
    }
    if row.body != before {
        replace_missing_owner(tx, caller, &mut row.body)?;
        if row.grants.len() >= MAX_MEMBERS {
            let why = format!("a project can have at most {MAX_MEMBERS} members");
            return Err(Refusal::new(Code::LimitReached).detail(why));
        }
        let detail = json!({"before": before.grants, "after": row.grants, "owner": row.owner});
        store(tx, caller, row, "project.members", detail)?;
    }
    Ok(outcomes)
}

fn add_one(
    reader: &Reader,
    caller: &Caller,
    project: &mut Project,
    member: &NewMember,
) -> Result<AddOutcome> {
    let NewMember { principal, level } = member;
    if level_of(project, principal) == Some(*level) {
        return Ok(AddOutcome::Unchanged);
    }
    if !is_principal(reader, caller.tenant, principal)? {
        return Ok(AddOutcome::NotFound);
    }
    let was_owner = *principal == Principal::user(project.owner);
    if was_owner {
        // The next owner is chosen after all members have been processed.
        project.owner = Uuid::nil();
    }
    if let Some(grant) = project.grants.iter_mut().find(|grant| grant.principal == *principal) {
        grant.level = *level;
        return Ok(AddOutcome::Changed);
    }
    project.grants.push(Grant { principal: principal.clone(), level: *level });
    Ok(if was_owner { AddOutcome::Changed } else { AddOutcome::Added })
}

/// Returns whether none of the users who own the project is still in the tenant.
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

/// Requires that an administrator may appoint this principal in place of owners who have left. Otherwise administrators
/// could read the conversations by removing the owners from the tenant. Users who are members can already read them.
fn check_takeover(reader: &Reader, caller: &Caller, project: &Project, named: &Principal) -> Result<()> {
    let member = named.kind == PrincipalKind::User && level_of(project, named).is_some();
    match member || may_take_over(reader, caller, named)? {
        true => Ok(()),
        false => Err(Refusal::new(Code::NotAllowed).detail(
            "its owners have left the tenant: only users who are members, or people who are not administrators, can take it over",
        )),
    }
}

/// Returns whether this is a person who does not administer the tenant. A user who does not exist passes, and gets the
/// outcome [`AddOutcome::NotFound`].
fn may_take_over(reader: &Reader, caller: &Caller, named: &Principal) -> storage::Result<bool> {
    if named.kind != PrincipalKind::User {
        return Ok(false);
    }
    let person =
        reader.get::<User>(TenantId::SYSTEM, &named.id)?.is_none_or(|user| user.kind == UserKind::Human);
    let subject = Subject::read(reader, caller.tenant, named.id)?;
    Ok(person && subject.is_none_or(|subject| !subject.is_admin()))
}

/// Returns the level that is stored for the principal itself, regardless of its groups and teams.
fn level_of(project: &Project, principal: &Principal) -> Option<GrantLevel> {
    if *principal == Principal::user(project.owner) {
        return Some(GrantLevel::Owner);
    }
    project.grants.iter().find(|grant| grant.principal == *principal).map(|grant| grant.level)
}

/// Replaces a missing owner with the next user who has that level. A group or a team can be an owner, but not the only
/// one, because it may become empty.
///
/// # Errors
/// `last_owner` if there is no such user.
fn replace_missing_owner(reader: &Reader, caller: &Caller, project: &mut Project) -> Result<()> {
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
    Err(Refusal::new(Code::LastOwner).detail("a project needs at least one user as its owner"))
}

/// Removes a member. Owners may remove any member, other members only themselves.
///
/// # Errors
/// `not_found`, `not_allowed`; `last_owner` if no user would own the project.
pub fn remove(tx: &mut Tx, caller: &Caller, id: Uuid, member: Uuid) -> Result<()> {
    let found = sharing::visible::<Project>(tx, caller, id)?;
    let mut row = found.ok_or_else(|| Refusal::not_found("project"))?;
    if member != caller.user {
        sharing::require(&row.body, caller, GrantLevel::Owner)?;
    }
    let before = row.body.clone();
    row.grants.retain(|grant| grant.principal.id != member);
    if row.owner == member {
        row.owner = Uuid::nil();
        replace_missing_owner(tx, caller, &mut row.body)?;
    }
    if row.body == before {
        return Err(Refusal::not_found("member"));
    }
    if row.team_id == Some(member) {
        (row.kind, row.body.team_id) = (ProjectKind::Personal, None);
    }
    let detail = json!({"before": before.grants, "after": row.grants, "owner": row.owner});
    store(tx, caller, row, "project.members", detail)?;
    Ok(())
}

/// Returns a page of the users in a group that is a member of a project.
///
/// # Errors
/// `not_found` for every other group.
pub fn list_of_group(
    reader: &Reader,
    caller: &Caller,
    project: &Project,
    group: Uuid,
    (after, limit): (Option<Cursor>, usize),
) -> Result<Page<Row<GroupMember>>> {
    if !has_group(reader, caller, project, group)? {
        return Err(Refusal::not_found("group"));
    }
    let scan = Scan::index("by_group").prefix(group.as_bytes());
    let scan = scan.limit(limit).bytes(PAGE_BYTES).after(after);
    Ok(reader.scan::<GroupMember>(caller.tenant, scan)?)
}

/// Returns whether a group is a member of a project, directly or through a team that is a member.
fn has_group(reader: &Reader, caller: &Caller, project: &Project, group: Uuid) -> storage::Result<bool> {
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
