//! Lengths and ranges, from the rules that refuse what breaks them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::schemas::{named, reach};
use crate::http::query::documented;
use domain::Limit;

/// What the rules of one operation ask.
pub(super) struct Asked {
    pub path: String,
    pub method: &'static str,
    /// Each with the part of the request that it is about: `body` or `query`.
    pub limits: Vec<(&'static str, Limit)>,
}

/// Writes them down: at parameters, and at the fields of schemas that are read and not also sent.
pub(super) fn write(document: &mut Value, asked: &[Asked]) {
    let mut sent = BTreeSet::new();
    let whole: &Value = document;
    for item in whole["paths"].as_object().into_iter().flat_map(Map::values) {
        for operation in item.as_object().into_iter().flat_map(Map::values) {
            reach(whole, &operation["responses"], &mut sent);
        }
    }
    for Asked { path, method, limits } in asked {
        for (part, limit) in limits {
            let operation = &mut document["paths"][path.as_str()][*method];
            let schema = match *part {
                "query" => parameter(operation, &limit.field),
                _ => {
                    let names = bodies(operation);
                    let own = names.into_iter().filter(|name| !sent.contains(name));
                    own.for_each(|name| {
                        let fields = document["components"]["schemas"][name.as_str()].get_mut("properties");
                        if let Some(schema) = fields.and_then(|fields| fields.get_mut(limit.field.as_str())) {
                            narrow(schema, limit);
                        }
                    });
                    None
                }
            };
            if let Some(schema) = schema {
                narrow(schema, limit);
            }
        }
    }
    for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            let parameters =
                operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
            parameters.filter(|it| it["in"] == "query").for_each(|it| narrow_parameter(&mut it["schema"]));
        }
    }
}

/// States the limits on all query parameters where the rules of the operation have none, or higher ones.
fn narrow_parameter(schema: &mut Value) {
    if schema["type"] == "array" {
        lower(schema, "maxItems", documented::MOST_ITEMS);
        narrow_text(&mut schema["items"], documented::LONGEST_ITEM);
    } else {
        narrow_text(schema, documented::LONGEST_VALUE);
    }
}

fn narrow_text(schema: &mut Value, longest: usize) {
    let fixed = ["enum", "format"].iter().any(|keyword| !schema[*keyword].is_null());
    if schema["type"] == "string" && !fixed {
        lower(schema, "maxLength", longest);
    }
}

fn lower(schema: &mut Value, keyword: &str, limit: usize) {
    let own = schema[keyword].as_u64().unwrap_or(u64::MAX);
    schema[keyword] = own.min(limit as u64).into();
}

/// The schema of a query parameter.
fn parameter<'d>(operation: &'d mut Value, name: &str) -> Option<&'d mut Value> {
    let parameters = operation.get_mut("parameters")?.as_array_mut()?;
    parameters.iter_mut().find(|it| it["in"] == "query" && it["name"] == name)?.get_mut("schema")
}

/// The names of the schemas of an operation's body.
fn bodies(operation: &Value) -> Vec<String> {
    let contents = operation["requestBody"]["content"].as_object().into_iter().flat_map(Map::values);
    let of = |content: &Value| {
        let schema = &content["schema"];
        let options = schema["oneOf"].as_array().into_iter().flatten();
        std::iter::once(schema).chain(options).find_map(named).map(str::to_owned)
    };
    contents.filter_map(of).collect()
}

/// Adds the keywords of a limit where the schema has a type that they are about.
fn narrow(schema: &mut Value, limit: &Limit) {
    let has = |name: &str| match &schema["type"] {
        Value::String(only) => only == name,
        Value::Array(types) => types.iter().any(|it| it == name),
        _ => false,
    };
    let fits = has(limit.kind) || limit.kind == "number" && has("integer");
    if let (true, Value::Object(fields)) = (fits, schema) {
        for (keyword, value) in &limit.keywords {
            fields.insert((*keyword).to_owned(), value.clone());
        }
    }
}
