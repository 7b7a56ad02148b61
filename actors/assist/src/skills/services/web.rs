//! `host.fetch`: requests to the hosts that the assistant is approved for, through the guarded web client.

use std::time::Duration;

use providers::web::{self, WebErrorKind, WebRequest};
use runs::Caller;
use serde_json::{Map, Value, json};

use super::Services;
use crate::connections::OnBehalfOf;

/// Maximum size of a response in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(20);

impl Services<'_> {
    /// Sends a request and returns `{status, headers, body}`. Responses with any status are returned. The body is the
    /// parsed value if it is JSON, a string if it is text, and Base64 otherwise.
    pub(super) async fn fetch(&self, args: &[Value]) -> Result<Value, String> {
        let mut request = request(args)?;
        if let Some(service) = service(args)? {
            return self.fetch_with_login(&service, request).await;
        }
        let host = web::host_of(&request.url).ok_or("fetch({url}) wants the address of a server")?;
        self.require(&format!("web:{host}"))?;
        request.hosts = self.hosts();
        let answer = self.run_context.web.send(request).await.map_err(|why| match why.kind {
            // The rejected host may be the target of a redirect.
            WebErrorKind::Refused => format!("{}; see the skill's services of the kind `web:`", why.message),
            _ => why.message,
        })?;
        let (headers, body) = (answer.headers_json(), answer.body_json());
        Ok(json!({"status": answer.status, "headers": headers, "body": body}))
    }

    /// Sends a request with the login of the user on whose behalf the assistant works, at an external service that the
    /// assistant is approved for.
    async fn fetch_with_login(&self, service: &str, request: WebRequest) -> Result<Value, String> {
        self.require(&format!("service:{service}"))?;
        let Caller { tenant, user, assistant_id: assistant, .. } = self.caller;
        let sent =
            self.run_context.connections.send(OnBehalfOf { tenant, user, assistant }, service, request);
        let answer = sent.await.map_err(|why| why.to_string())?;
        let (headers, body) = (answer.headers_json(), answer.body_json());
        Ok(json!({"status": answer.status, "headers": headers, "body": body}))
    }

    /// The hosts that redirects may lead to; `None` permits all.
    fn hosts(&self) -> Option<Vec<String>> {
        let all = [self.required, &self.approved];
        let is_any = |services: &[String]| services.iter().any(|service| service == "web:*");
        if all.iter().all(|services| is_any(services)) {
            return None;
        }
        let named =
            self.required.iter().chain(&self.approved).filter(|service| self.require(service).is_ok());
        Some(named.filter_map(|service| service.strip_prefix("web:")).map(str::to_owned).collect())
    }
}

/// The external service whose login is used: `fetch(url, {service})` or `fetch({url, service})`.
fn service(args: &[Value]) -> Result<Option<String>, String> {
    let named = args.iter().take(2).find_map(|args| args.get("service")).filter(|named| !named.is_null());
    let text = |named: &Value| named.as_str().map(str::to_owned);
    named.map(|named| text(named).ok_or("fetch: `service` has to be a text".to_owned())).transpose()
}

/// Parses the arguments of a script: a URL, or `{method, url, headers, query, body}`.
fn request(args: &[Value]) -> Result<WebRequest, String> {
    let nothing = Map::new();
    let (url, options) = match args.first() {
        Some(Value::String(url)) => {
            (Some(url.as_str()), args.get(1).and_then(Value::as_object).unwrap_or(&nothing))
        }
        Some(Value::Object(options)) => (options.get("url").and_then(Value::as_str), options),
        _ => (None, &nothing),
    };
    let url = url.ok_or("fetch({method, url, headers, query, body}) wants an object with a url")?;
    let method = match options.get("method") {
        None | Some(Value::Null) => "GET",
        Some(method) => method.as_str().ok_or("fetch: `method` has to be a text")?,
    };
    let mut request = WebRequest::new(method, url);
    request.query = pairs(options, "query")?;
    request.headers = pairs(options, "headers")?;
    (request.max_bytes, request.timeout) = (MAX_BYTES, TIMEOUT);
    let (body, kind) = match options.get("body") {
        None | Some(Value::Null) => return Ok(request),
        Some(Value::String(text)) => (text.clone(), "text/plain; charset=utf-8"),
        Some(value) => (value.to_string(), "application/json"),
    };
    if !request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        request.headers.push(("content-type".into(), kind.into()));
    }
    request.body = Some(body.into());
    Ok(request)
}

/// Converts an object to pairs of names and values. A list yields one pair per value, and `null` yields none.
fn pairs(options: &Map<String, Value>, name: &str) -> Result<Vec<(String, String)>, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = match options.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(format!("fetch: `{name}` has to be an object")),
    };
    let mut all = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        match value {
            Value::Null => {}
            Value::Array(values) => all.extend(values.iter().map(|value| (name.clone(), text(value)))),
            value => all.push((name.clone(), text(value))),
        }
    }
    Ok(all)
}
