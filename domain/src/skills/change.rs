//! Creating, changing and deleting skills.

use storage::records::{
    Assistant, CatalogMetadata, Conversation, Grant, GrantLevel, Skill, SkillContent, SkillDraft,
    SkillDraftState, SkillUsableIn, SkillVersion, Visibility,
};
use storage::{BlobId, Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::users::{SkillUsers, assistants_using};
use crate::{Caller, Code, Faults, Precondition, Refusal, Result, sharing};

/// Maximum number of stored versions of a skill.
const MAX_VERSIONS: usize = 50;

/// The settings of a skill apart from its bundle. Omitted fields do not change; in a new skill or version, they are
/// taken from the bundle.
#[derive(Clone, Debug, Default)]
pub struct SkillInput {
    /// Name of the skill; surrounding white space is removed.
    pub name: Option<String>,
    pub description: Option<String>,
    pub usable_in: Option<SkillUsableIn>,
    pub visibility: Option<Visibility>,
    pub grants: Option<Vec<Grant>>,
}

/// A bundle that has been read and validated.
#[derive(Clone, Copy, Debug)]
pub struct SkillBundle<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub usable_in: SkillUsableIn,
    pub content: &'a SkillContent,
    pub version: &'a SkillVersion,
    /// The draft that the bundle was built from: the ids of its assistant and its job.
    pub draft: Option<(Uuid, Uuid)>,
}

/// The result of uploading a bundle.
pub enum Created {
    New(Row<Skill>),
    /// The caller already has a skill with the same content.
    Existing(Row<Skill>),
}

/// Creates a skill that the caller owns, unless the caller already has a skill with the same content.
///
/// # Errors
/// `invalid` for grants of principals that do not exist.
pub fn create(tx: &mut Tx, caller: &Caller, input: &SkillInput, bundle: SkillBundle<'_>) -> Result<Created> {
    check(tx, caller, &[], input)?;
    let tenant = caller.tenant;
    let key = Skill::content_key(&caller.user, &bundle.version.content_hash);
    if let Some(row) = tx.by_unique::<Skill>(tenant, "by_content", &key)? {
        publish_draft(tx, tenant, bundle, row.id)?;
        return Ok(Created::Existing(row));
    }
    let mut skill = Skill { owner: caller.user, visibility: Visibility::Tenant, ..Skill::default() };
    apply_bundle(&mut skill, bundle);
    apply(&mut skill, input);
    let id = storage::new_id();
    store_content(tx, tenant, id, bundle)?;
    let row = tx.insert(tenant, id, skill)?;
    publish_draft(tx, tenant, bundle, id)?;
    Ok(Created::New(row))
}

/// Changes a skill that the caller may edit, and adds a new version if there is a bundle with different content. Only
/// owners may change the visibility and the grants. `version` is the version in the request itself, which is checked in
/// addition to the precondition.
///
/// # Errors
/// `not_found`, `not_allowed`, `stale`; `invalid` for grants of principals that do not exist; `conflict` if the owner
/// has another skill with the same content.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    input: &SkillInput,
    bundle: Option<SkillBundle<'_>>,
) -> Result<Row<Skill>> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Editor)?;
    if input.visibility.is_some() || input.grants.is_some() {
        sharing::require(&row.body, caller, GrantLevel::Owner)?;
    }
    precondition.check_both(version, "skill", row.version)?;
    check(tx, caller, &row.grants, input)?;
    let tenant = caller.tenant;
    let mut body = row.body.clone();
    if let Some(bundle) = bundle {
        if bundle.version.content_hash != body.content_hash {
            require_unique(tx, tenant, &row, bundle)?;
            store_content(tx, tenant, id, bundle)?;
            apply_bundle(&mut body, bundle);
            drop_old_versions(tx, tenant, id, &mut body)?;
            withdraw_approvals(tx, tenant, id)?;
        }
        publish_draft(tx, tenant, bundle, id)?;
    }
    apply(&mut body, input);
    if body != row.body {
        row.body = body;
        row = tx.update(tenant, row)?;
    }
    Ok(row)
}

/// Sets the picture of a skill that the caller may edit.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn set_picture(tx: &mut Tx, caller: &Caller, id: Uuid, picture: BlobId) -> Result<Row<Skill>> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Editor)?;
    row.avatar = Some(picture);
    Ok(tx.update(caller.tenant, row)?)
}

/// Replaces the catalog metadata of a skill that the caller owns.
///
/// # Errors
/// `not_found`, `not_allowed`, `stale`.
pub fn set_catalog_metadata(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    metadata: CatalogMetadata,
) -> Result<Row<Skill>> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Owner)?;
    precondition.check(row.version)?;
    row.catalog = Some(metadata);
    Ok(tx.update(caller.tenant, row)?)
}

/// Deletes a skill that the caller owns. `conversations` are the conversations in which it is enabled.
///
/// # Errors
/// `not_found`, `not_allowed`; `in_use` with the assistants and conversations that use it.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid, conversations: &[Row<Conversation>]) -> Result<()> {
    let row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Owner)?;
    SkillUsers::new(caller, assistants_using(tx, caller.tenant, id)?, conversations).require_none()?;
    for version in &row.versions {
        tx.delete::<SkillContent>(caller.tenant, &(id, version.content_hash.clone()))?;
    }
    tx.delete::<Skill>(caller.tenant, &id)?;
    Ok(())
}

/// Returns the instructions, functions and files of the current version of a skill.
pub fn content(reader: &Reader, caller: &Caller, row: &Row<Skill>) -> storage::Result<SkillContent> {
    let content = reader.get::<SkillContent>(caller.tenant, &(row.id, row.content_hash.clone()))?;
    Ok(content.map(|row| row.body).unwrap_or_default())
}

fn apply_bundle(skill: &mut Skill, bundle: SkillBundle<'_>) {
    skill.name = bundle.name.to_owned();
    skill.description = bundle.description.to_owned();
    skill.usable_in = bundle.usable_in;
    skill.content_hash.clone_from(&bundle.version.content_hash);
    skill.functions = bundle.content.functions.iter().map(|function| function.name.clone()).collect();
    skill.services.clone_from(&bundle.content.services);
    // A version that is uploaded again becomes the latest.
    skill.versions.retain(|known| known.content_hash != bundle.version.content_hash);
    skill.versions.push(bundle.version.clone());
}

fn apply(skill: &mut Skill, input: &SkillInput) {
    if let Some(name) = &input.name {
        skill.name = name.trim().to_owned();
    }
    if let Some(description) = &input.description {
        skill.description.clone_from(description);
    }
    skill.usable_in = input.usable_in.unwrap_or(skill.usable_in);
    skill.visibility = input.visibility.unwrap_or(skill.visibility);
    if let Some(grants) = &input.grants {
        skill.grants.clone_from(grants);
    }
    skill.visibility = sharing::with_grants(skill.visibility, &skill.grants);
}

fn store_content(tx: &mut Tx, tenant: TenantId, id: Uuid, bundle: SkillBundle<'_>) -> storage::Result<()> {
    let key = (id, bundle.version.content_hash.clone());
    if tx.get::<SkillContent>(tenant, &key)?.is_none() {
        tx.insert(tenant, key, bundle.content.clone())?;
    }
    Ok(())
}

fn drop_old_versions(tx: &mut Tx, tenant: TenantId, id: Uuid, skill: &mut Skill) -> storage::Result<()> {
    let surplus = skill.versions.len().saturating_sub(MAX_VERSIONS);
    for version in skill.versions.drain(..surplus) {
        tx.delete::<SkillContent>(tenant, &(id, version.content_hash))?;
    }
    Ok(())
}

/// External services were approved for the code that the skill had at that time.
fn withdraw_approvals(tx: &mut Tx, tenant: TenantId, id: Uuid) -> storage::Result<()> {
    for mut assistant in tx.scan::<Assistant>(tenant, Scan::table())?.items {
        if assistant.skills.contains(&id) && !assistant.approved_external_services.is_empty() {
            assistant.withdraw_services(|_| false);
            tx.update(tenant, assistant)?;
        }
    }
    Ok(())
}

/// Prevents two skills of one owner from having the same content.
fn require_unique(
    reader: &Reader,
    tenant: TenantId,
    row: &Row<Skill>,
    bundle: SkillBundle<'_>,
) -> Result<()> {
    let key = Skill::content_key(&row.owner, &bundle.version.content_hash);
    match reader.by_unique::<Skill>(tenant, "by_content", &key)? {
        Some(other) if other.id != row.id => {
            let why = "another skill of the same owner has this content";
            Err(Refusal::new(Code::Conflict).detail(why).extra("skill_id", other.id.to_string()))
        }
        _ => Ok(()),
    }
}

/// Marks the draft that a bundle was built from as published.
fn publish_draft(tx: &mut Tx, tenant: TenantId, bundle: SkillBundle<'_>, skill: Uuid) -> storage::Result<()> {
    let Some(key) = bundle.draft else { return Ok(()) };
    let Some(mut draft) = tx.get::<SkillDraft>(tenant, &key)? else { return Ok(()) };
    if draft.skill_id == Some(skill) && draft.state == SkillDraftState::Published {
        return Ok(());
    }
    (draft.state, draft.skill_id) = (SkillDraftState::Published, Some(skill));
    tx.update(tenant, draft).map(drop)
}

fn check(reader: &Reader, caller: &Caller, before: &[Grant], input: &SkillInput) -> Result<()> {
    let mut faults = Faults::new("body");
    let private = input.visibility == Some(Visibility::Private);
    sharing::check_private(before, private, input.grants.as_deref(), &mut faults);
    let grants = input.grants.as_deref().unwrap_or_default();
    sharing::check_grants(reader, caller.tenant, before, grants, &mut faults)?;
    faults.into_result()
}
