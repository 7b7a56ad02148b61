//! The `http` node: sends a request with the guarded web client.

use std::time::Duration;

use assist::connections::{OnBehalfOf, OutboundError};
use providers::web::{WebAnswer, WebError, WebErrorKind, WebRequest};
use serde_json::{Map, Value, json};

use super::{NodeError, NodeResult, Task, text_of};
use crate::graph::{HttpConfig, PlanNode};

/// Maximum response size that a node may ask for, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum number of characters of a response that are shown in an error.
const SHOWN: usize = 300;
/// Time limit of a request whose node has no timeout.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Sends the request and reads the response.
pub(super) async fn run(config: &HttpConfig, node: &PlanNode, task: &Task) -> Result<NodeResult, NodeError> {
    let mut request = request(config, task).map_err(|why| NodeError { unsent: true, ..why })?;
    request.timeout = match node.policy.timeout_ms {
        0 => MAX_TIMEOUT,
        ms => Duration::from_millis(ms),
    };
    let answer = tokio::select! {
        biased;
        // Dropping the request closes its connection.
        () = task.cancel.cancelled() => return Err(NodeError::new("cancelled", "the attempt was ended")),
        answer = send(config, task, request) => answer?,
    };
    if answer.status >= 400 && !config.accept_status.contains(&answer.status) {
        return Err(bad_status(&answer));
    }
    let outputs =
        json!({"status": answer.status, "headers": answer.headers_json(), "body": answer.body_json()});
    Ok(NodeResult::with(match outputs {
        Value::Object(outputs) => outputs,
        _ => Map::new(),
    }))
}

async fn send(config: &HttpConfig, task: &Task, request: WebRequest) -> Result<WebAnswer, NodeError> {
    let Some(service) = &config.service else {
        return task.run_context.web.send(request).await.map_err(failure);
    };
    let behalf = OnBehalfOf { tenant: task.tenant, user: task.user, assistant: task.assistant_id };
    let sent = task.run_context.connections.send(behalf, service, request).await;
    let unsent =
        |code, why: OutboundError| NodeError { unsent: true, ..NodeError::new(code, why.to_string()) };
    sent.map_err(|why| match why {
        OutboundError::Web(why) => failure(why),
        OutboundError::NotAllowed(_) => unsent("service_not_allowed", why),
        OutboundError::LoginRequired(_) => unsent("login_required", why),
        OutboundError::Unavailable(_) => unsent("login_unavailable", why),
    })
}

fn request(config: &HttpConfig, task: &Task) -> Result<WebRequest, NodeError> {
    let mut request = WebRequest::new(config.method.as_str(), task.needed_text("url")?);
    request.query = pairs(task, "query")?;
    request.headers = pairs(task, "headers")?.into_iter().collect();
    let has = |request: &WebRequest, name: &str| {
        let secret = config.secret_headers.keys();
        request
            .headers
            .iter()
            .map(|(header, _)| header)
            .chain(secret)
            .any(|header| header.eq_ignore_ascii_case(name))
    };
    match task.inputs.get("body") {
        None | Some(Value::Null) => {}
        Some(value) => {
            let kind = if value.is_string() { "text/plain; charset=utf-8" } else { "application/json" };
            if !has(&request, "content-type") {
                request.headers.push(("content-type".into(), kind.into()));
            }
            request.body = Some(text_of(value).into());
        }
    }
    if !has(&request, "idempotency-key") {
        request.headers.push(("idempotency-key".into(), task.idempotency_key.clone()));
    }
    request.secrets = config.secret_headers.clone().into_iter().collect();
    request.tenant = Some(task.tenant.0);
    request.max_bytes = config.max_bytes.min(MAX_BYTES);
    Ok(request)
}

/// Reads an input of names and values. A list of values repeats its name for each value. A `null` value is omitted.
fn pairs(task: &Task, name: &str) -> Result<Vec<(String, String)>, NodeError> {
    let fields = match task.inputs.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(NodeError::new("type_mismatch", format!("`{name}` has to be an object"))),
    };
    let mut pairs = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        match value {
            Value::Null => {}
            Value::Array(values) => pairs.extend(values.iter().map(|value| (name.clone(), text_of(value)))),
            value => pairs.push((name.clone(), text_of(value))),
        }
    }
    Ok(pairs)
}

fn bad_status(answer: &WebAnswer) -> NodeError {
    let text = String::from_utf8_lossy(&answer.body);
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    let message = match line.as_str() {
        "" => format!("the server answered {}", answer.status),
        line => format!("the server answered {}: {line}", answer.status),
    };
    let (status, retry_after) = (Some(answer.status), answer.retry_after());
    NodeError { status, retry_after, ..NodeError::new("http_status", message) }
}

fn failure(why: WebError) -> NodeError {
    let code = match why.kind {
        WebErrorKind::Invalid => "invalid_input",
        WebErrorKind::Refused => "http_refused_address",
        WebErrorKind::Robots => "http_robots",
        WebErrorKind::Secret => "http_secret",
        WebErrorKind::Connect => "http_connect",
        WebErrorKind::Timeout => "timeout",
        WebErrorKind::TooLarge => "http_too_large",
        WebErrorKind::Redirects => "http_redirects",
        WebErrorKind::Protocol => "http_protocol",
    };
    NodeError { unsent: why.unsent, ..NodeError::new(code, why.message) }
}
