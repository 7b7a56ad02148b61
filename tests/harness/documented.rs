//! Checks whether the OpenAPI document describes a response.

use super::answer::Answer;
use crate::openapi::operations;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

struct Operation {
    method: String,
    segments: Vec<String>,
    described: Value,
}

/// All operations, with the schemas that their responses refer to.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let document = understudy::INDEX.document();
    let all = operations(&document).into_iter();
    all.map(|(path, method, operation)| Operation {
        method: method.to_uppercase(),
        segments: path.split('/').map(str::to_owned).collect(),
        described: with_references(&document, operation),
    })
    .collect()
});

/// The operation with this id.
pub fn operation(id: &str) -> Option<&'static Value> {
    OPERATIONS.iter().map(|operation| &operation.described).find(|it| it["operationId"] == id)
}

/// The operation that handles a request: among those with a matching path, the one with the most fixed
/// segments.
pub fn operation_at(method: &str, path: &str) -> Option<&'static Value> {
    let asked: Vec<_> = path.split('/').collect();
    let is_parameter = |segment: &String| segment.starts_with('{');
    let fits = |operation: &&Operation| {
        operation.method == method
            && operation.segments.len() == asked.len()
            && operation.segments.iter().zip(&asked).all(|(known, asked)| match is_parameter(known) {
                true => !asked.is_empty(),
                false => known == asked,
            })
    };
    let parameters = |operation: &&Operation| {
        operation.segments.iter().map(|segment| u8::from(is_parameter(segment))).collect::<Vec<_>>()
    };
    OPERATIONS.iter().filter(fits).min_by_key(parameters).map(|operation| &operation.described)
}

/// Describes what the document does not cover about a response: its status, or the type of a success.
pub fn undocumented(operation: &Value, answer: &Answer) -> Option<String> {
    let status = answer.status;
    let keys = [status.to_string(), format!("{}XX", status / 100)];
    let responses = keys.iter().map(|key| &operation["responses"][key]);
    match responses.into_iter().find(|response| !response.is_null()) {
        None => Some(format!("{status} is not documented")),
        Some(response) if status < 400 => fault_of_success(answer, response),
        Some(_) => None,
    }
}

/// Checks that a success has a documented media type, or no body.
fn fault_of_success(answer: &Answer, documented: &Value) -> Option<String> {
    let kind =
        answer.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
    match documented["content"].as_object().filter(|content| !content.is_empty()) {
        Some(content) if !content.keys().any(|range| includes(range, &kind)) => {
            Some(format!("a success of the type {kind:?}"))
        }
        Some(_) if kind == "application/json" && serde_json::from_slice::<Value>(&answer.body).is_err() => {
            Some("a success that is not JSON".to_owned())
        }
        Some(content) if ["text/event-stream", "application/x-ndjson"].contains(&kind.as_str()) => {
            fault_of_events(&answer.text(), &content[&kind]["schema"])
        }
        None if !answer.body.is_empty() => Some("a body that is not documented".to_owned()),
        _ if answer.status >= 300 && answer.status != 304 && answer.header("location").is_none() => {
            Some("a redirect that leads nowhere".to_owned())
        }
        _ => None,
    }
}

/// Checks that each complete event or line of a stream conforms to the document.
fn fault_of_events(stream: &str, documented: &Value) -> Option<String> {
    let (data, is_events) = match &documented["properties"]["data"] {
        Value::Null => (documented, false),
        data => (data, true),
    };
    let mut forms = data["anyOf"].as_array().map_or_else(|| vec![data], |forms| forms.iter().collect());
    let last = forms.iter().position(|form| !form["const"].is_null()).map(|at| forms.remove(at));
    let validator = validator(forms.first()?["contentSchema"]["$ref"].as_str()?);
    let whole = stream.rfind('\n').map_or("", |end| &stream[..end]);
    let told =
        whole.lines().filter_map(|line| if is_events { line.strip_prefix("data: ") } else { Some(line) });
    let told = told.filter(|told| !told.is_empty() && !last.is_some_and(|last| last["const"] == *told));
    told.filter_map(|told| {
        let event = serde_json::from_str(told).unwrap_or(Value::Null);
        validator
            .validate(&event)
            .err()
            .map(|fault| format!("an event that violates the document: {fault}: {told}"))
    })
    .next()
}

/// Returns a validator for a schema of the document.
fn validator(place: &str) -> Arc<Validator> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("no panic");
    let make = || {
        let components = understudy::INDEX.document()["components"].take();
        let schema = json!({"$ref": place, "components": components});
        Arc::new(jsonschema::draft202012::new(&schema).expect("a schema"))
    };
    known.entry(place.to_owned()).or_insert_with(make).clone()
}

/// Whether a media type is in a media range such as `image/*`.
fn includes(range: &str, kind: &str) -> bool {
    match range.strip_suffix('*') {
        Some("*/") => !kind.is_empty(),
        Some(group) => kind.starts_with(group),
        None => range == kind,
    }
}

fn with_references(document: &Value, mut operation: Value) -> Value {
    for response in operation["responses"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        if let Some(place) = response["$ref"].as_str() {
            *response = document.pointer(place.trim_start_matches('#')).expect("a response").clone();
        }
    }
    operation
}
