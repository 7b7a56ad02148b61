//! Access to fields of JSON objects.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// Returns the value at a path of names and list indexes separated by dots: `address.lines.0`. Names that contain a dot
/// cannot be addressed.
pub fn field<'v>(data: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    let mut parts = path.split('.');
    let mut at = data.get(parts.next()?)?;
    for part in parts {
        at = match at {
            Value::Object(fields) => fields.get(part)?,
            Value::Array(values) => values.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

/// Applies a JSON merge patch (RFC 7396): objects are merged, `null` deletes, and all other values replace.
pub fn merge(into: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, new) in patch {
        match (new, into.get_mut(name)) {
            (Value::Null, _) => {
                into.remove(name);
            }
            (Value::Object(new), Some(Value::Object(old))) => merge(old, new),
            (Value::Object(new), _) => {
                let mut fresh = Map::new();
                merge(&mut fresh, new);
                into.insert(name.clone(), Value::Object(fresh));
            }
            (new, _) => {
                into.insert(name.clone(), new.clone());
            }
        }
    }
}

/// Total order of values: absent, null, booleans, numbers, strings, arrays and objects, in this order. Arrays and
/// objects are ordered by their JSON text, so that any two values are comparable.
pub(super) fn compare(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    let rank = |value: Option<&Value>| match value {
        None => 0,
        Some(Value::Null) => 1,
        Some(Value::Bool(_)) => 2,
        Some(Value::Number(_)) => 3,
        Some(Value::String(_)) => 4,
        Some(Value::Array(_)) => 5,
        Some(Value::Object(_)) => 6,
    };
    match (one, other) {
        (Some(Value::Bool(one)), Some(Value::Bool(other))) => one.cmp(other),
        (Some(Value::Number(one)), Some(Value::Number(other))) => numbers(one, other),
        (Some(Value::String(one)), Some(Value::String(other))) => one.cmp(other),
        (Some(one), Some(other)) if rank(Some(one)) >= 5 && rank(Some(one)) == rank(Some(other)) => {
            one.to_string().cmp(&other.to_string())
        }
        (one, other) => rank(one).cmp(&rank(other)),
    }
}

/// Whether two values are equal. Numbers are compared by value: `1` and `1.0` are equal.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => numbers(one, other).is_eq(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value): (&String, &Value)| other.get(name).is_some_and(|it| same(value, it));
            one.len() == other.len() && one.iter().all(has)
        }
        (one, other) => one == other,
    }
}

/// Compares integers exactly, and all other numbers as doubles.
fn numbers(one: &Number, other: &Number) -> Ordering {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => {
            let double = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
            double(one).partial_cmp(&double(other)).unwrap_or(Ordering::Equal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn field_follows_paths_into_objects_and_lists() {
        let data = object(json!({"a": {"b": [1, {"c": "x"}]}, "0": true}));
        for (path, expected) in [
            ("a.b.0", json!(1)),
            ("a.b.1.c", json!("x")),
            ("0", json!(true)),
            ("a.b", data["a"]["b"].clone()),
        ] {
            assert_eq!(field(&data, path), Some(&expected), "{path}");
        }
        for path in ["", "b", "a.c", "a.b.2", "a.b.-1", "a.b.x", "0.0", "a..b", "a.b.1.c.d"] {
            assert_eq!(field(&data, path), None, "{path}");
        }
    }

    #[test]
    fn merge_follows_rfc_7396() {
        for (old, patch, new) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut merged = object(old.clone());
            merge(&mut merged, &object(patch.clone()));
            assert_eq!(Value::Object(merged), new, "{old} with {patch}");
        }
    }

    #[test]
    fn compare_is_a_total_order() {
        let all = [
            None,
            Some(json!(null)),
            Some(json!(false)),
            Some(json!(true)),
            Some(json!(i64::MIN)),
            Some(json!(-1.5)),
            Some(json!(2)),
            Some(json!(u64::MAX)),
            Some(json!("")),
            Some(json!("10")),
            Some(json!("9")),
            Some(json!([1])),
            Some(json!({"a": 1})),
        ];
        for (i, one) in all.iter().enumerate() {
            for (j, other) in all.iter().enumerate() {
                assert_eq!(compare(one.as_ref(), other.as_ref()), i.cmp(&j), "{one:?} and {other:?}");
            }
        }
        assert!(same(&json!({"a": [1, 2.0]}), &json!({"a": [1.0, 2]})));
        // Two integers that are equal as doubles.
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
    }
}
