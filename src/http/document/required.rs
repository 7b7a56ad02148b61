//! Members of responses that are always sent.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::http::validation::objects::or_null;

/// Members that are left out while they have their default, although a request could leave them out as well.
const OMITTED: [(&str, &str); 4] = [
    ("RunPaused", "actions"),
    ("NodeFinished", "usage"),
    ("NodeFinished", "cost_nanos"),
    ("Message", "memory_ids"),
];

/// Requires, in schemas that are only sent, the members that the macro leaves optional because a *reader* may do without
/// them: those with a default, and those that may be null. A member that may be left out of a response is declared with
/// `nullable = false`, because it is never null.
pub(super) fn require_sent(schemas: &mut Map<String, Value>, only_sent: &BTreeSet<String>) {
    for (name, schema) in schemas.iter_mut().filter(|(name, _)| only_sent.contains(*name)) {
        require(name, schema);
    }
}

fn require(name: &str, schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| require(name, item)),
        Value::Object(fields) => {
            let mut sent = Vec::new();
            for (member, schema) in
                fields.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
            {
                let is_sent = schema.get("default").is_some() || is_nullable(schema);
                if is_sent && !OMITTED.contains(&(name, member)) {
                    sent.push(Value::from(member.as_str()));
                    schema.as_object_mut().and_then(|schema| schema.remove("default"));
                }
            }
            if !sent.is_empty() {
                let required = fields.entry("required").or_insert_with(|| Vec::<Value>::new().into());
                if let Some(required) = required.as_array_mut() {
                    sent.retain(|member| !required.contains(member));
                    required.extend(sent);
                }
            }
            fields.values_mut().for_each(|field| require(name, field));
        }
        _ => {}
    }
}

/// Moves the defaults of members to their descriptions. Generators take a member with a default for one that is always
/// there, or send the default, which a change would then apply.
pub(super) fn describe_defaults(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(describe_defaults),
        Value::Object(fields) => {
            let members = fields.get_mut("properties").and_then(Value::as_object_mut);
            members.into_iter().flat_map(Map::values_mut).for_each(describe_default);
            let inner = fields
                .iter_mut()
                .filter(|(keyword, _)| !["enum", "example", "default"].contains(&keyword.as_str()));
            inner.for_each(|(_, field)| describe_defaults(field));
        }
        _ => {}
    }
}

fn describe_default(member: &mut Value) {
    let Some(default) = member.as_object_mut().and_then(|member| member.remove("default")) else { return };
    let is_plain =
        default.is_number() || default.is_boolean() || default.as_str().is_some_and(|text| !text.is_empty());
    let about = member["description"].as_str().unwrap_or_default().trim().to_owned();
    if is_plain && !about.to_lowercase().contains("default") {
        let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        member["description"] = format!("{about} Defaults to `{default}`.").trim().into();
    }
}

fn is_nullable(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().any(|it| it == "null"))
        || or_null(schema).is_some()
}
