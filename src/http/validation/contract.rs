//! The JSON schema of a request type, compiled once.

use super::objects::{or_null, structs};
use super::{Body, MAX_FAULTS, MAX_THOROUGH, Mode, text, violations};
use domain::{Fault, Step};
use jsonschema::{PatternOptions, Validator};
use parking_lot::RwLock;
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, OnceLock};
use storage::Timestamp;
use uuid::Uuid;

/// Keywords whose violation refuses a value even if it deserializes.
const LIMITS: [&str; 11] = [
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

type Contracts = HashMap<(TypeId, Mode), Arc<Contract>>;

static CONTRACTS: LazyLock<RwLock<Contracts>> = LazyLock::new(RwLock::default);

/// The requirements of a type on values that are read as it.
pub(super) struct Contract {
    /// The schema at `body`, and the schemas it refers to.
    schema: Value,
    mode: Mode,
    /// The limits alone; `None` if there are none.
    limits: Option<Validator>,
    /// The whole schema, compiled on first use.
    whole: OnceLock<Option<Validator>>,
}

impl Contract {
    /// Returns the contract of a type, whose schema is returned by `make`.
    pub fn cached(id: TypeId, mode: Mode, make: fn() -> Value) -> Arc<Self> {
        if let Some(known) = CONTRACTS.read().get(&(id, mode)) {
            return known.clone();
        }
        let contract = Arc::new(Self::new(make(), mode));
        CONTRACTS.write().entry((id, mode)).or_insert(contract).clone()
    }

    pub fn new(mut schema: Value, mode: Mode) -> Self {
        without_dangling(&mut schema);
        let limits = limits_of(&schema["body"]);
        let mut parts = Map::new();
        for (name, part) in schema["components"]["schemas"].as_object().into_iter().flatten() {
            parts.insert(name.clone(), limits_of(part).into());
        }
        let limits = json!({"allOf": [limits], "components": {"schemas": parts}});
        let any = LIMITS.iter().any(|keyword| limits.to_string().contains(&format!("\"{keyword}\":")));
        let limits = any.then(|| compiled(&limits)).flatten();
        Self { schema, mode, limits, whole: OnceLock::new() }
    }

    /// Validates a value against the limits or, if it does not deserialize, against the whole schema. Adds the errors
    /// found, except at places that already have an error.
    pub fn check(&self, body: Body, deserializes: bool, faults: &mut Vec<Fault>) {
        let validator = match deserializes {
            true => self.limits.as_ref(),
            false => self.whole.get_or_init(|| compiled(&self.closed())).as_ref(),
        };
        let Some(validator) = validator else { return };
        let Body { part, mut value, size, trimmed } = body;
        if let Value::Object(fields) = &mut value {
            if self.mode != Mode::Json {
                text::convert(&self.schema, fields);
            }
            for name in trimmed {
                if let Some(Value::String(text)) = fields.get_mut(*name) {
                    *text = text.trim().to_owned();
                }
            }
        }
        if validator.is_valid(&value) {
            return;
        }
        let mut found = Vec::new();
        match size > MAX_THOROUGH {
            true => found.extend(validator.validate(&value).err()),
            false => found.extend(validator.iter_errors(&value).take(MAX_FAULTS)),
        }
        for fault in violations::faults(part, &value, &found) {
            let same_place = |known: &Fault| {
                known.loc == fault.loc
                    || fault.kind == violations::CHOICE && known.loc.starts_with(&fault.loc)
            };
            // Deserialization knows the fields at the top level, including those that the document omits.
            let known_at_top = fault.kind == "unknown_field" && fault.loc.len() == 2;
            if faults.len() < MAX_FAULTS && !known_at_top && !faults.iter().any(same_place) {
                faults.push(fault);
            }
        }
    }

    /// The schema, with unknown fields as violations wherever deserialization reports them.
    fn closed(&self) -> Value {
        let mut schema = self.schema.clone();
        let mut pointers = Vec::new();
        if self.mode != Mode::Query {
            structs(&self.schema, &self.schema["body"], "/body", &mut pointers);
        }
        for pointer in pointers {
            if let Some(Value::Object(object)) = schema.pointer_mut(&pointer) {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        if self.mode != Mode::Query {
            close_variants(&mut schema);
        }
        schema["$ref"] = "#/body".into();
        schema
    }
}

/// Closes `{"variant": {...}}` among the forms of a choice. Forms that are distinguished by an inner field are read
/// leniently.
fn close_variants(value: &mut Value) {
    if let Some(forms) = value.get_mut("oneOf").and_then(Value::as_array_mut) {
        for form in forms.iter_mut() {
            let Some(fields) = form.get_mut("properties").and_then(Value::as_object_mut) else { continue };
            let single = if fields.len() == 1 { fields.values_mut().next() } else { None };
            if let Some(Value::Object(content)) = single.filter(|content| content["properties"].is_object()) {
                content.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(close_variants),
        Value::Object(fields) => fields.values_mut().for_each(close_variants),
        _ => {}
    }
}

fn compiled(schema: &Value) -> Option<Validator> {
    let options = jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        .with_format("uuid", |text: &str| Uuid::from_str(text).is_ok())
        .with_format("date-time", |text: &str| Timestamp::from_str(text).is_ok());
    options
        .build(schema)
        .inspect_err(|error| tracing::error!(%error, "a body's schema does not compile"))
        .ok()
}

/// Extracts the limits in a schema. Limits below a choice are omitted because deserialization decides which form
/// applies.
fn limits_of(schema: &Value) -> Map<String, Value> {
    let mut limits = Map::new();
    if let Some((_, inner)) = or_null(schema) {
        return limits_of(inner);
    }
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let limit = match (keyword.as_str(), value) {
            (name, _) if LIMITS.contains(&name) => value.clone(),
            ("$ref", _) => value.clone(),
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), Value::from(limits_of(field))));
                Value::Object(fields.filter(|(_, limits)| *limits != json!({})).collect())
            }
            ("items" | "additionalProperties", Value::Object(_)) => limits_of(value).into(),
            ("allOf", Value::Array(parts)) => parts.iter().map(limits_of).collect(),
            _ => continue,
        };
        limits.insert(keyword.clone(), limit);
    }
    limits
}

/// Replaces references to missing schemas: the macro does not collect the schemas of query parameters.
fn without_dangling(schema: &mut Value) {
    fn walk(value: &mut Value, known: &[String]) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, known)),
            Value::Object(fields) => {
                let name = fields.get("$ref").and_then(Value::as_str);
                let name = name.and_then(|name| name.strip_prefix(super::objects::SCHEMAS));
                if name.is_some_and(|name| !known.iter().any(|it| it == name)) {
                    fields.remove("$ref");
                }
                fields.values_mut().for_each(|field| walk(field, known));
            }
            _ => {}
        }
    }
    let known = schema["components"]["schemas"].as_object();
    let known: Vec<String> = known.into_iter().flat_map(Map::keys).cloned().collect();
    walk(schema, &known);
}

/// Converts a JSON pointer into `value` to a path that begins with the part of the request.
pub(super) fn located(part: &str, value: &Value, pointer: &str) -> Vec<Step> {
    let mut loc = vec![Step::Name(part.to_owned())];
    let mut above = Some(value);
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        loc.push(match above {
            Some(Value::Array(_)) => Step::from(name.as_str()),
            _ => Step::Name(name.clone()),
        });
        above = match above {
            Some(Value::Array(items)) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            Some(other) => other.get(&name),
            None => None,
        };
    }
    loc
}
