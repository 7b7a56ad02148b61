//! Converts violations of a schema to faults with the messages and codes of deserialization.

use super::contract::located;
use crate::located::{REQUIRED, UNKNOWN_FIELD};
use domain::{Fault, Step};
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

/// The code for a value that matches none of the forms of a choice.
pub(super) const CHOICE: &str = "wrong_value";
/// The maximum number of enumeration values that a message lists.
const MAX_LISTED: usize = 50;
/// The maximum depth to which choices within choices are examined.
const MAX_DEPTH: usize = 8;

/// The faults in `value`. Faults of choices come last.
pub(super) fn faults(part: &str, value: &Value, errors: &[ValidationError<'_>]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for error in errors {
        add(part, value, error, 0, &mut faults);
    }
    faults.sort_by_key(|fault| fault.kind == CHOICE);
    faults
}

fn add(part: &str, value: &Value, error: &ValidationError<'_>, depth: usize, faults: &mut Vec<Fault>) {
    let pointer = error.instance_path().as_str();
    let mut push = |field: Option<&str>, kind: &str, msg: String| {
        let mut loc = located(part, value, pointer);
        loc.extend(field.map(|name| Step::Name(name.to_owned())));
        faults.push(Fault { loc, msg, kind: kind.to_owned() });
    };
    match error.kind() {
        Kind::Required { property } => push(property.as_str(), "missing", REQUIRED.to_owned()),
        Kind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                push(Some(name), "unknown_field", UNKNOWN_FIELD.to_owned());
            }
        }
        Kind::Type { kind } => {
            push(None, "wrong_type", format!("expected {}, not {}", types(kind), type_of(error.instance())));
        }
        Kind::Enum { options } => {
            let options = options.as_array().into_iter().flatten().filter_map(Value::as_str);
            let options: Vec<_> = options.take(MAX_LISTED).collect();
            push(None, "unknown_value", format!("must be one of: {}", options.join(", ")));
        }
        Kind::Constant { expected_value } => push(None, "unknown_value", format!("must be {expected_value}")),
        Kind::Format { format } if format == "uuid" => push(None, "malformed", "is not a UUID".to_owned()),
        Kind::Format { format } if format == "date-time" => {
            push(None, "malformed", "is not a valid timestamp, such as `2026-11-01T08:30:00Z`".to_owned());
        }
        Kind::Pattern { pattern } => push(None, "malformed", format!("does not match {pattern}")),
        Kind::MinLength { limit } => push(None, "too_short", at_least(*limit, "character")),
        Kind::MaxLength { limit } => push(None, "too_long", at_most(*limit, "character")),
        Kind::MinItems { limit } => push(None, "too_short", at_least(*limit, "item")),
        Kind::MaxItems { limit } => push(None, "too_many", at_most(*limit, "item")),
        Kind::MinProperties { limit } => push(None, "too_short", at_least(*limit, "field")),
        Kind::MaxProperties { limit } => push(None, "too_many", at_most(*limit, "field")),
        Kind::Minimum { limit } => push(None, "out_of_range", format!("must be at least {limit}")),
        Kind::Maximum { limit } => push(None, "out_of_range", format!("must be at most {limit}")),
        Kind::ExclusiveMinimum { limit } => push(None, "out_of_range", format!("must be more than {limit}")),
        Kind::ExclusiveMaximum { limit } => push(None, "out_of_range", format!("must be less than {limit}")),
        Kind::OneOfNotValid { context } | Kind::AnyOf { context } => {
            let nearest = context.iter().min_by_key(|errors| distance(pointer, errors));
            match nearest.filter(|errors| depth < MAX_DEPTH && distance(pointer, errors).0 == 0) {
                Some(errors) => errors.iter().for_each(|error| add(part, value, error, depth + 1, faults)),
                None => push(None, CHOICE, "does not match any of the allowed forms".to_owned()),
            }
        }
        // Two forms of a choice accept the value, or the keyword does not occur in the schemas of bodies.
        _ => {}
    }
}

/// The distance between the value at `pointer` and one form of a choice. The first component states whether its type or
/// tag differs.
fn distance(pointer: &str, errors: &[ValidationError<'_>]) -> (usize, usize, usize) {
    let steps = |error: &ValidationError<'_>| {
        error.instance_path().as_str().strip_prefix(pointer).map_or(0, |rest| rest.matches('/').count())
    };
    let is_other = |error: &&ValidationError<'_>| match error.kind() {
        Kind::Type { .. } => steps(error) == 0,
        Kind::Enum { .. } | Kind::Constant { .. } => steps(error) <= 1,
        _ => false,
    };
    let here = errors.iter().filter(|error| steps(error) == 0).count();
    (errors.iter().filter(is_other).count(), here, errors.len())
}

fn at_least(limit: u64, unit: &str) -> String {
    format!("must have at least {limit} {unit}{}", if limit == 1 { "" } else { "s" })
}

fn at_most(limit: u64, unit: &str) -> String {
    format!("must have at most {limit} {unit}{}", if limit == 1 { "" } else { "s" })
}

fn types(kind: &TypeKind) -> String {
    let name = |kind: JsonType| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(kind) => name(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<_> = kinds.iter().filter(|kind| *kind != JsonType::Null).map(name).collect();
            names.join(" or ")
        }
    }
}

/// The type of a value. The value itself is never shown because it may be a secret.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
