//! What the macro writes down of types, made to say what is read and sent: in one pass over the whole document.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::http::validation::objects::{SCHEMAS, escaped, named, or_null, structs};

/// Media types whose bodies are a sequence of JSON texts.
const EVENTS: &str = "text/event-stream";
const STREAMS: [&str; 2] = [EVENTS, "application/x-ndjson"];
/// Events of streams that end with `data: [DONE]`.
const DONE: [&str; 2] = ["EncodedEvent", "ChatCompletionEvent"];
/// The methods that a path may have.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Corrects all schemas.
pub(super) fn correct(document: &mut Value) {
    without_null_defaults(document);
    each_content(document, &mut |media, content| {
        binary(media, content);
        stream(media, content);
    });
    close(document);
    let schemas = document["components"]["schemas"].as_object().cloned().unwrap_or_default();
    flatten(document, &schemas);
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        name_variants(schemas);
    }
}

/// Takes `default: null` away where null is not taken: the macro writes it for fields that may be left out.
fn without_null_defaults(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_null_defaults),
        Value::Object(fields) => {
            if fields.get("default").is_some_and(Value::is_null) && !may_be_null(fields) {
                fields.remove("default");
            }
            fields.values_mut().for_each(without_null_defaults);
        }
        _ => {}
    }
}

fn may_be_null(schema: &Map<String, Value>) -> bool {
    let in_type = match schema.get("type") {
        None => {
            !schema.contains_key("$ref") && !schema.contains_key("oneOf") && !schema.contains_key("allOf")
        }
        Some(Value::Array(types)) => types.iter().any(|it| it == "null"),
        Some(single) => single == "null",
    };
    let options = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    in_type || options.into_iter().any(|option| option["type"] == "null")
}

/// Looks at the content of all bodies, with their media types.
fn each_content(document: &mut Value, look: &mut impl FnMut(&str, &mut Value)) {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = items.filter_map(Value::as_object_mut).flat_map(|item| item.iter_mut());
    for (_, operation) in operations.filter(|(method, _)| METHODS.contains(&method.as_str())) {
        let mut contents = Vec::new();
        let Some(operation) = operation.as_object_mut() else { continue };
        for (name, part) in operation {
            match name.as_str() {
                "requestBody" => contents.push(part),
                "responses" => contents.extend(part.as_object_mut().into_iter().flat_map(Map::values_mut)),
                _ => {}
            }
        }
        let contents = contents.into_iter().filter_map(|body| body.get_mut("content")?.as_object_mut());
        for (media, content) in contents.flat_map(|content| content.iter_mut()) {
            look(media, content);
        }
    }
}

/// Bytes, which the macro takes for a list of numbers.
fn binary(media: &str, content: &mut Value) {
    let schema = &content["schema"];
    let bytes = schema["type"] == "array" && schema["items"]["type"] == "integer";
    if bytes && !media.contains("json") {
        content["schema"] = json!({"type": "string", "format": "binary"});
    }
}

/// A stream is no single object: each of its events, or lines, has the schema that the macro wrote for the whole. Of the
/// type nothing is said, as readers differ in whether they see a text or events; to those that see a text, the fields of
/// events say nothing.
fn stream(media: &str, content: &mut Value) {
    if STREAMS.contains(&media) && content["schema"]["type"] != "string" {
        let event = content["schema"].take();
        let mut json = json!({
            "description": "JSON of `contentSchema`.",
            "contentMediaType": "application/json",
            "contentSchema": event,
        });
        content["schema"] = match media {
            EVENTS => {
                if DONE.iter().any(|name| named(&json["contentSchema"]) == Some(name)) {
                    json =
                        json!({"description": "An event, or the end.", "anyOf": [json, {"const": "[DONE]"}]});
                }
                json!({"description": "A stream of events.", "properties": {"data": json}})
            }
            _ => {
                json["description"] = "A stream: each line is JSON of `contentSchema`.".into();
                json
            }
        };
    }
}

/// Says of what is only ever read, and not also sent, that unknown fields are refused. What is read by way of a choice
/// or of flattened parts is read leniently, and left alone.
fn close(document: &mut Value) {
    let (mut sent, mut read) = (BTreeSet::new(), Vec::new());
    let whole: &Value = document;
    each_content_of(whole, "responses", &mut |_, schema| reach(whole, schema, &mut sent));
    reach(whole, &whole["components"]["responses"], &mut sent);
    each_content_of(whole, "requestBody", &mut |pointer, schema| {
        structs(whole, schema, &format!("{pointer}/schema"), &mut read);
    });
    for pointer in read {
        let shared = pointer.strip_prefix("/components/schemas/").and_then(|rest| rest.split('/').next());
        if shared.is_some_and(|name| sent.contains(name)) {
            continue;
        }
        if let Some(Value::Object(schema)) = document.pointer_mut(&pointer) {
            schema.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    }
}

/// Looks at the schemas of all bodies of one kind, with the places of their contents.
fn each_content_of(document: &Value, kind: &str, look: &mut impl FnMut(String, &Value)) {
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let at = format!("/paths/{}/{method}/{kind}", escaped(path));
            let bodies: Vec<_> = match kind {
                "responses" => {
                    let all = operation[kind].as_object().into_iter().flatten();
                    all.map(|(status, body)| (format!("{at}/{status}"), body)).collect()
                }
                _ => vec![(at, &operation[kind])],
            };
            for (at, body) in bodies {
                for (media, content) in body["content"].as_object().into_iter().flatten() {
                    look(format!("{at}/content/{}", escaped(media)), &content["schema"]);
                }
            }
        }
    }
}

/// Names of the shared schemas that are reached, at any depth.
fn reach(document: &Value, value: &Value, reached: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| reach(document, item, reached)),
        Value::Object(fields) => {
            if let Some(name) = named(value)
                && reached.insert(name.to_owned())
            {
                reach(document, &document["components"]["schemas"][name], reached);
            }
            fields.values().for_each(|field| reach(document, field, reached));
        }
        _ => {}
    }
}

/// An object with nothing but fields.
#[derive(Default)]
struct Plain {
    properties: Map<String, Value>,
    required: Vec<Value>,
    /// `additionalProperties`, where something is said of them.
    rest: Option<Value>,
}

impl Plain {
    /// Reads a schema as one; none where it is a choice, or no object.
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

    /// All of them together: closed where one is and none is open.
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
    /// Whether it stands for a field that is flattened and may be left out.
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

/// Flattened fields stand as `allOf`. A flattened field that may be left out is no null but has no fields, and no object
/// fits two closed schemas; and generators do not agree on what `allOf` makes of a type. Where all parts are objects with
/// fields, they are written out as one; where one is a choice, the others are opened.
fn flatten(value: &mut Value, schemas: &Map<String, Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| flatten(item, schemas)),
        Value::Object(fields) => {
            if let Some(parts) = fields.get("allOf").and_then(Value::as_array).cloned() {
                whole(fields, &parts, schemas);
            }
            fields.values_mut().for_each(|field| flatten(field, schemas));
        }
        _ => {}
    }
}

fn whole(fields: &mut Map<String, Value>, parts: &[Value], schemas: &Map<String, Value>) {
    let read: Vec<_> = parts.iter().map(|part| Part::from_schema(part, schemas)).collect();
    if read.iter().all(|part| part.plain.is_some()) {
        fields.remove("allOf");
        let merged = Plain::merged(read.into_iter().filter_map(|part| part.plain).collect());
        fields.extend(merged.schema());
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

/// Gives the variants of tagged choices names of their own: generators name what has none by its position, or not at all.
fn name_variants(schemas: &mut Map<String, Value>) {
    let mut named: Map<String, Value> = Map::new();
    let known: BTreeSet<String> = schemas.keys().cloned().collect();
    for (name, schema) in schemas.iter_mut() {
        let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for variant in variants.into_iter().flatten() {
            let Some(tag) = tag_of(variant) else { continue };
            let words = tag.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
            let own = words.fold(name.clone(), |name, word| name + &capital(word));
            if !known.contains(&own) && !named.contains_key(&own) {
                let reference = json!({"$ref": format!("{SCHEMAS}{own}")});
                named.insert(own, std::mem::replace(variant, reference));
            }
        }
    }
    schemas.extend(named);
}

/// What a variant with fields says of itself in its only constant field.
fn tag_of(variant: &Value) -> Option<String> {
    let fields = variant["properties"].as_object()?.values();
    let mut tags = fields.filter_map(|field| match field["enum"].as_array()?.as_slice() {
        [Value::String(tag)] => Some(tag.clone()),
        _ => None,
    });
    tags.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_parts_become_one_object() {
        let mut document = json!({"components": {"schemas": {
            "Ldap": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"],
                "additionalProperties": false},
            "Settings": {"oneOf": [{"description": "LDAP", "allOf": [{"$ref": "#/components/schemas/Ldap"},
                {"type": "object", "properties": {"kind": {"enum": ["ldap"]}}, "required": ["kind"]}]}]},
        }}});
        correct(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["Settings"]["oneOf"], json!([{"$ref": "#/components/schemas/SettingsLdap"}]));
        assert_eq!(
            schemas["SettingsLdap"],
            json!({"description": "LDAP", "type": "object", "additionalProperties": false,
                "properties": {"url": {"type": "string"}, "kind": {"enum": ["ldap"]}}, "required": ["url", "kind"]})
        );
    }

    #[test]
    fn flattened_parts_that_may_be_left_out_require_nothing() {
        let mut document = json!({"components": {"schemas": {
            "Node": {"type": "object", "properties": {"node": {"type": "string"}}, "required": ["node"]},
            "Data": {"oneOf": [{"type": "object"}, {"type": "object"}]},
            "Event": {"allOf": [{"oneOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]},
                {"$ref": "#/components/schemas/Data"}]},
        }}});
        correct(&mut document);
        assert_eq!(
            document["components"]["schemas"]["Event"]["allOf"],
            json!([{"type": "object", "properties": {"node": {"type": "string"}}},
                {"$ref": "#/components/schemas/Data"}])
        );
    }

    #[test]
    fn bodies_are_closed_unless_they_are_sent_as_well() {
        let body = |name: &str| json!({"content": {"application/json": {"schema": {"$ref": format!("{SCHEMAS}{name}")}}}});
        let object = |field: Value| json!({"type": "object", "properties": {"field": field}});
        let mut document = json!({
            "paths": {"/x/{id}": {"put": {"requestBody": body("New"), "responses": {"200": body("Sent")}}}},
            "components": {"schemas": {
                "New": object(json!({"type": "array", "items": {"$ref": format!("{SCHEMAS}Inner")}})),
                "Inner": object(json!({"oneOf": [{"type": "null"}, {"$ref": format!("{SCHEMAS}Sent")}]})),
                "Sent": object(json!({"type": "string", "default": null})),
            }},
        });
        correct(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["New"]["additionalProperties"], false);
        assert_eq!(schemas["Inner"]["additionalProperties"], false);
        assert_eq!(schemas["Sent"], object(json!({"type": "string"})));
    }
}
