//! Assistants of packages.

use serde_json::{Value, json};
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::{Fields, read, whole};
use crate::api::assistants::approvals::{self, ApproveExternalServicesRequest};
use crate::api::assistants::schema::{CreateAssistantRequest, PatchAssistantRequest};
use crate::api::assistants::{access, catalog, change as assistants};
use crate::api::catalog::making::Making;
use crate::http::{Api, Caller, IfMatch};

pub(super) fn normal(fields: &Fields) -> Api<Value> {
    whole(&assistants::body_of(read::<CreateAssistantRequest>(fields)?))
}

pub(super) fn load(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Option<Value>> {
    reader.get::<Assistant>(tenant, &id)?.map(|row| whole(&row.body)).transpose()
}

pub(super) fn of_name(reader: &Reader, caller: &Caller, name: &str) -> Api<Vec<Uuid>> {
    let rows = reader.scan::<Assistant>(caller.tenant, Scan::table())?.items.into_iter();
    let fits = rows.filter(|row| row.name == name && row.deleted_at.is_none() && row.owner == caller.user);
    Ok(fits.map(|row| row.id).collect())
}

pub(super) fn create(tx: &mut Tx, making: &Making<'_>, fields: &Fields) -> Api<Uuid> {
    let mut fields = fields.clone();
    fields.insert("visibility".to_owned(), json!(making.wishes.visibility));
    if let Some(model) = &making.wishes.model {
        fields.insert("model".to_owned(), json!(model));
    }
    let new: CreateAssistantRequest = read(&fields)?;
    Ok(assistants::create(tx, making.caller, making.run_context, new)?.assistant.id)
}

pub(super) fn change(tx: &mut Tx, making: &Making<'_>, id: Uuid, changed: &Fields) -> Api<()> {
    let patch: PatchAssistantRequest = read(changed)?;
    assistants::patch(tx, making.caller, making.run_context, id, &IfMatch::any(), patch).map(drop)
}

pub(super) fn label(tx: &mut Tx, making: &Making<'_>, id: Uuid) -> Api<()> {
    let row = access::visible(tx, making.caller, id)?;
    let told = row.and_then(|row| row.body.catalog);
    let metadata = making.metadata(told.clone());
    if told.as_ref() == Some(&metadata) {
        return Ok(());
    }
    catalog::set(tx, making.caller, id, &IfMatch::any(), &metadata).map(drop)
}

/// Approves, of these services, those that the assistant asks for; tells which they were.
pub fn approve(tx: &mut Tx, caller: &Caller, id: Uuid, services: &[String]) -> Api<Vec<String>> {
    let row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    let asked = approvals::asked_for(tx, caller, &row)?;
    let granted: Vec<String> = services.iter().filter(|service| asked.contains(*service)).cloned().collect();
    if !granted.is_empty() {
        let all = row.approved_external_services.iter().chain(&granted).cloned().collect();
        let new = ApproveExternalServicesRequest { services: all, version: None };
        approvals::approve(tx, caller, id, &IfMatch::any(), &new)?;
    }
    Ok(granted)
}
