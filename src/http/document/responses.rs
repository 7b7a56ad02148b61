//! Responses that follow from the declaration of an operation: its access rule, its arguments and its result.

use crate::http::error::status_of;
use serde_json::{Value, json};

use domain::Code;

/// The prefix of paths whose errors have the format of the OpenAI interface.
const PARTNER: &str = "/api/chat/partner_compatible";
/// Areas whose operations may call a model, which a budget can refuse.
const SPENDING: [&str; 9] =
    ["assistants", "audio", "automations", "chat", "conversations", "skills", "utils", "video", "workflows"];

/// The properties of an operation that determine its responses.
pub(super) struct Facts<'a> {
    pub path: &'a str,
    pub method: &'a str,
    pub area: &'a str,
    /// Whether no credentials are needed.
    pub open: bool,
    /// Whether the operation accepts `If-Match`.
    pub if_match: bool,
    /// Whether the response has an `ETag`.
    pub versioned: bool,
}

impl Facts<'_> {
    fn is_partner(&self) -> bool {
        self.path.starts_with(PARTNER)
    }

    fn is_safe(&self) -> bool {
        matches!(self.method, "get" | "head")
    }
}

/// Adds the responses that the handler does not describe itself, and the corresponding headers.
pub(super) fn add(operation: &mut Value, facts: &Facts) {
    let has_body = !operation["requestBody"].is_null();
    let has_query = operation["parameters"].as_array().into_iter().flatten().any(|it| it["in"] == "query");
    let named = facts.path.contains('{');
    let spends = SPENDING.contains(&facts.area) && (!facts.is_safe() || facts.area == "audio");
    let rules = [
        ("400", true),
        ("401", !facts.open || has_body),
        ("402", spends),
        ("403", !facts.open || has_body),
        ("404", named || has_body || has_query),
        ("408", has_body),
        ("409", !facts.is_safe()),
        ("410", is_stream(operation)),
        ("412", facts.if_match),
        ("413", has_body),
        ("415", has_body),
        ("422", true),
        ("429", true),
        ("5XX", true),
    ];
    for (status, _) in rules.into_iter().filter(|(_, occurs)| *occurs) {
        if operation["responses"][status].is_null() {
            operation["responses"][status] = json!({"$ref": reference(status, facts.is_partner())});
        }
    }
    let errors = operation["responses"].as_object_mut().into_iter().flatten();
    for (_, response) in errors.filter(|(status, response)| is_error(status) && response["$ref"].is_null()) {
        response["content"] = match facts.is_partner() {
            true => content("application/json", "PartnerError"),
            false => content("application/problem+json", "Problem"),
        };
    }
    let in_parts = takes(operation, "Range");
    if in_parts {
        header(
            operation,
            "If-Range",
            "The part is sent only if this `ETag` is current; otherwise the whole content.",
        );
    }
    if in_parts || facts.is_safe() && is_image(operation) {
        header(operation, "If-None-Match", "If this content is still current, the response is 304.");
        if operation["responses"]["304"].is_null() {
            operation["responses"]["304"] = json!({"description": "The caller already has the current content.", "headers": {"ETag": {}}});
        }
    }
    if facts.if_match {
        let text = "Applies the change only if the current version has this `ETag`; `*` matches any version.";
        header(operation, "If-Match", text);
    }
    if facts.versioned {
        let successes = operation["responses"].as_object_mut().into_iter().flatten();
        for (_, response) in successes.filter(|(status, _)| status.starts_with('2')) {
            response["headers"]["ETag"] = json!({});
        }
        if facts.is_safe() {
            header(operation, "If-None-Match", "If this version is still current, the response is 304.");
            if operation["responses"]["304"].is_null() {
                operation["responses"]["304"] = json!({"description": "The caller already has the current version.", "headers": {"ETag": {}}});
            }
        }
    }
}

/// Whether an operation takes a header with this name.
pub(super) fn takes(operation: &Value, header: &str) -> bool {
    let parameters = operation["parameters"].as_array();
    parameters.into_iter().flatten().any(|it| it["in"] == "header" && it["name"] == header)
}

fn is_image(operation: &Value) -> bool {
    let content = operation["responses"]["200"]["content"].as_object();
    content.is_some_and(|content| content.keys().all(|media| media.starts_with("image/")))
}

/// Whether a successful response is a stream of events, whose journal is retained for a time.
fn is_stream(operation: &Value) -> bool {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    successes.any(|(_, response)| !response["content"]["text/event-stream"].is_null())
}

fn header(operation: &mut Value, name: &str, description: &str) {
    let parameters = &mut operation["parameters"];
    let there = parameters.as_array().into_iter().flatten().any(|it| {
        it["in"] == "header" && it["name"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(name))
    });
    if there {
        return;
    }
    let parameter = json!({
        "name": name, "in": "header", "required": false, "description": description, "schema": {"type": "string"},
    });
    match parameters {
        Value::Array(parameters) => parameters.push(parameter),
        none => *none = json!([parameter]),
    }
}

fn is_error(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

fn name_of(status: &str) -> &'static str {
    match status {
        "400" => "Malformed",
        "401" => "Unauthorized",
        "402" => "BudgetExceeded",
        "403" => "Forbidden",
        "404" => "NotFound",
        "408" => "Late",
        "409" => "Conflict",
        "410" => "Gone",
        "412" => "Stale",
        "413" => "TooLarge",
        "415" => "WrongContentType",
        "422" => "Invalid",
        "429" => "RateLimited",
        _ => "Failed",
    }
}

fn reference(status: &str, partner: bool) -> String {
    let prefix = if partner { "Partner" } else { "" };
    format!("#/components/responses/{prefix}{}", name_of(status))
}

/// The shared responses, in the format of this interface and in the format of the OpenAI interface.
pub(super) fn shared() -> Value {
    let codes = |status: u16| {
        let codes: Vec<_> = Code::ALL.iter().filter(|code| status_of(**code).as_u16() == status).collect();
        codes.iter().map(|code| format!("`{}`", code.as_str())).collect::<Vec<_>>().join(", ")
    };
    let said = [
        ("400", format!("Malformed request: {}.", codes(400))),
        ("401", format!("Missing or invalid credentials: {}.", codes(401))),
        ("402", format!("Budget exceeded: {}.", codes(402))),
        ("403", format!("The caller is not allowed to do this: {}.", codes(403))),
        ("404", format!("Not found, or not visible to the caller: {}.", codes(404))),
        ("408", format!("The request timed out: {}.", codes(408))),
        ("409", format!("Conflict with the current state: {}.", codes(409))),
        ("410", format!("Expired: {}.", codes(410))),
        ("412", format!("`If-Match` names a different version: {}.", codes(412))),
        ("413", format!("The request is too large: {}.", codes(413))),
        ("415", format!("Unsupported content type: {}.", codes(415))),
        ("422", format!("The request is invalid; every error is listed: {}.", codes(422))),
        ("429", format!("Too many requests: {}.", codes(429))),
        (
            "5XX",
            "The server or a provider failed. 503 states when to retry; 507 reports a full data disk.".into(),
        ),
    ];
    let mut shared = json!({});
    for (status, description) in said {
        let schema = if status == "422" { "ValidationError" } else { "Problem" };
        for (prefix, media, schema) in
            [("", "application/problem+json", schema), ("Partner", "application/json", "PartnerError")]
        {
            let mut response = json!({"description": description, "content": content(media, schema)});
            // By the contract of the interface, validation errors have this name at every path.
            if status == "422" {
                response["content"]["application/problem+json"] =
                    json!({"schema": {"$ref": "#/components/schemas/ValidationError"}});
            }
            shared[format!("{prefix}{}", name_of(status))] = response;
        }
    }
    shared
}

fn content(media: &str, schema: &str) -> Value {
    json!({media: {"schema": {"$ref": format!("#/components/schemas/{schema}")}}})
}
