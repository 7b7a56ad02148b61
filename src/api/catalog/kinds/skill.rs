//! Skills of packages.

use domain::skills::{self, Created, SkillInput};
use domain::{Precondition, sharing};
use serde_json::{Value, json};
use storage::records::{Skill, SkillUsableIn};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::Fields;
use crate::api::catalog::faults::of_resource;
use crate::api::catalog::resource_creation::ResourceCreation;
use crate::api::skills::received::ReceivedSkill;
use crate::http::{Api, Caller};

pub(super) fn load(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Option<Value>> {
    Ok(reader.get::<Skill>(tenant, &id)?.map(|row| {
        json!({"name": row.name, "description": row.description, "usable_in": row.usable_in,
            "content": row.content_hash, "visibility": row.visibility})
    }))
}

pub(super) fn of_name(reader: &Reader, caller: &Caller, name: &str) -> Api<Vec<Uuid>> {
    let rows = reader.scan::<Skill>(caller.tenant, Scan::table())?.items.into_iter();
    Ok(rows.filter(|row| row.name == name && row.owner == caller.user).map(|row| row.id).collect())
}

pub(super) fn create(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    key: &str,
    fields: &Fields,
) -> Api<Uuid> {
    let name = fields.get("name").and_then(Value::as_str).map(str::to_owned);
    let input = SkillInput { name, visibility: Some(creation.options.visibility), ..SkillInput::default() };
    // If the owner uploaded the same content before, the existing skill is used.
    let received = bundle(creation, key)?;
    Ok(match skills::create(tx, creation.caller, &input, received.bundle())? {
        Created::New(row) => {
            creation.done.files.insert(received.version.blob_id.clone());
            row.id
        }
        Created::Existing(row) => row.id,
    })
}

pub(super) fn change(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    key: &str,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    let now = |field: &str| changed.get(field).or_else(|| ours.get(field)).cloned().unwrap_or_default();
    let text = |field: &str| now(field).as_str().map(str::to_owned);
    let usable_in = serde_json::from_value::<SkillUsableIn>(now("usable_in")).ok();
    // A new bundle has a name and a description of its own; those that were changed here are kept.
    let (name, description) = (text("name"), text("description"));
    let input = SkillInput { name, description, usable_in, ..SkillInput::default() };
    let received = changed.contains_key("content").then(|| bundle(creation, key)).transpose()?;
    creation.done.files.extend(received.map(|received| received.version.blob_id.clone()));
    let any_version = (&Precondition::Any, None);
    skills::change(tx, creation.caller, id, any_version, &input, received.map(ReceivedSkill::bundle))
        .map(drop)
}

pub(super) fn label(tx: &mut Tx, creation: &ResourceCreation<'_>, id: Uuid) -> Api<()> {
    let row = sharing::visible::<Skill>(tx, creation.caller, id)?;
    let before = row.and_then(|row| row.body.catalog);
    let metadata = creation.metadata(before.clone());
    if before.as_ref() == Some(&metadata) {
        return Ok(());
    }
    skills::set_catalog_metadata(tx, creation.caller, id, &Precondition::Any, metadata).map(drop)
}

fn bundle<'a>(creation: &ResourceCreation<'a>, key: &str) -> Api<&'a ReceivedSkill> {
    creation.prepared.skills.get(key).ok_or_else(|| of_resource(key, "the package contains no bundle for it"))
}
