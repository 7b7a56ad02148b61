//! A request for an operation on the objects of a world.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::bodies::body;
use super::world::World;
use crate::harness::{Answer, Client};
use crate::sweep::Called;
use crate::sweep::made_up::{Choices, Maker, body_of, fill_path};

/// The area of a path, which determines the objects that the ids in the path refer to.
pub fn place(path: &str) -> &str {
    if path.starts_with("/api/tenant-admin/service-accounts") {
        return "service-accounts";
    }
    path.split('/').nth(2).unwrap_or_default()
}

/// The full id of an operation.
pub fn id_of(called: &Called) -> &str {
    called.operation["operationId"].as_str().unwrap_or_default()
}

/// The id of an operation without the suffixes of its variants.
pub fn base_of(id: &str) -> &str {
    let mut base = id;
    for twin in [".slash", ".v1", ".assistant", ".get"] {
        base = base.strip_suffix(twin).unwrap_or(base);
    }
    base
}

/// Fills schemas with the ids of a world.
pub struct Chosen<'w> {
    pub world: &'w World,
    pub place: &'w str,
}

impl Choices for Chosen<'_> {
    fn id(&self, name: &str) -> String {
        self.world.value(self.place, name)
    }
}

/// The path with the ids of a world, and the required query parameters.
pub fn path_of(called: &Called, world: &World) -> String {
    let place = place(&called.path);
    let path = fill_path(&called.path, |name| match (place, name) {
        ("knowledge-bases", "document_id") if called.path.contains("/links/") => {
            world.id("knowledge-bases/link").to_owned()
        }
        _ => world.value(place, name),
    });
    if id_of(called) == "conversations.put_upload" {
        let query = world.id("upload_url").split_once('?').map_or("", |(_, query)| query).to_owned();
        return format!("{path}?{query}");
    }
    let parameters = called.operation["parameters"].as_array().cloned().unwrap_or_default();
    let needed = parameters.iter().filter(|it| it["in"] == "query" && it["required"] == true);
    let query: Vec<_> = needed
        .filter_map(|it| it["name"].as_str())
        .map(|name| match name {
            "month" => "month=2026-01".to_owned(),
            "operation" => "operation=assistants.get_assistant".to_owned(),
            _ => format!("{name}=made-up"),
        })
        .collect();
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

/// The request that is sent in the matrix. If only the caller determines the outcome, the body is invalid, so
/// that nothing changes. If an object is named, the operation accepts it.
pub fn request(client: &Client, called: &Called, document: &Value, world: &World) -> RequestBuilder {
    let request = client.request(called.method.clone(), &path_of(called, world));
    if let Some(body) = body(base_of(id_of(called)), world) {
        return request.json(&body);
    }
    let content = &called.operation["requestBody"]["content"];
    if called.path.contains('{') {
        let scene = Chosen { world, place: place(&called.path) };
        return body_of(request, &called.operation, Maker { document, scene: &scene });
    }
    if content["application/json"].is_object() {
        return request.json(&json!({"no such field": {}}));
    }
    if content["multipart/form-data"].is_object() {
        return request.header("content-type", "multipart/form-data; boundary=x").body("--y");
    }
    request
}

/// Sends a request. If a read is permitted, the body of the response is not read.
pub async fn send(called: &Called, request: RequestBuilder) -> Answer {
    if called.method != Method::GET {
        return whole(request).await;
    }
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    match status < 300 {
        true => Answer { status, headers, body: Vec::new() },
        false => Answer::read(response).await,
    }
}

/// Sends a request and reads the response. For a stream that stays open, reads only the first part.
pub async fn whole(request: RequestBuilder) -> Answer {
    let mut response = request.send().await.expect("an answer");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let media_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let live = ["text/event-stream", "application/x-ndjson"].iter().any(|kind| media_type.starts_with(kind));
    let patience = Duration::from_millis(if live { 300 } else { 30_000 });
    let mut body = Vec::new();
    loop {
        match tokio::time::timeout(patience, response.chunk()).await {
            Ok(chunk) => match chunk.expect("a body") {
                Some(bytes) => body.extend_from_slice(&bytes),
                None => break,
            },
            Err(_) => {
                assert!(live, "an answer does not end: {status} {headers:?}");
                break;
            }
        }
    }
    Answer { status, headers, body }
}

/// The outcome of a request in one word.
pub fn outcome(answer: &Answer) -> String {
    let problem: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let code = problem["code"].as_str().or(problem["error"]["code"].as_str()).unwrap_or("?");
    match (answer.status, code) {
        (401, _) => "401".to_owned(),
        (403, "role_missing") => "role".to_owned(),
        (403, "not_allowed") => "level".to_owned(),
        (403, "scope_missing") => "scope".to_owned(),
        (403, "session_required") => "session".to_owned(),
        (403, "impersonation_limited") => "act".to_owned(),
        (403, "not_impersonating") => "self".to_owned(),
        (403, other) => other.to_owned(),
        (404, "route_not_found") => "no-route".to_owned(),
        (404, _) => "404".to_owned(),
        (500.., code) => format!("{}:{code}", answer.status),
        _ => "pass".to_owned(),
    }
}
