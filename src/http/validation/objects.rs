//! Navigation in the schemas that `utoipa` derives.

use serde_json::Value;

/// The prefix of references to shared schemas.
pub const SCHEMAS: &str = "#/components/schemas/";

/// The name of the shared schema that a reference points to.
pub(crate) fn named(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(SCHEMAS)
}

/// Escapes a name as a step of a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The alternative to null in a nullable schema, with its index in `oneOf`; `None` if the schema states anything else.
pub(crate) fn or_null(schema: &Value) -> Option<(usize, &Value)> {
    match schema["oneOf"].as_array()?.as_slice() {
        [null, inner] if null["type"] == "null" => Some((1, inner)),
        [inner, null] if null["type"] == "null" => Some((0, inner)),
        _ => None,
    }
}

/// Collects pointers to the objects that are read field by field, so that unknown fields are detected. Choices and
/// flattened parts are read leniently.
pub(crate) fn structs(document: &Value, schema: &Value, pointer: &str, found: &mut Vec<String>) {
    if let Some(name) = named(schema) {
        let pointer = format!("/components/schemas/{}", escaped(name));
        if !found.contains(&pointer) {
            structs(document, &document["components"]["schemas"][name], &pointer, found);
        }
        return;
    }
    if let Some((at, inner)) = or_null(schema) {
        return structs(document, inner, &format!("{pointer}/oneOf/{at}"), found);
    }
    if ["oneOf", "anyOf", "allOf"].iter().any(|key| !schema[*key].is_null()) {
        return;
    }
    if let Some(fields) = schema["properties"].as_object() {
        found.push(pointer.to_owned());
        for (name, field) in fields {
            structs(document, field, &format!("{pointer}/properties/{}", escaped(name)), found);
        }
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            structs(document, &schema[key], &format!("{pointer}/{key}"), found);
        }
    }
}
