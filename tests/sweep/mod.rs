//! The surface sweep: every operation of the OpenAPI document, called by callers without permission, and
//! with invalid input. New operations are covered automatically.

pub mod made_up;
mod scene;

use crate::harness::{Answer, Client, TestServer};
use crate::openapi::operations;
use made_up::{Maker, body_of, fill_path};
use reqwest::Method;
use scene::Scene;
use serde_json::{Value, json};

/// Operations that require no credentials. This list may only shrink.
const OPEN: [&str; 16] = [
    "auth.login",
    "auth.refresh",
    "auth.get_invitation",
    "auth.accept_invitation",
    "auth.register",
    "auth.confirm_registration",
    // Callers who have forgotten their password have no credentials.
    "auth.forgot_password",
    "auth.reset_password",
    "conversations.put_upload",
    // Browsers are redirected to these operations, and authorization servers read the last one.
    "external.login",
    "external.unified_oauth_callback",
    "external.auth_callback",
    "mcp.callback",
    "mcp.client_metadata",
    // Sign-in pages read these.
    "bootstrap.get_bootstrap",
    "bootstrap.get_logo",
];
/// Operations that accept any API token, including one without scopes. This list may only shrink.
const BARE: [&str; 2] = ["auth.check_auth", "auth.decode_access_token"];

/// An operation to be called.
pub struct Called {
    pub id: String,
    pub path: String,
    pub method: Method,
    pub operation: Value,
}

impl Called {
    /// Every operation of the document.
    pub fn all(document: &Value) -> Vec<Self> {
        let of = |(path, method, operation): (String, String, Value)| Self {
            id: operation["operationId"].as_str().unwrap_or_default().trim_end_matches(".slash").to_owned(),
            method: method.to_uppercase().parse().expect("a method"),
            path,
            operation,
        };
        operations(document).into_iter().map(of).collect()
    }

    /// Whether the operation requires no credentials.
    pub fn is_open(&self) -> bool {
        self.operation["security"].as_array().is_none_or(Vec::is_empty)
    }

    /// A client with the role that the operation requires: an administrator, or otherwise the editor, who
    /// owns everything here.
    fn caller(&self, server: &TestServer) -> Client {
        if self.operation["x-role"] == "tenant_admin" { server.admin() } else { server.editor() }
    }

    fn takes(&self, media_type: &str) -> bool {
        !self.operation["requestBody"]["content"][media_type].is_null()
    }

    /// Calls the operation with valid parameters and a body that its schema permits.
    async fn call(&self, client: &Client, document: &Value, scene: &Scene) -> Answer {
        let path = fill_path(&self.path, |name| scene.of(&self.path, name));
        let request = client.request(self.method.clone(), &path);
        Client::send(body_of(request, &self.operation, Maker { document, scene })).await
    }
}

/// A server without rate limits, so that a single caller can call it at full speed.
async fn server() -> TestServer {
    TestServer::start_with(crate::api::streams::reading::unlimited).await
}

async fn document(server: &TestServer) -> Value {
    server.anonymous().get("/api/openapi.json").await.ok()
}

#[tokio::test]
async fn requests_without_credentials_are_refused() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::empty());
    let mut open = Vec::new();
    for called in Called::all(&document) {
        if called.is_open() {
            open.push(called.id);
            continue;
        }
        let answer = called.call(&server.anonymous(), &document, &scene).await;
        assert_eq!(answer.status, 401, "{}: {answer:?}", called.id);
    }
    open.dedup();
    assert!(open.iter().all(|id| OPEN.contains(&id.as_str())), "{open:?} is open");
}

#[tokio::test]
async fn token_without_scopes_is_refused() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::empty());
    let token = server.token(&[]).await;
    for called in Called::all(&document) {
        if called.is_open() || BARE.contains(&called.id.as_str()) {
            continue;
        }
        let answer = called.call(&token, &document, &scene).await;
        assert_eq!(answer.status, 403, "{}: {answer:?}", called.id);
    }
}

#[tokio::test]
async fn another_tenant_cannot_access_anything() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::set(&server).await);
    let mut reached = Vec::new();
    for called in Called::all(&document) {
        if !called.path.contains('{') || called.is_open() {
            continue;
        }
        let answer = called.call(&server.stranger(), &document, &scene).await;
        if !matches!(answer.status, 403 | 404) {
            reached.push(format!("{} {}: {answer:?}", called.method, called.id));
        }
    }
    assert!(reached.is_empty(), "answered to a stranger:\n{}", reached.join("\n"));
    scene.still_stands(&server).await;
}

#[tokio::test]
async fn tenant_administrator_cannot_access_conversations() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::set(&server).await);
    for called in Called::all(&document) {
        if !called.path.contains("{conversation_id}") || called.is_open() {
            continue;
        }
        // The administrator of the same tenant: tenant administrators cannot read other users'
        // conversations.
        let answer = called.call(&server.admin(), &document, &scene).await;
        assert!(matches!(answer.status, 403 | 404), "{}: {answer:?}", called.id);
    }
    scene.still_stands(&server).await;
}

#[tokio::test]
async fn invalid_path_parameters_are_reported_and_change_nothing() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::set(&server).await);
    let maker = Maker { document: &document, scene: &scene };
    let before = server.stored().await;
    for called in Called::all(&document) {
        let parameters = called.operation["parameters"].as_array().cloned().unwrap_or_default();
        let ids = parameters.iter().filter(|p| p["in"] == "path" && p["schema"]["format"] == "uuid");
        for name in ids.filter_map(|p| p["name"].as_str()) {
            for rubbish in ["none", "%00", "..%2f..%2fetc", "00000000-0000-7000-8000-00000000000g"] {
                let path = fill_path(&called.path, |other| match other == name {
                    true => rubbish.to_owned(),
                    false => scene.of(&called.path, other),
                });
                let request = called.caller(&server).request(called.method.clone(), &path);
                let answer = Client::send(body_of(request, &called.operation, maker)).await;
                let refused = matches!(answer.status, 400 | 404 | 422);
                assert!(refused, "{}: {name} = {rubbish}: {answer:?}", called.id);
            }
        }
    }
    assert_eq!(server.stored().await, before, "something was stored");
}

#[tokio::test]
async fn invalid_bodies_are_reported_and_change_nothing() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::set(&server).await);
    let before = server.stored().await;
    let bodies: [(&str, &str, &[u16]); 6] = [
        ("application/json", "{\"a\":", &[400]),
        ("application/json", "[[], 5]", &[400, 422]),
        ("application/json", "{\"no such field\": {}}", &[400, 422]),
        ("application/json", "\"\\ud800\"", &[400, 422]),
        ("text/plain", "rubbish", &[415]),
        ("multipart/form-data; boundary=x", "--y", &[400, 415, 422]),
    ];
    for called in Called::all(&document) {
        if !called.takes("application/json") && !called.takes("multipart/form-data") {
            continue;
        }
        for (content_type, body, statuses) in &bodies {
            let path = fill_path(&called.path, |name| scene.of(&called.path, name));
            let request = called.caller(&server).request(called.method.clone(), &path);
            let answer = Client::send(request.header("content-type", *content_type).body(*body)).await;
            let json_only = content_type.starts_with("application/json") && !called.takes("application/json");
            let refused = statuses.contains(&answer.status) || (json_only && answer.status == 415);
            assert!(refused, "{}: {content_type} {body}: {answer:?}", called.id);
        }
    }
    assert_eq!(server.stored().await, before, "something was stored");
}

#[tokio::test]
async fn invalid_query_parameters_are_reported() {
    let server = server().await;
    let (document, scene) = (document(&server).await, Scene::set(&server).await);
    let maker = Maker { document: &document, scene: &scene };
    for called in Called::all(&document) {
        let parameters = called.operation["parameters"].as_array().cloned().unwrap_or_default();
        for parameter in parameters.iter().filter(|p| p["in"] == "query") {
            let kinds = parameter["schema"].to_string();
            if !kinds.contains("integer") && !kinds.contains("boolean") && !kinds.contains("date-time") {
                continue;
            }
            let name = parameter["name"].as_str().unwrap_or_default();
            let path = fill_path(&called.path, |name| scene.of(&called.path, name));
            let caller = called.caller(&server);
            let request = caller.request(called.method.clone(), &format!("{path}?{name}=rubbish"));
            let answer = Client::send(body_of(request, &called.operation, maker)).await;
            assert_eq!(answer.status, 422, "{}: {name}: {answer:?}", called.id);
            // The OpenAI-compatible paths report only the first fault.
            let told = answer.json();
            let told = [&told["errors"], &told["error"]["param"]].map(ToString::to_string);
            assert!(told.iter().any(|told| told.contains(name)), "{}: {answer:?}", called.id);
        }
    }
}

#[test]
fn sweep_detects_when_a_body_is_required() {
    let document = json!({"components": {"schemas": {"A": {"type": "object", "required": ["b"],
        "properties": {"b": {"type": "array", "items": {"$ref": "#/components/schemas/B"}}, "c": {"type": "string"}}},
        "B": {"oneOf": [{"type": "null"}, {"type": "string", "enum": ["x", "y"]}]}}}});
    let scene = Scene::empty();
    let maker = Maker { document: &document, scene: &scene };
    assert_eq!(maker.value(&json!({"$ref": "#/components/schemas/A"}), ""), json!({"b": ["x"]}));
}
