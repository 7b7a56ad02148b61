use serde_json::{Map, Value, json};

/// Keywords that the API rejects in a response schema. They are removed from the request; the caller validates the
/// response against its own schema anyway.
const REFUSED: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Converts a response schema to the supported subset: every object is closed, and unsupported keywords are removed.
pub(super) fn of_answer(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut out = Map::new();
            for (key, value) in members {
                let few = key == "minItems" && value.as_u64().is_some_and(|n| n > 1);
                if few || (REFUSED.contains(&key.as_str()) && !value.is_object()) {
                    continue;
                }
                out.insert(key.clone(), within(key, value));
            }
            if out.get("type").is_some_and(|kind| kind == "object") {
                out.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Value::Object(out)
        }
        Value::Array(all) => Value::Array(all.iter().map(of_answer).collect()),
        other => other.clone(),
    }
}

/// Converts the value of a keyword. Property names are not keywords, and literal values are not schemas.
fn within(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("properties" | "$defs" | "definitions", Value::Object(named)) => {
            Value::Object(named.iter().map(|(name, schema)| (name.clone(), of_answer(schema))).collect())
        }
        ("enum" | "const" | "default" | "examples" | "required", value) => value.clone(),
        (_, value) => of_answer(value),
    }
}

/// Returns the schema of a tool's arguments, which is always an object.
pub(super) fn of_arguments(schema: &Value) -> Value {
    match schema {
        Value::Object(members) if members.contains_key("type") => schema.clone(),
        Value::Object(members) => {
            let mut schema = members.clone();
            schema.insert("type".to_owned(), Value::from("object"));
            Value::Object(schema)
        }
        _ => json!({ "type": "object", "properties": {} }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_answer_closes_objects_and_removes_limits() {
        let schema = json!({"type": "object", "properties": {
            "maximum": {"type": "integer", "minimum": 1, "maximum": 5},
            "list": {"type": "array", "minItems": 3, "items": {"type": "object", "properties": {}}},
            "choice": {"enum": [{"maximum": 1}]},
        }, "required": ["maximum"]});
        let expected = json!({"type": "object", "properties": {
            "maximum": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": false}},
            "choice": {"enum": [{"maximum": 1}]},
        }, "required": ["maximum"], "additionalProperties": false});
        assert_eq!(of_answer(&schema), expected);
    }

    #[test]
    fn of_arguments_returns_an_object() {
        for schema in [json!(null), json!({}), json!({"properties": {}}), json!(true)] {
            assert_eq!(of_arguments(&schema)["type"], "object");
        }
    }
}
