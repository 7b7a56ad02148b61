//! Bodies and paths generated from their descriptions in the OpenAPI document.

use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};

/// A path with its parameters filled in.
pub fn fill_path(path: &str, value: impl Fn(&str) -> String) -> String {
    let segment = |segment: &str| match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(name) => value(name),
        None => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Adds a body that the operation's schema permits, if the operation accepts a body.
pub fn body_of(request: RequestBuilder, operation: &Value, maker: Maker<'_>) -> RequestBuilder {
    let content = &operation["requestBody"]["content"];
    if let Some(media) = content.get("application/json") {
        return request.json(&maker.value(&media["schema"], ""));
    }
    if let Some(media) = content.get("multipart/form-data") {
        return form(request, &maker.value(&media["schema"], ""));
    }
    match content.as_object().and_then(|content| content.keys().next()) {
        Some(media_type) => request.header("content-type", media_type).body("x"),
        None => request,
    }
}

fn form(request: RequestBuilder, fields: &Value) -> RequestBuilder {
    let mut body = String::new();
    let none = Map::new();
    for (name, field) in fields.as_object().unwrap_or(&none) {
        let text = field.as_str().map_or_else(|| field.to_string(), str::to_owned);
        body.push_str(&format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n"));
    }
    if body.is_empty() {
        body.push_str("--x\r\ncontent-disposition: form-data; name=\"message\"\r\n\r\nhello\r\n");
    }
    body.push_str("--x--\r\n");
    request.header("content-type", "multipart/form-data; boundary=x").body(body)
}

/// Decisions where a schema leaves a choice.
pub trait Choices {
    /// The value for an id with this name.
    fn id(&self, name: &str) -> String;

    /// Whether to include an optional field.
    fn includes(&self, _name: &str) -> bool {
        false
    }

    /// The index of the alternative to choose, from 0.
    fn which(&self, _many: usize) -> usize {
        0
    }

    /// The value for a text with this name, if a specific one is required.
    fn text(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Generates values for schemas.
#[derive(Clone, Copy)]
pub struct Maker<'d> {
    pub document: &'d Value,
    pub scene: &'d dyn Choices,
}

impl Maker<'_> {
    /// A value that a schema permits, for a field with this name.
    pub fn value(self, schema: &Value, name: &str) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let found = self.document.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
            return self.value(found, name);
        }
        for known in ["const", "example"] {
            if !schema[known].is_null() {
                return schema[known].clone();
            }
        }
        if let Some(values) = schema["enum"].as_array().filter(|values| !values.is_empty()) {
            return values[self.scene.which(values.len())].clone();
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(parts) = schema[choice].as_array() {
                let parts: Vec<_> = parts.iter().filter(|part| part["type"] != "null").collect();
                let part = if parts.is_empty() { &Value::Null } else { parts[self.scene.which(parts.len())] };
                return self.value(part, name);
            }
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let all = parts.iter().filter_map(|part| self.value(part, name).as_object().cloned());
            return Value::Object(all.flatten().collect());
        }
        match kind(schema) {
            "array" => json!([self.value(&schema["items"], name)]),
            "object" => self.object(schema),
            "integer" | "number" => json!(schema["minimum"].as_i64().unwrap_or(1).max(1)),
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => match schema["format"].as_str() {
                Some("uuid") => json!(self.scene.id(name)),
                Some("date-time") => json!("2099-01-01T00:00:00.000Z"),
                _ => json!(self.scene.text(name).unwrap_or_else(|| word(schema, name))),
            },
        }
    }

    fn object(self, schema: &Value) -> Value {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut names: Vec<_> = required.iter().filter_map(Value::as_str).collect();
        let all = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        names.extend(all.filter(|name| self.scene.includes(name)));
        let field = |name: &str| (name.to_owned(), self.value(&schema["properties"][name], name));
        Value::Object(names.into_iter().map(field).collect())
    }
}

fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema["properties"].is_object() => "object",
        _ => "string",
    }
}

fn word(schema: &Value, name: &str) -> String {
    let text = if name.contains("email") { "made-up@example.org" } else { "made up" };
    let least = schema["minLength"].as_u64().unwrap_or(0) as usize;
    format!("{text}{}", ".".repeat(least.saturating_sub(text.len())))
}
