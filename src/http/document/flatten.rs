//! Resolves `allOf`, which represents flattened fields.

use serde_json::{Map, Value, json};

use crate::http::validation::objects::{named, or_null};

/// An object schema that consists only of fields.
#[derive(Clone, Default)]
struct Plain {
    properties: Map<String, Value>,
    required: Vec<Value>,
    /// `additionalProperties`, if it is stated.
    rest: Option<Value>,
}

impl Plain {
    /// Converts a schema; `None` if it is a choice or not an object.
    fn from_schema(schema: &Value, schemas: &Map<String, Value>) -> Option<Self> {
        if let Some(name) = named(schema) {
            return Self::from_schema(schemas.get(name)?, schemas);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let parts = parts
                .iter()
                .map(|part| Part::from_schema(part, schemas).plain)
                .collect::<Option<Vec<_>>>()?;
            return Some(Self::merged(parts));
        }
        let choice = ["oneOf", "anyOf"].iter().any(|key| !schema[*key].is_null());
        if choice || schema["type"] != "object" {
            return None;
        }
        Some(Self {
            properties: schema["properties"].as_object().cloned().unwrap_or_default(),
            required: schema["required"].as_array().cloned().unwrap_or_default(),
            rest: schema.get("additionalProperties").cloned(),
        })
    }

    /// Merges several objects. The result is closed if one of them is closed and none is open.
    fn merged(parts: Vec<Self>) -> Self {
        let open = parts.iter().filter_map(|part| part.rest.clone()).find(|rest| *rest != false);
        let closed = parts.iter().any(|part| part.rest.as_ref().is_some_and(|rest| *rest == false));
        let mut merged = Self { rest: open.or(closed.then_some(Value::Bool(false))), ..Self::default() };
        for part in parts {
            merged.properties.extend(part.properties);
            merged.required.extend(part.required);
        }
        merged
    }

    fn schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".into(), Value::Array(self.required));
        }
        if let Some(rest) = self.rest {
            schema.insert("additionalProperties".into(), rest);
        }
        schema
    }
}

/// A part of an `allOf`.
struct Part {
    plain: Option<Plain>,
    /// Whether the part represents an optional flattened field.
    optional: bool,
}

impl Part {
    fn from_schema(schema: &Value, schemas: &Map<String, Value>) -> Self {
        if let Some((_, inner)) = or_null(schema) {
            let plain =
                Plain::from_schema(inner, schemas).map(|plain| Plain { required: Vec::new(), ..plain });
            return Self { plain, optional: true };
        }
        Self { plain: Plain::from_schema(schema, schemas), optional: false }
    }
}

/// Resolves every `allOf`. An absent optional flattened field is not null but has no fields, no object satisfies two
/// closed schemas, and generators disagree on the type that `allOf` yields. If all parts are objects with fields, they
/// are merged into one object; if one is a choice of such objects, into a choice of merged objects; if one is another
/// choice, the other parts are opened.
pub(super) fn flatten(value: &mut Value, schemas: &Map<String, Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| flatten(item, schemas)),
        Value::Object(fields) => {
            if let Some(parts) = fields.get("allOf").and_then(Value::as_array).cloned() {
                merge_all_of(fields, &parts, schemas);
            }
            fields.values_mut().for_each(|field| flatten(field, schemas));
        }
        _ => {}
    }
}

fn merge_all_of(fields: &mut Map<String, Value>, parts: &[Value], schemas: &Map<String, Value>) {
    let read: Vec<_> = parts.iter().map(|part| Part::from_schema(part, schemas)).collect();
    if read.iter().all(|part| part.plain.is_some()) {
        fields.remove("allOf");
        let merged = Plain::merged(read.into_iter().filter_map(|part| part.plain).collect());
        fields.extend(merged.schema());
        return;
    }
    if let Some(variants) = distribute(parts, &read, schemas) {
        fields.remove("allOf");
        fields.insert("oneOf".into(), variants.into());
        return;
    }
    let parts = parts.iter().zip(read).map(|(written, part)| match part {
        Part { plain: Some(plain), optional: true } => Value::Object(Plain { rest: None, ..plain }.schema()),
        Part { plain: None, optional: true } => {
            let inner = or_null(written).map(|(_, inner)| inner);
            json!({"anyOf": [inner, {"type": "object", "additionalProperties": true}]})
        }
        Part { plain: Some(plain), optional: false }
            if plain.rest.as_ref().is_some_and(|rest| *rest == false) =>
        {
            Value::Object(Plain { rest: None, ..plain }.schema())
        }
        Part { .. } => written.clone(),
    });
    fields.insert("allOf".into(), parts.collect());
}

/// Merges the other parts into each variant of the only choice among them; `None` if there are several, or if the choice
/// may be absent or has variants other than objects with fields.
fn distribute(parts: &[Value], read: &[Part], schemas: &Map<String, Value>) -> Option<Vec<Value>> {
    let mut choices = read.iter().enumerate().filter(|(_, part)| part.plain.is_none());
    let (at, choice) = choices.next()?;
    if choice.optional || choices.next().is_some() {
        return None;
    }
    let variants = resolved(&parts[at], schemas)?["oneOf"].as_array()?;
    let merge = |variant: &Value| {
        let others = read.iter().filter_map(|part| part.plain.clone());
        let own = Plain::from_schema(variant, schemas)?;
        let mut merged = Plain::merged(others.chain([own]).collect()).schema();
        if let Some(description) = resolved(variant, schemas)?.get("description") {
            merged.insert("description".into(), description.clone());
        }
        Some(Value::Object(merged))
    };
    variants.iter().map(merge).collect()
}

/// The schema itself, or the one that it refers to.
fn resolved<'s>(schema: &'s Value, schemas: &'s Map<String, Value>) -> Option<&'s Value> {
    match named(schema) {
        Some(name) => schemas.get(name),
        None => Some(schema),
    }
}
