//! Making, changing and deleting skills.

use storage::records::{
    Assistant, Conversation, Grant, GrantLevel, Skill, SkillContent, SkillDraft, SkillDraftState, Visibility,
};
use storage::{BlobId, Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::received::Received;
use super::schema::Said;
use super::usage::{self, Users};
use super::view::SkillDetailResponse;
use crate::http::{Api, Caller, Code, Faults, IfMatch, Refusal};
use domain::sharing;

/// Versions of a skill that are kept.
const VERSIONS: usize = 50;

/// A skill that was asked for.
pub enum Made {
    /// It is new.
    New(SkillDetailResponse),
    /// The caller had uploaded the same before.
    Before(SkillDetailResponse),
}

/// Makes a skill of the caller's; the one they have, where they have one of the same content.
pub fn insert(tx: &mut Tx, caller: &Caller, said: &Said, received: &Received) -> Api<Made> {
    check(tx, caller, &[], said)?;
    let tenant = caller.tenant;
    let hash = &received.version.content_hash;
    let before = tx.by_unique::<Skill>(tenant, "by_content", &Skill::content_key(&caller.user, hash))?;
    if let Some(row) = before {
        publish(tx, tenant, received, row.id)?;
        return detail(tx, caller, row).map(Made::Before);
    }
    let mut skill = Skill { owner: caller.user, visibility: Visibility::Tenant, ..Skill::default() };
    take(&mut skill, received);
    apply(&mut skill, said);
    let id = storage::new_id();
    keep(tx, tenant, id, received)?;
    let row = tx.insert(tenant, id, skill)?;
    publish(tx, tenant, received, id)?;
    detail(tx, caller, row).map(Made::New)
}

/// Changes a skill that the caller may edit; who else may see it, only its owners change. The content
/// that it has already changes nothing.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    said: &Said,
    received: Option<&Received>,
) -> Api<SkillDetailResponse> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Editor)?;
    if said.visibility.is_some() || said.grants.is_some() {
        sharing::require(&row.body, caller, GrantLevel::Owner)?;
    }
    if_match.check(row.version)?;
    if said.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("skill").into());
    }
    check(tx, caller, &row.grants, said)?;
    let tenant = caller.tenant;
    let mut body = row.body.clone();
    if let Some(received) = received {
        if received.version.content_hash != body.content_hash {
            alone(tx, tenant, &row, received)?;
            keep(tx, tenant, id, received)?;
            take(&mut body, received);
            forget(tx, tenant, id, &mut body)?;
            withdraw(tx, tenant, id)?;
        }
        publish(tx, tenant, received, id)?;
    }
    apply(&mut body, said);
    if body != row.body {
        row.body = body;
        row = tx.update(tenant, row)?;
    }
    detail(tx, caller, row)
}

/// What assistants were approved for was approved for the code that the skill had then.
fn withdraw(tx: &mut Tx, tenant: TenantId, id: Uuid) -> storage::Result<()> {
    for mut assistant in tx.scan::<Assistant>(tenant, Scan::table())?.items {
        if assistant.skills.contains(&id) && !assistant.approved_external_services.is_empty() {
            assistant.withdraw_services(|_| false);
            tx.update(tenant, assistant)?;
        }
    }
    Ok(())
}

/// Gives a skill a picture.
pub fn picture(tx: &mut Tx, caller: &Caller, id: Uuid, blob: BlobId) -> Api<SkillDetailResponse> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Editor)?;
    row.avatar = Some(blob);
    let row = tx.update(caller.tenant, row)?;
    detail(tx, caller, row)
}

/// Deletes a skill that nothing uses; 409 `in_use` tells what does.
pub fn remove(tx: &mut Tx, caller: &Caller, id: Uuid, talks: &[Row<Conversation>]) -> Api<()> {
    let row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Owner)?;
    let users = Users::of(caller, usage::assistants(tx, caller.tenant, id)?, talks);
    if !users.is_empty() {
        return Err(users.refusal());
    }
    for version in &row.versions {
        tx.delete::<SkillContent>(caller.tenant, &(id, version.content_hash.clone()))?;
    }
    tx.delete::<Skill>(caller.tenant, &id)?;
    Ok(())
}

/// A skill with what it consists of.
pub fn detail(reader: &Reader, caller: &Caller, row: Row<Skill>) -> Api<SkillDetailResponse> {
    let content = reader.get::<SkillContent>(caller.tenant, &(row.id, row.content_hash.clone()))?;
    let content = content.map(|row| row.body).unwrap_or_default();
    Ok(SkillDetailResponse::of(row, content, caller))
}

/// The skill becomes what the bundle is.
fn take(skill: &mut Skill, received: &Received) {
    let Received { inspected, version, .. } = received;
    skill.name.clone_from(&inspected.name);
    skill.description.clone_from(&inspected.description);
    skill.usable_in = inspected.usable_in;
    skill.content_hash.clone_from(&version.content_hash);
    skill.functions = inspected.content.functions.iter().map(|function| function.name.clone()).collect();
    skill.services.clone_from(&inspected.content.services);
    // One that comes again is the latest.
    skill.versions.retain(|known| known.content_hash != version.content_hash);
    skill.versions.push(version.clone());
}

/// What was said goes before what the bundle says.
fn apply(skill: &mut Skill, said: &Said) {
    if let Some(name) = &said.name {
        skill.name = name.trim().to_owned();
    }
    if let Some(description) = &said.description {
        skill.description.clone_from(description);
    }
    skill.usable_in = said.usable_in.unwrap_or(skill.usable_in);
    skill.visibility = said.visibility.unwrap_or(skill.visibility);
    if let Some(grants) = &said.grants {
        skill.grants.clone_from(grants);
    }
    skill.visibility = sharing::with_grants(skill.visibility, &skill.grants);
}

/// Keeps the content of a version.
fn keep(tx: &mut Tx, tenant: TenantId, id: Uuid, received: &Received) -> storage::Result<()> {
    let key = (id, received.version.content_hash.clone());
    if tx.get::<SkillContent>(tenant, &key)?.is_none() {
        tx.insert(tenant, key, received.inspected.content.clone())?;
    }
    Ok(())
}

/// Drops the oldest versions where there are too many.
fn forget(tx: &mut Tx, tenant: TenantId, id: Uuid, skill: &mut Skill) -> storage::Result<()> {
    let surplus = skill.versions.len().saturating_sub(VERSIONS);
    for gone in skill.versions.drain(..surplus) {
        tx.delete::<SkillContent>(tenant, &(id, gone.content_hash))?;
    }
    Ok(())
}

/// Refuses to make two skills of one owner the same.
fn alone(reader: &Reader, tenant: TenantId, row: &Row<Skill>, received: &Received) -> Api<()> {
    let key = Skill::content_key(&row.owner, &received.version.content_hash);
    match reader.by_unique::<Skill>(tenant, "by_content", &key)? {
        Some(other) if other.id != row.id => {
            let why = "another skill of the same owner has this content";
            Err(Refusal::new(Code::Conflict).detail(why).extra("skill_id", other.id.to_string()))
        }
        _ => Ok(()),
    }
}

/// Notes in a draft that it has become a skill.
fn publish(tx: &mut Tx, tenant: TenantId, received: &Received, skill: Uuid) -> storage::Result<()> {
    let Some(key) = received.draft else { return Ok(()) };
    let Some(mut draft) = tx.get::<SkillDraft>(tenant, &key)? else { return Ok(()) };
    if draft.skill_id == Some(skill) && draft.state == SkillDraftState::Published {
        return Ok(());
    }
    (draft.state, draft.skill_id) = (SkillDraftState::Published, Some(skill));
    tx.update(tenant, draft).map(drop)
}

/// Grants must name someone of the tenant. Every fault is named.
fn check(reader: &Reader, caller: &Caller, before: &[Grant], said: &Said) -> Api<()> {
    let mut faults = Faults::of("body");
    let private = said.visibility == Some(Visibility::Private);
    sharing::check_private(before, private, said.grants.as_deref(), &mut faults);
    let grants = said.grants.as_deref().unwrap_or_default();
    sharing::check_grants(reader, caller.tenant, before, grants, &mut faults)?;
    faults.told()
}
