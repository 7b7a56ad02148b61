use serde_json::{Map, Value};

/// The supported JSON Schema keywords; the API rejects all others.
const KNOWN: [&str; 21] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "propertyOrdering",
    "default",
];
/// The supported string formats; the API rejects others.
const FORMATS: [&str; 7] = ["enum", "date-time", "int32", "int64", "float", "double", "byte"];
/// Maximum depth to which recursive schemas are expanded.
const MAX_DEPTH: usize = 24;

/// Converts a schema to the supported subset of JSON Schema: references are expanded, alternatives become `anyOf`,
/// `null` as a type becomes `nullable`, and unsupported keywords are removed.
pub(super) fn supported(schema: &Value) -> Value {
    convert(schema, schema, 0)
}

fn convert(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(members) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        // `true`, and schemas that are too deep, allow any value; an untyped object is the least restrictive schema
        // available.
        return Value::Object(Map::from_iter([("type".to_owned(), "object".into())]));
    };
    if let Some(target) = members.get("$ref").and_then(Value::as_str) {
        let pointed = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return pointed.map_or_else(
            || convert(&Value::Bool(true), root, depth),
            |target| convert(target, root, depth + 1),
        );
    }
    let mut out = Map::new();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("type", value) => types(value, &mut out),
            ("properties", Value::Object(named)) => {
                let each =
                    named.iter().map(|(name, schema)| (name.clone(), convert(schema, root, depth + 1)));
                out.insert(key.clone(), Value::Object(each.collect()));
            }
            ("items", value) => drop(out.insert(key.clone(), convert(value, root, depth + 1))),
            ("anyOf" | "oneOf", Value::Array(all)) => alternatives(all, root, depth, &mut out),
            ("allOf", Value::Array(all)) => {
                for part in all {
                    let Value::Object(part) = convert(part, root, depth + 1) else { continue };
                    for (key, value) in part {
                        out.entry(key).or_insert(value);
                    }
                }
            }
            ("const", value) => drop(out.insert("enum".to_owned(), words(std::slice::from_ref(value)))),
            ("enum", Value::Array(all)) => {
                if all.contains(&Value::Null) {
                    out.insert("nullable".to_owned(), Value::Bool(true));
                }
                out.insert(key.clone(), words(all));
            }
            ("format", Value::String(format)) if !FORMATS.contains(&format.as_str()) => {}
            (key, value) if KNOWN.contains(&key) => drop(out.insert(key.to_owned(), value.clone())),
            _ => {}
        }
    }
    finish(&mut out);
    Value::Object(out)
}

/// Converts the types: several types become alternatives, and `null` becomes `nullable`.
fn types(value: &Value, out: &mut Map<String, Value>) {
    let Value::Array(all) = value else {
        out.insert("type".to_owned(), value.clone());
        return;
    };
    let mut real: Vec<&Value> = all.iter().filter(|one| **one != "null").collect();
    if real.len() < all.len() {
        out.insert("nullable".to_owned(), Value::Bool(true));
    }
    match real.len() {
        0 => drop(out.insert("type".to_owned(), "string".into())),
        1 => drop(out.insert("type".to_owned(), real.remove(0).clone())),
        _ => {
            let each =
                real.iter().map(|one| Value::Object(Map::from_iter([("type".to_owned(), (*one).clone())])));
            out.insert("anyOf".to_owned(), each.collect());
        }
    }
}

fn alternatives(all: &[Value], root: &Value, depth: usize, out: &mut Map<String, Value>) {
    let (nulls, real): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|one| one["type"] == "null");
    if !nulls.is_empty() {
        out.insert("nullable".to_owned(), Value::Bool(true));
    }
    if let [only] = real[..] {
        let Value::Object(only) = convert(only, root, depth + 1) else { return };
        for (key, value) in only {
            out.entry(key).or_insert(value);
        }
        return;
    }
    out.insert("anyOf".to_owned(), real.iter().map(|one| convert(one, root, depth + 1)).collect());
}

/// Converts enum values to strings, the only supported type.
fn words(all: &[Value]) -> Value {
    let word = |value: &Value| match value {
        Value::Null => None,
        Value::String(word) => Some(word.clone()),
        other => Some(other.to_string()),
    };
    all.iter().filter_map(word).filter(|word| !word.is_empty()).collect()
}

/// Enforces the rules for all schemas: there is a type or `anyOf`, enum values are strings, and only existing
/// properties are required.
fn finish(out: &mut Map<String, Value>) {
    if out.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        out.remove("enum");
    }
    if out.contains_key("enum") {
        out.insert("type".to_owned(), "string".into());
    }
    if !out.contains_key("type") && !out.contains_key("anyOf") {
        let kind = if out.contains_key("items") { "array" } else { "object" };
        out.insert("type".to_owned(), kind.into());
    }
    if out.get("type").is_some_and(|kind| kind == "array") && !out.contains_key("items") {
        out.insert("items".to_owned(), Value::Object(Map::from_iter([("type".to_owned(), "string".into())])));
    }
    let properties = out.get("properties").and_then(Value::as_object);
    let there =
        |name: &Value| name.as_str().is_some_and(|name| properties.is_some_and(|p| p.contains_key(name)));
    let required = out.get("required").and_then(Value::as_array);
    let required: Option<Vec<Value>> =
        required.map(|all| all.iter().filter(|name| there(name)).cloned().collect());
    match required {
        Some(names) if names.is_empty() => drop(out.remove("required")),
        Some(names) => drop(out.insert("required".to_owned(), names.into())),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn supported_removes_or_converts_unsupported_keywords() {
        let schema = json!({"$schema": "x", "additionalProperties": false, "type": "object",
            "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}}},
            "properties": {
                "when": {"type": ["string", "null"], "format": "date"},
                "kind": {"const": "a"},
                "level": {"type": "integer", "enum": [1, 2]},
                "either": {"oneOf": [{"type": "string"}, {"type": "null"}]},
                "many": {"type": "array"},
            }, "required": ["when", "gone"]});
        let expected = json!({"type": "object", "properties": {
                "when": {"type": "string", "nullable": true},
                "kind": {"type": "string", "enum": ["a"]},
                "level": {"type": "string", "enum": ["1", "2"]},
                "either": {"type": "string", "nullable": true},
                "many": {"type": "array", "items": {"type": "string"}},
            }, "required": ["when"]});
        assert_eq!(supported(&schema), expected);
    }

    #[test]
    fn supported_terminates_on_recursive_schemas() {
        let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}}}}});
        assert!(supported(&tree).to_string().len() < 10_000);
        assert_eq!(supported(&json!({"$ref": "#/gone"})), json!({"type": "object"}));
    }
}
