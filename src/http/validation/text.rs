//! Converts texts of forms and queries to the JSON values they represent, so that they can be validated against a
//! schema.

use super::objects::named;
use crate::located::boolean;
use serde_json::{Map, Number, Value};

/// Converts the texts of a form or a query to the types stated in its schema, if they parse as these types.
pub(super) fn convert(root: &Value, fields: &mut Map<String, Value>) {
    let schema = resolved(root, &root["body"]);
    let required = |name: &str| {
        schema["required"].as_array().into_iter().flatten().any(|required| required.as_str() == Some(name))
    };
    // An optional field that is empty in a form counts as absent.
    fields.retain(|name, value| value != "" || required(name));
    for (name, value) in fields {
        convert_one(root, &schema["properties"][name.as_str()], value);
    }
}

fn convert_one(root: &Value, schema: &Value, value: &mut Value) {
    let schema = resolved(root, schema);
    let is = |name: &str| match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    };
    if is("array") {
        if let Value::String(text) = &*value {
            // A list given once: as a JSON list, or as a single item.
            let list = serde_json::from_str(text).ok().filter(Value::is_array);
            *value = list.unwrap_or_else(|| Value::Array(vec![value.take()]));
        }
        let items = value.as_array_mut().into_iter().flatten();
        return items.for_each(|item| convert_one(root, &schema["items"], item));
    }
    let Value::String(text) = &*value else { return };
    // Parse numbers like deserialization does, including leading zeros and signs that JSON does not allow.
    let number = || {
        let text = text.trim();
        let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        whole.ok().or_else(|| Number::from_f64(text.parse().ok()?)).map(Value::Number)
    };
    let converted = match () {
        () if is("boolean") => boolean(text).map(Value::Bool),
        () if is("integer") || is("number") => number(),
        () => None,
    };
    if let Some(converted) = converted {
        *value = converted;
    }
}

/// Resolves a reference to a schema and the non-null part of a nullable schema.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    if let Some(name) = named(schema) {
        return resolved(root, &root["components"]["schemas"][name]);
    }
    super::objects::or_null(schema).map_or(schema, |(_, inner)| resolved(root, inner))
}
