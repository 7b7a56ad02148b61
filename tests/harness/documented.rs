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

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| understudy::INDEX.document());

/// All operations, with the schemas that their responses refer to.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let all = operations(&DOCUMENT).into_iter();
    all.map(|(path, method, operation)| Operation {
        method: method.to_uppercase(),
        segments: path.split('/').map(str::to_owned).collect(),
        described: with_references(&DOCUMENT, operation),
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

/// Describes what the document does not cover about a response: its status, its headers, or its content.
pub fn undocumented(operation: &Value, answer: &Answer) -> Option<String> {
    let status = answer.status;
    let keys = [status.to_string(), format!("{}XX", status / 100)];
    let responses = keys.iter().map(|key| &operation["responses"][key]);
    match responses.into_iter().find(|response| !response.is_null()) {
        None => Some(format!("{status} is not documented")),
        Some(response) if status < 400 => {
            fault_of_headers(answer, response).or_else(|| fault_of_success(answer, response))
        }
        Some(response) => fault_of_problem(answer, response),
    }
}

/// Headers that concern the connection, the protection of browsers or caches, and are not documented for each response.
const COMMON: [&str; 19] = [
    "accept-patch",
    "access-control-allow-credentials",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-security-policy",
    "content-type",
    "date",
    "referrer-policy",
    "strict-transport-security",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
    "x-frame-options",
];

/// Checks that the headers of a success are documented.
fn fault_of_headers(answer: &Answer, documented: &Value) -> Option<String> {
    let known: Vec<_> =
        documented["headers"].as_object().into_iter().flat_map(|headers| headers.keys()).collect();
    let mut unknown = answer.headers.keys().map(|name| name.as_str()).filter(|name| {
        let protects =
            COMMON.contains(name) || name.starts_with("cross-origin-") || name.starts_with("sec-websocket");
        !protects && *name != "upgrade" && !known.iter().any(|known| known.eq_ignore_ascii_case(name))
    });
    unknown.next().map(|name| format!("the header {name:?} of a success"))
}

/// Checks that a problem matches the document, and has no other members.
fn fault_of_problem(answer: &Answer, documented: &Value) -> Option<String> {
    let kind = answer.header("content-type").unwrap_or_default();
    let schema = &documented["content"][kind]["schema"];
    if schema.is_null() {
        return None;
    }
    let problem = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    if let Err(fault) = validator_of(schema).validate(&problem) {
        return Some(format!("a problem that violates the document at {}: {fault}", fault.instance_path()));
    }
    let by_code = json!({"$ref": "#/components/schemas/ProblemByCode"});
    if kind == "application/problem+json" && schema["$ref"] == "#/components/schemas/Problem" {
        let fault = validator_of(&by_code).validate(&problem).err();
        if let Some(fault) = fault {
            return Some(format!("a problem that violates its code: {fault}: {problem}"));
        }
    }
    let known = properties(schema.get("$ref").and_then(Value::as_str).unwrap_or_default());
    let mut members = problem.as_object().into_iter().flat_map(|problem| problem.keys());
    members.find(|member| !known.contains(member)).map(|member| format!("the member {member:?} of {problem}"))
}

/// The names of the properties of a schema of the document.
fn properties(place: &str) -> Vec<String> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Vec<String>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("no panic");
    let read = || {
        let schema = &DOCUMENT.pointer(place.trim_start_matches('#')).expect("a schema")["properties"];
        schema.as_object().expect("properties").keys().cloned().collect()
    };
    known.entry(place.to_owned()).or_insert_with(read).clone()
}

/// Checks that a success has a documented media type, or no body.
fn fault_of_success(answer: &Answer, documented: &Value) -> Option<String> {
    let kind =
        answer.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
    match documented["content"].as_object().filter(|content| !content.is_empty()) {
        Some(content) if !content.keys().any(|range| includes(range, &kind)) => {
            Some(format!("a success of the type {kind:?}"))
        }
        Some(content) if kind == "application/json" => match serde_json::from_slice::<Value>(&answer.body) {
            Ok(body) => fault_of_json(&body, &content["application/json"]["schema"]),
            Err(_) => Some("a success that is not JSON".to_owned()),
        },
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
    let (data, is_events) = match &documented["anyOf"][1]["properties"]["data"] {
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

/// Checks that a body conforms to its schema.
fn fault_of_json(body: &Value, schema: &Value) -> Option<String> {
    let fault = validator_of(schema).validate(body).err()?;
    Some(format!("a success that violates the document at {}: {fault}", fault.instance_path()))
}

/// Returns a validator for a shared schema of the document.
fn validator(place: &str) -> Arc<Validator> {
    validator_of(&json!({"$ref": place}))
}

/// Returns a validator for a schema that may refer to others of the document.
pub fn validator_of(schema: &Value) -> Arc<Validator> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("no panic");
    let make = || {
        let schema = json!({"allOf": [schema], "components": DOCUMENT["components"]});
        Arc::new(jsonschema::draft202012::new(&schema).expect("a schema"))
    };
    known.entry(schema.to_string()).or_insert_with(make).clone()
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
