//! Assistants of packages.

use domain::Precondition;
use domain::assistants::{self, AssistantInput, access};
use serde_json::{Value, json};
use storage::records::Assistant;
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::{Fields, read, to_json};
use crate::api::assistants::schema::{CreateAssistantRequest, PatchAssistantRequest};
use crate::api::assistants::{RunEnvironment, read_graph};
use crate::api::catalog::resource_creation::ResourceCreation;
use crate::http::{Api, Caller};

/// Converts the fields of a package. They are those of a request to create an assistant, and follow the same schema.
fn input(fields: &Fields) -> Api<AssistantInput> {
    Ok(read::<CreateAssistantRequest>(fields)?.into())
}

pub(super) fn normal(fields: &Fields) -> Api<Value> {
    to_json(&input(fields)?.into_assistant())
}

pub(super) fn load(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Option<Value>> {
    reader.get::<Assistant>(tenant, &id)?.map(|row| to_json(&row.body)).transpose()
}

pub(super) fn of_name(reader: &Reader, caller: &Caller, name: &str) -> Api<Vec<Uuid>> {
    let rows = reader.scan::<Assistant>(caller.tenant, Scan::table())?.items.into_iter();
    let fits = rows.filter(|row| row.name == name && row.deleted_at.is_none() && row.owner == caller.user);
    Ok(fits.map(|row| row.id).collect())
}

pub(super) fn create(tx: &mut Tx, creation: &ResourceCreation<'_>, fields: &Fields) -> Api<Uuid> {
    let mut fields = fields.clone();
    fields.insert("visibility".to_owned(), json!(creation.options.visibility));
    if let Some(model) = &creation.options.model {
        fields.insert("model".to_owned(), json!(model));
    }
    let environment = RunEnvironment(creation.run_context);
    Ok(assistants::create(tx, creation.caller, &environment, input(&fields)?)?.id)
}

pub(super) fn change(tx: &mut Tx, creation: &ResourceCreation<'_>, id: Uuid, changed: &Fields) -> Api<()> {
    let changed = read::<PatchAssistantRequest>(changed)?.into();
    let environment = RunEnvironment(creation.run_context);
    let any_version = (&Precondition::Any, None);
    assistants::change(tx, creation.caller, &environment, id, any_version, changed).map(drop)
}

pub(super) fn label(tx: &mut Tx, creation: &ResourceCreation<'_>, id: Uuid) -> Api<()> {
    let row = access::visible(tx, creation.caller, id)?;
    let before = row.and_then(|row| row.body.catalog);
    let metadata = creation.metadata(before.clone());
    if before.as_ref() == Some(&metadata) {
        return Ok(());
    }
    assistants::set_catalog_metadata(tx, creation.caller, id, &Precondition::Any, metadata).map(drop)
}

/// Approves those of the given services that the assistant requests, and returns them.
pub fn approve(tx: &mut Tx, caller: &Caller, id: Uuid, services: &[String]) -> Api<Vec<String>> {
    assistants::approve_requested(tx, caller, read_graph, id, services)
}
