//! Corrects the content of bodies by their media types: binary content, and streams.

use serde_json::{Map, Value, json};

use crate::http::validation::objects::named;

/// Media types whose bodies are a sequence of JSON texts.
const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";
/// Schemas of events in streams that end with `data: [DONE]`.
const DONE: [&str; 2] = ["EncodedEvent", "ChatCompletionEvent"];
/// The HTTP methods that a path may define.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Corrects the content of all bodies.
pub(super) fn correct(document: &mut Value) {
    each_content(document, &mut |media, content| {
        binary(media, content);
        stream(media, content);
    });
}

/// Visits the content of all bodies, with their media types.
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

/// Describes binary content, which the macro treats as a list of numbers.
fn binary(media: &str, content: &mut Value) {
    let schema = &content["schema"];
    let bytes = schema["type"] == "array" && schema["items"]["type"] == "integer";
    if bytes && !media.contains("json") {
        content["schema"] = json!({"type": "string", "format": "binary"});
    }
}

/// A stream is not a single object: each of its events, or lines, has the schema that the macro wrote for the whole
/// body. OpenAPI 3.1 has no keyword for this (3.2 has `itemSchema`), so `x-item-schema` names the schema, and the schema
/// of the body describes the text or one of its events, because readers differ in which of them they see.
fn stream(media: &str, content: &mut Value) {
    if ![EVENTS, LINES].contains(&media) || content["schema"]["type"] == "string" {
        return;
    }
    let event = content["schema"].take();
    let ends = DONE.iter().any(|name| named(&event) == Some(name));
    let mut data = json!({
        "description": "JSON that matches `contentSchema`.",
        "contentMediaType": "application/json",
        "contentSchema": event.clone(),
    });
    content["x-item-schema"] = event;
    content["schema"] = match media {
        EVENTS => {
            if ends {
                data = json!({
                    "description": "An event, or `[DONE]` at the end of the encodings `ui-message` and `openai`.",
                    "anyOf": [data, {"const": "[DONE]"}],
                });
            }
            let event = json!({
                "type": "object",
                "description": "One of the events.",
                "properties": {
                    "id": {"type": "string", "description": "The position after this event, for `Last-Event-ID`."},
                    "event": {"type": "string", "description": "The type of the event."},
                    "data": data,
                },
                "required": ["data"],
            });
            json!({
                "description": "A sequence of server-sent events. Lines that begin with `:` are sent while nothing \
                                happens.",
                "anyOf": [{"type": "string", "description": "The whole body."}, event],
            })
        }
        _ => {
            data["description"] = "A sequence of lines. Each is JSON that matches `contentSchema`.".into();
            data
        }
    };
}
