//! Reads the forms that people are asked to fill in.

use runs::event::{FormAction, FormField};
use serde_json::Value;

use super::config::HumanConfig;
use super::faults::{Fields, Loc, is_name};
use super::limits::{YEAR, at_most, check_ports};

/// Reads the configuration of a `human` node.
pub(super) fn read(fields: &mut Fields<'_, '_>) -> HumanConfig {
    let mut form =
        HumanConfig { expires_ms: fields.integer("expires_ms", 1, YEAR), ..HumanConfig::default() };
    let loc = fields.loc.at("fields");
    let items = fields.array("fields");
    at_most(fields, "fields", items.len());
    for (at, value) in items.iter().enumerate() {
        let field = field(value, loc.at(at), fields);
        if form.fields.iter().any(|other| other.name == field.name && !field.name.is_empty()) {
            fields.faults.add(
                &loc.at(at).at("name"),
                "duplicate",
                format!("there is another {:?}", field.name),
            );
        }
        form.fields.push(field);
    }
    let loc = fields.loc.at("actions");
    for (at, value) in fields.array("actions").iter().enumerate() {
        let mut action = Fields::read(Some(value), loc.at(at), fields.faults);
        let name = action.filled("name").unwrap_or_default().to_owned();
        let label = action.string("label").filter(|label| !label.is_empty()).unwrap_or(&name).to_owned();
        action.finish();
        form.actions.push(FormAction { name, label });
    }
    if form.actions.is_empty() {
        fields.fault("actions", "missing", "at least one action is required");
    }
    at_most(fields, "actions", form.actions.len());
    let names = form.actions.iter().map(|action| action.name.as_str());
    // `continue` is reserved because it is the action that resumes a paused run.
    check_ports(&loc, "name", names, &["expired", "error", "continue"], fields.faults);
    form
}

fn field(value: &Value, loc: Loc, fields: &mut Fields<'_, '_>) -> FormField {
    let mut field = Fields::read(Some(value), loc.clone(), fields.faults);
    let name = field.filled("name").unwrap_or_default().to_owned();
    if !name.is_empty() && !is_name(&name) {
        field.fault("name", "malformed", "a name has letters, digits and `_`, no digit first");
    } else if matches!(name.as_str(), "title" | "message") {
        field.fault("name", "reserved", "is an input of the node itself");
    }
    let kind = field.value_type("type").unwrap_or_default();
    let options = field.array("options").to_vec();
    for (at, option) in options.iter().enumerate().filter(|(_, option)| !kind.admits(option)) {
        let why = format!("{option} is not of type {}", kind.name());
        field.faults.add(&loc.at("options").at(at), "type_mismatch", why);
    }
    let default = field.get("default").cloned();
    if let Some(default) = &default {
        if !kind.admits(default) {
            field.fault("default", "type_mismatch", format!("is not of type {}", kind.name()));
        } else if !options.is_empty() && !options.contains(default) {
            field.fault("default", "unknown_value", "must be one of the options");
        }
    }
    let label = field.string("label").filter(|label| !label.is_empty()).unwrap_or(&name).to_owned();
    let required = field.boolean("required");
    field.finish();
    FormField { name, label, kind, required, options, default }
}
