//! Automations of packages.

use domain::Precondition;
use domain::automations::{self, AutomationInput};
use serde_json::Value;
use storage::records::{Automation, ResourceKind};
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::{Fields, read, select_fields, to_json};
use crate::api::automations::change::RunScheduling;
use crate::api::automations::schema::UpdateAutomationRequest;
use crate::api::catalog::resource_creation::ResourceCreation;
use crate::catalog::FIELDS;
use crate::http::{Api, Caller};

pub(super) fn normal(fields: &Fields) -> Api<Value> {
    to_json(&AutomationInput::from(read::<UpdateAutomationRequest>(fields)?).into_automation())
}

pub(super) fn load(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Option<Value>> {
    reader.get::<Automation>(tenant, &id)?.map(|row| to_json(&row.body)).transpose()
}

pub(super) fn of_name(reader: &Reader, caller: &Caller, name: &str) -> Api<Vec<Uuid>> {
    let own = Scan::index("by_owner").prefix(caller.user.as_bytes());
    let rows = reader.scan::<Automation>(caller.tenant, own)?.items.into_iter();
    Ok(rows.filter(|row| row.name == name).map(|row| row.id).collect())
}

pub(super) fn create(tx: &mut Tx, creation: &mut ResourceCreation<'_>, fields: &Fields) -> Api<Uuid> {
    creation.done.automations = true;
    let input = read::<UpdateAutomationRequest>(fields)?.into();
    Ok(automations::create(tx, creation.caller, &RunScheduling, creation.now, input)?.id)
}

pub(super) fn change(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    creation.done.automations = true;
    // An automation is replaced as a whole, so unchanged fields are sent with their current values.
    let settable = FIELDS.iter().find(|(kind, _)| *kind == ResourceKind::Automation);
    let settable: Vec<String> =
        settable.into_iter().flat_map(|(_, fields)| *fields).map(|field| (*field).to_owned()).collect();
    let mut all = select_fields(&Value::Object(ours.clone()), &settable);
    all.extend(changed.clone());
    let update = read::<UpdateAutomationRequest>(&all)?;
    let expected = (&Precondition::Any, update.version);
    automations::change(tx, creation.caller, &RunScheduling, creation.now, id, expected, update.into())
        .map(drop)
}
