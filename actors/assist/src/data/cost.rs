//! What it costs to hold a value against a schema. Schemas of users can be small and take longer than
//! anybody lives: two references to the next definition, forty times over. So it is counted before.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// How deeply schemas may be nested, references followed.
const DEEPEST: usize = 128;
/// Schemas within a schema.
const MOST_SCHEMAS: usize = 10_000;
/// Comparisons of a schema with a value that one validation may take, and pairs that are counted.
const MOST_STEPS: u64 = 500_000;
const MOST_PAIRS: usize = 200_000;

/// Keywords whose value is one schema for the same value, or a list or a map of them.
const SAME: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
/// Keywords whose schemas are for what is within the value.
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

/// Whether a schema can be read at all: how deep and how large it is with its references, and that
/// these are pointers into itself.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    let mut seen = HashMap::new();
    look(schema, schema, 0, &mut seen)
}

fn look<'s>(
    root: &'s Value,
    schema: &'s Value,
    depth: usize,
    seen: &mut HashMap<*const Value, ()>,
) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} levels deep"));
    }
    let Value::Object(fields) = schema else { return Ok(()) };
    if seen.insert(std::ptr::from_ref(schema), ()).is_some() {
        return Ok(());
    }
    if seen.len() > MOST_SCHEMAS {
        return Err(format!("it has more than {MOST_SCHEMAS} schemas"));
    }
    // What moves the ground under references could lead the validator where this does not look.
    let strange =
        ["$dynamicRef", "$recursiveRef", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];
    let moves = strange.iter().find(|name| fields.get(**name).is_some_and(Value::is_string));
    if let Some(name) = moves {
        return Err(format!("{name:?} is not taken"));
    }
    if let Some(target) = reference(root, fields)? {
        look(root, target, depth + 1, seen)?;
    }
    let held = SAME.iter().chain(&WITHIN).filter_map(|name| Some((name, fields.get(*name)?)));
    for schema in held.flat_map(|(name, keyword)| parts(name, keyword)) {
        look(root, schema, depth + 1, seen)?;
    }
    Ok(())
}

/// Whether a value can be held against a schema that was [checked](check) in reasonable time.
pub(super) fn is_affordable(schema: &Value, value: &Value) -> bool {
    Counter { root: schema, known: HashMap::new() }.count(schema, value, 0) <= MOST_STEPS
}

/// Where a reference leads.
fn reference<'s>(root: &'s Value, fields: &Map<String, Value>) -> Result<Option<&'s Value>, String> {
    let Some(Value::String(to)) = fields.get("$ref") else { return Ok(None) };
    let pointer = to.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
    let pointer =
        pointer.ok_or_else(|| format!("the reference {to:?} is no pointer into the schema itself"))?;
    if pointer.contains('%') {
        return Err(format!("the reference {to:?} holds a percent sign"));
    }
    root.pointer(pointer).map(Some).ok_or_else(|| format!("the reference {to:?} leads nowhere"))
}

/// The schemas that a keyword holds: a list of them, a map by names, or one.
fn parts<'s>(name: &str, keyword: &'s Value) -> Vec<&'s Value> {
    const MAPS: [&str; 4] = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
    match keyword {
        Value::Array(all) => all.iter().collect(),
        Value::Object(fields) if MAPS.contains(&name) => fields.values().collect(),
        other => vec![other],
    }
}

/// Counts, each pair of schema and value once. What is counted too often for lack of a closer look
/// (branches that would not be taken) only makes it careful.
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
        if depth > 8 * DEEPEST || self.known.len() >= MOST_PAIRS {
            return u64::MAX;
        }
        // A reference that leads back here would be followed for ever.
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

/// Which schemas of a keyword are for which parts of a value.
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

    /// Each definition refers to the next one twice.
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
    fn what_doubles_with_every_level_is_too_dear() {
        assert!(check(&doubling(10, false)).is_ok() && is_affordable(&doubling(10, false), &json!({})));
        assert!(!is_affordable(&doubling(40, false), &json!({})));
        let tree =
            json!({"allOf": [{"properties": {"x": {"$ref": "#"}}}, {"properties": {"x": {"$ref": "#"}}}]});
        assert!(check(&tree).is_ok() && is_affordable(&tree, &nested(10)));
        assert!(!is_affordable(&tree, &nested(60)));
    }

    #[test]
    fn what_is_large_and_plain_is_not() {
        let list = json!({"items": {"type": "object", "properties": {"a": {"type": "integer"}}}});
        let items: Vec<_> = (0..5_000).map(|n| json!({"a": n})).collect();
        assert!(is_affordable(&list, &Value::Array(items)));
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        let deep =
            (0..60).fold(json!({}), |inner, n| json!({if n % 2 == 0 { "left" } else { "right" }: inner}));
        assert!(is_affordable(&tree, &deep));
    }

    #[test]
    fn circles_and_depths_and_strange_references_are_refused() {
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
