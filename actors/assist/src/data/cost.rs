//! The cost of validating a value against a schema. A small schema from a user can take practically forever, for
//! example with two references to the next definition on each of forty levels. The cost is therefore computed
//! beforehand.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Maximum nesting depth of schemas, including references.
const MAX_DEPTH: usize = 128;
/// Maximum number of schemas within a schema.
const MAX_SCHEMAS: usize = 10_000;
/// Maximum number of comparisons of a schema with a value in one validation, and of pairs that are counted.
const MAX_STEPS: u64 = 500_000;
const MAX_PAIRS: usize = 200_000;

/// Keywords whose value is a schema for the same value, or a list or map of such schemas.
const SAME: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
/// Keywords whose schemas apply to parts of the value.
const WITHIN: [&str; 10] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
];

/// Checks that a schema can be processed: its depth and size including references, and that all references are pointers
/// into the schema itself.
///
/// # Errors
/// A description of the problem.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    let mut seen = HashMap::new();
    visit(schema, schema, 0, &mut seen)
}

fn visit<'s>(
    root: &'s Value,
    schema: &'s Value,
    depth: usize,
    seen: &mut HashMap<*const Value, ()>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
    }
    let Value::Object(fields) = schema else { return Ok(()) };
    if seen.insert(std::ptr::from_ref(schema), ()).is_some() {
        return Ok(());
    }
    if seen.len() > MAX_SCHEMAS {
        return Err(format!("it has more than {MAX_SCHEMAS} schemas"));
    }
    // Keywords that change the base of references could lead the validator to schemas that are not checked here.
    let strange =
        ["$dynamicRef", "$recursiveRef", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];
    let moves = strange.iter().find(|name| fields.get(**name).is_some_and(Value::is_string));
    if let Some(name) = moves {
        return Err(format!("the keyword {name:?} is not supported here"));
    }
    if let Some(target) = reference(root, fields)? {
        visit(root, target, depth + 1, seen)?;
    }
    let held = SAME.iter().chain(&WITHIN).filter_map(|name| Some((name, fields.get(*name)?)));
    for schema in held.flat_map(|(name, keyword)| parts(name, keyword)) {
        visit(root, schema, depth + 1, seen)?;
    }
    Ok(())
}

/// Whether a [checked](check) schema can validate a value in reasonable time.
pub(super) fn is_affordable(schema: &Value, value: &Value) -> bool {
    Counter { root: schema, known: HashMap::new() }.count(schema, value, 0) <= MAX_STEPS
}

/// Resolves a reference.
fn reference<'s>(root: &'s Value, fields: &Map<String, Value>) -> Result<Option<&'s Value>, String> {
    let Some(Value::String(to)) = fields.get("$ref") else { return Ok(None) };
    let pointer = to.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
    let pointer = pointer
        .ok_or_else(|| format!("the reference {to:?} is not a JSON Pointer into the schema itself"))?;
    if pointer.contains('%') {
        return Err(format!("the reference {to:?} contains a percent sign"));
    }
    root.pointer(pointer).map(Some).ok_or_else(|| format!("the reference {to:?} points to nothing"))
}

/// The schemas in a keyword: a list, a map by name, or a single one.
fn parts<'s>(name: &str, keyword: &'s Value) -> Vec<&'s Value> {
    const MAPS: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
    match keyword {
        Value::Array(all) => all.iter().collect(),
        Value::Object(fields) if MAPS.contains(&name) => fields.values().collect(),
        other => vec![other],
    }
}

/// Counts comparisons, each pair of schema and value once. Branches that the validator would not take are counted as
/// well, so the estimate errs on the safe side.
struct Counter<'s> {
    root: &'s Value,
    known: HashMap<(*const Value, *const Value), u64>,
}

impl<'s> Counter<'s> {
    fn count(&mut self, schema: &'s Value, value: &Value, depth: usize) -> u64 {
        let Value::Object(fields) = schema else { return 1 };
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&pair) {
            return *known;
        }
        if depth > 8 * MAX_DEPTH || self.known.len() >= MAX_PAIRS {
            return u64::MAX;
        }
        // A reference cycle would otherwise be followed forever.
        self.known.insert(pair, u64::MAX);
        let mut steps = 1u64;
        let mut add = |cost: u64| steps = steps.saturating_add(cost);
        if let Ok(Some(target)) = reference(self.root, fields) {
            add(self.count(target, value, depth + 1));
        }
        for (name, keyword) in SAME.iter().filter_map(|name| Some((name, fields.get(*name)?))) {
            for schema in parts(name, keyword) {
                add(self.count(schema, value, depth + 1));
            }
        }
        for name in WITHIN {
            let Some(part) = fields.get(name) else { continue };
            for (schema, value) in within(name, part, value) {
                add(self.count(schema, value, depth + 1));
            }
        }
        self.known.insert(pair, steps);
        steps
    }
}

/// Pairs the schemas of a keyword with the parts of the value that they apply to.
fn within<'s, 'v>(name: &str, part: &'s Value, value: &'v Value) -> Vec<(&'s Value, &'v Value)> {
    match (name, part, value) {
        ("properties", Value::Object(schemas), Value::Object(fields)) => {
            schemas.iter().filter_map(|(name, schema)| Some((schema, fields.get(name)?))).collect()
        }
        ("patternProperties", Value::Object(schemas), Value::Object(fields)) => {
            schemas.values().flat_map(|schema| fields.values().map(move |value| (schema, value))).collect()
        }
        (
            "additionalProperties" | "unevaluatedProperties" | "propertyNames",
            schema,
            Value::Object(fields),
        ) => fields.values().map(|value| (schema, value)).collect(),
        ("prefixItems" | "items", Value::Array(schemas), Value::Array(items)) => {
            schemas.iter().zip(items).collect()
        }
        ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema, Value::Array(items)) => {
            items.iter().map(|item| (schema, item)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Builds a schema in which each definition refers to the next one twice.
    fn doubling(levels: usize, within: bool) -> Value {
        let mut definitions = Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/a{}", level + 1)});
            let twice = json!({"allOf": [next.clone(), next]});
            let schema = if within { json!({"properties": {"x": twice}}) } else { twice };
            definitions.insert(format!("a{level}"), schema);
        }
        definitions.insert(format!("a{levels}"), json!({"type": "object"}));
        json!({"$ref": "#/$defs/a0", "$defs": definitions})
    }

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!({}), |inner, _| json!({"x": inner}))
    }

    #[test]
    fn is_affordable_rejects_schemas_that_double_with_every_level() {
        assert!(check(&doubling(10, false)).is_ok() && is_affordable(&doubling(10, false), &json!({})));
        assert!(!is_affordable(&doubling(40, false), &json!({})));
        let tree =
            json!({"allOf": [{"properties": {"x": {"$ref": "#"}}}, {"properties": {"x": {"$ref": "#"}}}]});
        assert!(check(&tree).is_ok() && is_affordable(&tree, &nested(10)));
        assert!(!is_affordable(&tree, &nested(60)));
    }

    #[test]
    fn is_affordable_accepts_large_plain_schemas() {
        let list = json!({"items": {"type": "object", "properties": {"a": {"type": "integer"}}}});
        let items: Vec<_> = (0..5_000).map(|n| json!({"a": n})).collect();
        assert!(is_affordable(&list, &Value::Array(items)));
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        let deep =
            (0..60).fold(json!({}), |inner, n| json!({if n % 2 == 0 { "left" } else { "right" }: inner}));
        assert!(is_affordable(&tree, &deep));
    }

    #[test]
    fn check_rejects_cycles_deep_nesting_and_unsupported_references() {
        assert!(!is_affordable(&json!({"$ref": "#"}), &json!(1)));
        assert!(check(&doubling(200, false)).is_err());
        for bad in [
            json!({"$ref": "#/none"}),
            json!({"$ref": "x.json"}),
            json!({"$dynamicRef": "#a"}),
            json!({"$defs": {"%61": {}}, "$ref": "#/$defs/%61"}),
            json!({"allOf": [{"$id": "urn:b", "$ref": "#/$defs/a"}], "$defs": {"a": {}}}),
        ] {
            assert!(check(&bad).is_err(), "{bad}");
        }
    }
}
