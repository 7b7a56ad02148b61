//! Response headers that follow from the status, the content and the parameters of an operation.

use serde_json::{Map, Value, json};

/// The headers of responses, by name: their schemas and descriptions. Handlers that state one of them refer to the same
/// description.
fn shared() -> Value {
    let header = |schema: Value, description: &str| json!({"description": description, "schema": schema});
    let text = || json!({"type": "string"});
    let id = || json!({"type": "string", "format": "uuid"});
    let seconds = || json!({"type": "integer", "minimum": 0});
    json!({
        "Accept-Ranges": header(json!({"type": "string", "enum": ["bytes"]}), "The content can be requested in parts."),
        "Content-Disposition": header(text(), "The name of the file."),
        "Content-Location": header(text(), "The path at which clients can attach to the stream."),
        "Content-Range": header(text(), "The part that is sent, and the size of the whole; with 416 only the size."),
        "ETag": header(text(), "The version, for `If-Match` and `If-None-Match`."),
        "Location": header(text(), "The address to which the client is redirected."),
        "Retry-After": header(seconds(), "The number of seconds to wait before the next attempt."),
        "Set-Cookie": header(text(), "The cookies of a session, or the mark of a browser in which a login begins."),
        "WWW-Authenticate": header(text(), "The scheme of the credentials: `Bearer`."),
        "X-Feed-Id": header(text(), "The position from which the feed of the conversation continues, for `Last-Event-ID`."),
        "X-Request-Id": header(text(), "The id of the request, which also appears in its log lines."),
        "X-Stream-Id": header(id(), "The id of the stream."),
        "x-vercel-ai-ui-message-stream": header(text(), "With the encoding `ui-message`: its version, `v1`."),
    })
}

/// Adds the headers to all responses, and their descriptions to the components.
pub(super) fn add(document: &mut Value) {
    let shared = shared();
    for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            let in_parts = super::responses::takes(operation, "Range");
            let streams = operation["responses"].as_object().is_some_and(|all| all.values().any(is_of_run));
            let responses = operation["responses"].as_object_mut().into_iter().flatten();
            for (status, response) in responses.filter(|(_, response)| response["$ref"].is_null()) {
                for name in names(status, response, in_parts, streams) {
                    response["headers"][name] = Value::Null;
                }
                refer(response, &shared);
            }
        }
    }
    // The shared responses are named after what they mean, and not after their status.
    for (name, response) in document["components"]["responses"].as_object_mut().into_iter().flatten() {
        response["headers"]["X-Request-Id"] = Value::Null;
        if name.ends_with("Unauthorized") {
            response["headers"]["WWW-Authenticate"] = Value::Null;
        }
        if ["Conflict", "RateLimited", "Failed"].iter().any(|it| name.ends_with(it)) {
            response["headers"]["Retry-After"] = Value::Null;
        }
        refer(response, &shared);
    }
    document["components"]["headers"] = shared;
}

/// Whether a response is the stream of a run, or a result of one.
fn is_of_run(response: &Value) -> bool {
    is(&response["content"]["application/json"]["schema"], &["ResponseObject"])
        || is(
            &response["content"]["text/event-stream"]["schema"],
            &["EncodedEvent", "StreamEvent", "ChatCompletionEvent", "ResponseStreamEvent"],
        )
}

/// Whether a schema refers to one of these.
fn is(schema: &Value, names: &[&str]) -> bool {
    names.iter().any(|name| schema["$ref"] == format!("#/components/schemas/{name}"))
}

/// The names of the headers that follow from a response. `in_parts` states whether the content can be requested in parts,
/// and `streams` whether a response of the same operation is the stream of a run.
fn names(status: &str, response: &Value, in_parts: bool, streams: bool) -> Vec<&'static str> {
    let content = response["content"].as_object();
    let has =
        |media: &str| content.is_some_and(|content| content.keys().any(|known| known.starts_with(media)));
    let is_success = status.starts_with('2');
    let event = &response["content"]["text/event-stream"]["schema"];
    let json = &response["content"]["application/json"]["schema"];
    let prepares_login = is(json, &["PrepareLoginResponse", "McpOauthPrepareResponse"]);
    // The pages at which a login at another server ends mark the browser, too.
    let sets_cookies = prepares_login || has("text/html") || is(json, &["LoginResponse", "LogoutResponse"]);
    let rules = [
        (true, ["X-Request-Id"].as_slice()),
        (status.starts_with('3') && status != "304", &["Location"]),
        (status == "304", &["ETag"]),
        (status == "401", &["WWW-Authenticate"]),
        (status == "409" || status == "429" || status.starts_with('5'), &["Retry-After"]),
        (is_success && in_parts, &["ETag", "Accept-Ranges", "Content-Disposition"]),
        (status == "206" || status == "416", &["Content-Range"]),
        (is_success && has("image/"), &["ETag"]),
        (is_success && has("text/csv"), &["Content-Disposition"]),
        (is_success && streams, &["X-Stream-Id", "Content-Location"]),
        (is_success && sets_cookies, &["Set-Cookie"]),
        (is_success && is(event, &["EncodedEvent"]), &["x-vercel-ai-ui-message-stream"]),
    ];
    rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, names)| names.iter().copied()).collect()
}

/// Replaces the headers of a response by references to their shared descriptions.
fn refer(response: &mut Value, shared: &Value) {
    for (name, header) in response["headers"].as_object_mut().into_iter().flatten() {
        if shared.get(name).is_some() {
            *header = json!({"$ref": format!("#/components/headers/{name}")});
        }
    }
}
