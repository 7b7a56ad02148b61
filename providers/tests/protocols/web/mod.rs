//! Tests of the guarded web client, over real sockets.

mod answers;
#[path = "../../../../tests/harness/counting_server.rs"]
mod counting_server;
mod guarded;
mod robots;
mod secrets;

use std::collections::BTreeMap;

use crate::socket;
use providers::web::{WebAnswer, WebClient, WebConfig, WebError, WebErrorKind, WebRequest};

/// Creates a client that may reach these addresses in addition to the public internet.
fn allowing(allow: &[&str]) -> WebClient {
    let allow = allow.iter().map(|entry| (*entry).to_owned()).collect();
    WebClient::new(&WebConfig { allow, ..WebConfig::default() }).expect("a client")
}

/// Creates a client that may reach this machine by its address.
fn client() -> WebClient {
    allowing(&["127.0.0.1"])
}

async fn get(client: &WebClient, url: &str) -> Result<WebAnswer, WebError> {
    client.send(WebRequest::new("GET", url)).await
}

/// Returns the kind of the error of a request.
async fn kind(client: &WebClient, url: &str) -> WebErrorKind {
    get(client, url).await.expect_err(url).kind
}

/// Returns a configuration with one secret.
fn with_secret(host: &str, tenant: &str) -> WebConfig {
    let secret = serde_json::from_value(serde_json::json!({
        "value": "Bearer very-secret-0123", "hosts": [host], "tenants": [tenant],
    }));
    let secrets = BTreeMap::from([("acme".to_owned(), secret.expect("a secret"))]);
    WebConfig { allow: vec!["127.0.0.1".to_owned()], secrets, ..WebConfig::default() }
}
