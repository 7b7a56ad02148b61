//! An OTLP/HTTP receiver that decodes what it receives on its socket.

use crate::harness::counting_server::{CountingServer, ReceivedRequest, Reply};
use crate::harness::text;
use serde_json::Value;
use std::collections::HashMap;

/// A receiver. It stops when this is dropped.
pub struct Receiver(CountingServer);

/// A span as it was received.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    pub kind: u64,
    pub began: u128,
    pub ended: u128,
    /// Trace and span of each link.
    pub links: Vec<(String, String)>,
    pub status: Option<u64>,
    attributes: Vec<Value>,
}

impl Span {
    fn read(json: &Value) -> Self {
        let hex = |name: &str, len: usize| {
            let id = text(&json[name]);
            assert!(id.len() == len && id.bytes().all(|b| b.is_ascii_hexdigit()), "{name}: {id:?}");
            id
        };
        let time = |name: &str| text(&json[name]).parse().expect("nanoseconds");
        let list = |name: &str| json[name].as_array().cloned().unwrap_or_default();
        let links = list("links");
        Self {
            name: text(&json["name"]),
            trace: hex("traceId", 32),
            id: hex("spanId", 16),
            parent: json["parentSpanId"].as_str().map(str::to_owned),
            kind: json["kind"].as_u64().expect("a kind"),
            began: time("startTimeUnixNano"),
            ended: time("endTimeUnixNano"),
            links: links.iter().map(|link| (text(&link["traceId"]), text(&link["spanId"]))).collect(),
            status: json["status"]["code"].as_u64(),
            attributes: list("attributes"),
        }
    }

    /// The value of an attribute, with its type; null if there is none.
    pub fn attribute(&self, name: &str) -> Value {
        let found = self.attributes.iter().find(|attribute| attribute["key"] == name);
        found.map(|attribute| attribute["value"].clone()).unwrap_or_default()
    }

    /// The text of an attribute.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        let value = self.attribute(name);
        let text = value["stringValue"].as_str();
        text.unwrap_or_else(|| panic!("{name} is {value} in {self:?}")).to_owned()
    }
}

impl Receiver {
    pub async fn start() -> Self {
        let server = CountingServer::start().await;
        for path in ["/v1/traces", "/v1/metrics"] {
            server.always(path, Reply::json(serde_json::json!({"partialSuccess": {}})));
        }
        Self(server)
    }

    pub fn endpoint(&self) -> String {
        self.0.url("")
    }

    /// Stops responding.
    pub fn hang(&self) {
        self.0.always("/v1/traces", Reply::hang());
    }

    /// Responds to the next requests for traces with these statuses.
    pub fn refuse_first<const N: usize>(&self, statuses: [u16; N]) {
        self.0.script("/v1/traces", statuses.map(Reply::status));
    }

    /// The spans so far, each once: spans that were refused at first are sent again.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans: HashMap<String, Span> = HashMap::new();
        for seen in self.0.seen_at("/v1/traces") {
            assert_eq!(seen.headers.get("content-type").map(String::as_str), Some("application/json"));
            let body = seen.json();
            for resource in body["resourceSpans"].as_array().expect("resources") {
                for scope in resource["scopeSpans"].as_array().expect("scopes") {
                    assert_eq!(scope["scope"]["name"], "understudy");
                    let read = scope["spans"].as_array().expect("spans").iter().map(Span::read);
                    spans.extend(read.map(|span| (span.id.clone(), span)));
                }
            }
        }
        let mut spans: Vec<Span> = spans.into_values().collect();
        spans.sort_by_key(|span| span.began);
        spans
    }

    /// The spans with this name, oldest first.
    pub fn named(&self, name: &str) -> Vec<Span> {
        self.spans().into_iter().filter(|span| span.name == name).collect()
    }

    /// The only span with this name.
    #[track_caller]
    pub fn one(&self, name: &str) -> Span {
        let found = self.named(name);
        assert_eq!(found.len(), 1, "{name} in {:#?}", self.spans());
        found[0].clone()
    }

    /// The metrics of the last export.
    pub fn metrics(&self) -> Vec<Value> {
        let last = self.0.seen_at("/v1/metrics").last().map(ReceivedRequest::json).unwrap_or_default();
        last["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().cloned().unwrap_or_default()
    }

    /// The attributes of the exporting resource.
    #[track_caller]
    pub fn resource(&self) -> HashMap<String, String> {
        let seen = self.0.seen();
        let body = seen.first().expect("a request").json();
        let resource = ["resourceSpans", "resourceMetrics"].map(|name| body[name][0]["resource"].clone());
        let attributes = resource.iter().find_map(|one| one["attributes"].as_array()).expect("attributes");
        let pair = |pair: &Value| (text(&pair["key"]), text(&pair["value"]["stringValue"]));
        attributes.iter().map(pair).collect()
    }

    /// The headers of all requests.
    pub fn headers(&self) -> Vec<HashMap<String, String>> {
        self.0.seen().into_iter().map(|seen| seen.headers).collect()
    }

    pub fn raw(&self) -> String {
        self.0.seen().iter().map(|seen| String::from_utf8_lossy(&seen.body).into_owned()).collect()
    }
}
