//! Filter conditions for data items.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::Fault;
use super::fields::{compare, field, same};

/// Maximum number of conditions of a filter.
const MAX_CONDITIONS: usize = 20;
/// Maximum number of characters of a field path.
const MAX_PATH_LENGTH: usize = 200;
/// Maximum number of values of an `in` condition.
const MAX_VALUES: usize = 1_000;

/// How a field is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The field is present and equal to the value.
    Eq,
    /// The field is absent or not equal to the value.
    Ne,
    /// The field is less than the value. Compares numbers with numbers and strings with strings.
    Lt,
    /// The field is less than or equal to the value.
    Lte,
    /// The field is greater than the value.
    Gt,
    /// The field is greater than or equal to the value.
    Gte,
    /// The field is equal to one of the values.
    In,
    /// The field is a string that contains the string, or an array that contains the value.
    Contains,
    /// The field is present, or absent if the value is `false`.
    Exists,
    /// The field is a string that starts with the string.
    StartsWith,
}

impl Op {
    /// All operators with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("lt", Self::Lt),
        ("lte", Self::Lte),
        ("gt", Self::Gt),
        ("gte", Self::Gte),
        ("in", Self::In),
        ("contains", Self::Contains),
        ("exists", Self::Exists),
        ("starts_with", Self::StartsWith),
    ];

    /// Describes why a value is not valid for this operator.
    fn objection(self, value: &Value) -> Option<&'static str> {
        match (self, value) {
            (Self::Lt | Self::Lte | Self::Gt | Self::Gte, Value::Number(_) | Value::String(_)) => None,
            (Self::Lt | Self::Lte | Self::Gt | Self::Gte, _) => Some("has to be a number or a text"),
            (Self::In, Value::Array(values)) if values.len() <= MAX_VALUES => None,
            (Self::In, _) => Some("has to be a list of at most 1000 values"),
            (Self::Exists, Value::Bool(_)) => None,
            (Self::Exists, _) => Some("has to be true or false"),
            (Self::StartsWith, Value::String(_)) => None,
            (Self::StartsWith, _) => Some("has to be a text"),
            _ => None,
        }
    }

    fn holds(self, stored: Option<&Value>, value: &Value) -> bool {
        let ordered = |good: fn(Ordering) -> bool| {
            let alike = |stored: &&Value| {
                stored.is_number() && value.is_number() || stored.is_string() && value.is_string()
            };
            stored.filter(alike).is_some_and(|stored| good(compare(Some(stored), Some(value))))
        };
        match self {
            Self::Eq => stored.is_some_and(|stored| same(stored, value)),
            Self::Ne => !stored.is_some_and(|stored| same(stored, value)),
            Self::Lt => ordered(Ordering::is_lt),
            Self::Lte => ordered(Ordering::is_le),
            Self::Gt => ordered(Ordering::is_gt),
            Self::Gte => ordered(Ordering::is_ge),
            Self::In => match (stored, value) {
                (Some(stored), Value::Array(values)) => values.iter().any(|value| same(stored, value)),
                _ => false,
            },
            Self::Contains => match (stored, value) {
                (Some(Value::String(stored)), Value::String(value)) => stored.contains(value.as_str()),
                (Some(Value::Array(stored)), value) => stored.iter().any(|stored| same(stored, value)),
                _ => false,
            },
            Self::Exists => Value::Bool(stored.is_some()) == *value,
            Self::StartsWith => match (stored, value) {
                (Some(Value::String(stored)), Value::String(value)) => stored.starts_with(value.as_str()),
                _ => false,
            },
        }
    }
}

/// Conditions that all have to be met. An empty filter matches everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
struct Condition {
    field: String,
    op: Op,
    value: Value,
}

impl Filter {
    /// Parses `[{"field", "op", "value"}]`. A single condition may be given without the list, and `null` means no
    /// condition. `op` defaults to `eq`; `value` may be omitted for `exists` and defaults to `true`.
    ///
    /// # Errors
    /// All faults, with their location in the input.
    pub fn read(json: &Value) -> Result<Self, Vec<Fault>> {
        let one = std::slice::from_ref(json);
        let (all, listed) = match json {
            Value::Null => return Ok(Self::default()),
            Value::Array(all) => (all.as_slice(), true),
            Value::Object(_) => (one, false),
            _ => return Err(vec![Fault::new([""; 0], "type", "has to be a list of conditions")]),
        };
        if all.len() > MAX_CONDITIONS {
            let message = format!("there may be {MAX_CONDITIONS} conditions at most");
            return Err(vec![Fault::new([""; 0], "too_many", message)]);
        }
        let (mut conditions, mut faults) = (Vec::with_capacity(all.len()), Vec::new());
        for (at, json) in all.iter().enumerate() {
            let at = at.to_string();
            let place: &[&str] = if listed { &[at.as_str()] } else { &[] };
            match Condition::read(json) {
                Ok(condition) => conditions.push(condition),
                Err(wrong) => faults.extend(wrong.into_iter().map(|fault| fault.below(place))),
            }
        }
        if faults.is_empty() { Ok(Self(conditions)) } else { Err(faults) }
    }

    /// Whether the filter has no conditions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an object meets all conditions.
    pub fn fits(&self, data: &Map<String, Value>) -> bool {
        self.0.iter().all(|it| it.op.holds(field(data, &it.field), &it.value))
    }
}

impl Condition {
    fn read(json: &Value) -> Result<Self, Vec<Fault>> {
        let Some(json) = json.as_object() else {
            return Err(vec![Fault::new([""; 0], "type", "has to be an object")]);
        };
        let mut faults = Vec::new();
        for name in json.keys().filter(|name| !["field", "op", "value"].contains(&name.as_str())) {
            faults.push(Fault::new([name], "unknown", "a condition has no such field"));
        }
        let path = json.get("field").and_then(Value::as_str).unwrap_or_default();
        if path.is_empty() || path.chars().count() > MAX_PATH_LENGTH {
            let message = format!("has to be the path of a field, at most {MAX_PATH_LENGTH} characters long");
            faults.push(Fault::new(["field"], "malformed", message));
        }
        let op = match json.get("op") {
            None => Some(Op::Eq),
            Some(name) => Op::ALL.iter().find(|(known, _)| name == known).map(|(_, op)| *op),
        };
        if op.is_none() {
            let names: Vec<_> = Op::ALL.iter().map(|(name, _)| *name).collect();
            faults.push(Fault::new(["op"], "not_allowed", format!("has to be one of {}", names.join(", "))));
        }
        let value = match (json.get("value"), op) {
            (Some(value), _) => value.clone(),
            (None, Some(Op::Exists)) => Value::Bool(true),
            (None, _) => {
                faults.push(Fault::new(["value"], "missing", "is missing"));
                Value::Null
            }
        };
        let objection = op.filter(|_| json.contains_key("value")).and_then(|op| op.objection(&value));
        faults.extend(objection.map(|message| Fault::new(["value"], "type", message)));
        match op {
            Some(op) if faults.is_empty() => Ok(Self { field: path.to_owned(), op, value }),
            _ => Err(faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn filter_applies_each_operator() {
        let data = json!({"n": 3, "t": "héllo", "l": [1, "x", [2]], "z": null, "o": {"p": [{"q": false}]}});
        let data = data.as_object().expect("an object");
        for (condition, expected) in [
            (json!(["n", "eq", 3.0]), true),
            (json!(["n", "eq", "3"]), false),
            (json!(["n", "ne", 4]), true),
            (json!(["gone", "eq", null]), false),
            (json!(["z", "eq", null]), true),
            (json!(["gone", "ne", 1]), true),
            (json!(["n", "lt", 3]), false),
            (json!(["n", "lte", 3]), true),
            (json!(["n", "gt", 2.5]), true),
            (json!(["n", "gte", "1"]), false),
            (json!(["gone", "lt", 1]), false),
            (json!(["t", "gt", "ha"]), true),
            (json!(["n", "in", [1, 3]]), true),
            (json!(["n", "in", []]), false),
            (json!(["t", "contains", "éll"]), true),
            (json!(["l", "contains", [2]]), true),
            (json!(["l", "contains", "y"]), false),
            (json!(["z", "exists", true]), true),
            (json!(["gone", "exists", false]), true),
            (json!(["t", "starts_with", "hé"]), true),
            (json!(["n", "starts_with", "3"]), false),
            (json!(["o.p.0.q", "eq", false]), true),
        ] {
            let filter_json = json!([{"field": condition[0], "op": condition[1], "value": condition[2]}]);
            let filter = Filter::read(&filter_json).expect("a filter");
            assert_eq!(filter.fits(data), expected, "{condition}");
        }
    }

    #[test]
    fn filter_read_reports_every_fault() {
        let bad = json!([{"field": "", "op": "like", "value": 1}, {"field": "a"}, 3,
            {"field": "a", "op": "lt", "value": null, "x": 1}, {"field": "a", "op": "exists"}]);
        let faults = Filter::read(&bad).expect_err("faults");
        let places: Vec<_> = faults.iter().map(|fault| fault.loc.join(".")).collect();
        assert_eq!(places, ["0.field", "0.op", "1.value", "2", "3.x", "3.value"]);
        assert!(Filter::read(&json!("x")).is_err());
        assert!(Filter::read(&json!(vec![json!({"field": "a", "value": 1}); MAX_CONDITIONS + 1])).is_err());
        assert!(Filter::read(&json!(null)).expect("none").is_empty());
        assert!(!Filter::read(&json!({"field": "a", "value": 1})).expect("one").is_empty());
    }
}
