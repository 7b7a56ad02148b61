//! Skills of packages.

use serde_json::{Value, json};
use storage::records::{Skill, SkillUsableIn};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::Fields;
use crate::api::catalog::faults::of_resource;
use crate::api::catalog::making::Making;
use crate::api::skills::change::{self as skills, Made};
use crate::api::skills::received::Received;
use crate::api::skills::schema::Said;
use crate::http::{Api, Caller, IfMatch};
use domain::sharing;

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

pub(super) fn create(tx: &mut Tx, making: &mut Making<'_>, key: &str, fields: &Fields) -> Api<Uuid> {
    let name = fields.get("name").and_then(Value::as_str).map(str::to_owned);
    let said = Said { name, visibility: Some(making.wishes.visibility), ..Said::default() };
    // Content that its owner has uploaded before stays the skill that it is.
    let received = bundle(making, key)?;
    Ok(match skills::insert(tx, making.caller, &said, received)? {
        Made::New(made) => {
            making.done.files.insert(received.version.blob_id.clone());
            made.skill.id
        }
        Made::Before(made) => made.skill.id,
    })
}

pub(super) fn change(
    tx: &mut Tx,
    making: &mut Making<'_>,
    key: &str,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    let now = |field: &str| changed.get(field).or_else(|| ours.get(field)).cloned().unwrap_or_default();
    let text = |field: &str| now(field).as_str().map(str::to_owned);
    let usable_in = serde_json::from_value::<SkillUsableIn>(now("usable_in")).ok();
    // A new bundle would bring its own words along; those that were changed here stay.
    let (name, description) = (text("name"), text("description"));
    let said = Said { name, description, usable_in, ..Said::default() };
    let received = changed.contains_key("content").then(|| bundle(making, key)).transpose()?;
    making.done.files.extend(received.map(|received| received.version.blob_id.clone()));
    skills::update(tx, making.caller, id, &IfMatch::any(), &said, received).map(drop)
}

pub(super) fn label(tx: &mut Tx, making: &Making<'_>, id: Uuid) -> Api<()> {
    let row = sharing::visible::<Skill>(tx, making.caller, id)?;
    let told = row.and_then(|row| row.body.catalog);
    let metadata = making.metadata(told.clone());
    if told.as_ref() == Some(&metadata) {
        return Ok(());
    }
    crate::api::skills::catalog::set(tx, making.caller, id, &IfMatch::any(), &metadata).map(drop)
}

fn bundle<'a>(making: &Making<'a>, key: &str) -> Api<&'a Received> {
    making.prepared.skills.get(key).ok_or_else(|| of_resource(key, "there is no bundle to make it of"))
}
