//! Rate limits: every operation counts against its caller's limit.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures::StreamExt;
use reqwest::Method;
use serde_json::json;

use crate::harness::{Client, TestServer, text};
use crate::sweep::Called;
use crate::sweep::made_up::fill_path;

/// The number of concurrent requests with a credential that allows one per second, or four per second with an
/// idempotency key if the handler charges for these. Even a slow machine does not spread this many over as many
/// seconds.
const AT_ONCE: usize = 12;

/// Sends many concurrent requests to each operation of the OpenAPI document, each operation with a credential of its
/// own that allows one per second. Some are refused, whatever the operation and its result.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_counts_its_caller() {
    let server = TestServer::start().await;
    let document = server.anonymous().get("/api/openapi.json").await.ok();
    let operations = Called::all(&document);
    assert!(operations.len() > 300, "{}", operations.len());
    let (mut tokens, user) = (Vec::new(), server.user());
    for n in 0..operations.len() {
        // Tokens without scopes: refused requests count, too.
        let made = json!({"name": format!("t{n}"), "scopes": []});
        tokens.push(text(&user.post("/api/auth/api-tokens", made).await.created()["token"]));
    }
    let server = server.restart_with(|config| {
        (config.limits.credential_per_second, config.limits.credential_burst) = (1, 1);
    });
    let server = server.await;
    let checks = operations.iter().zip(tokens).map(async |(operation, token)| {
        let (client, path) = (server.client(&token), fill_path(&operation.path, |_| storage_id()));
        let requests = (0..AT_ONCE).map(async |n| {
            let request =
                client.request(operation.method.clone(), &path).header("idempotency-key", n.to_string());
            Client::send(request.json(&json!({}))).await.status
        });
        let statuses = futures::future::join_all(requests).await;
        (!statuses.contains(&429)).then(|| format!("{} {}: {statuses:?}", operation.method, operation.id))
    });
    let free: Vec<_> =
        futures::stream::iter(checks).buffer_unordered(4).filter_map(async |it| it).collect().await;
    let mut said = String::new();
    free.iter().for_each(|line| writeln!(said, "{line}").expect("a string"));
    assert!(free.is_empty(), "these operations are not rate limited:\n{said}");
}

/// A request with an idempotency key is counted by its handler, before the handler stores the contents of the request.
#[tokio::test]
async fn refused_request_with_an_idempotency_key_stores_no_file() {
    let server = TestServer::start().await.restart_with(|config| {
        (config.limits.credential_per_second, config.limits.credential_burst) = (1, 1);
    });
    let server = server.await;
    let user = server.user();
    let tenant = storage::TenantId(server.user_person().tenant.parse().unwrap());
    let requests = (0..AT_ONCE).map(async |n| {
        let file = format!("attachment {n}").into_bytes();
        let blob = storage::Blobs::id_of(&file);
        let attachment = json!({"filename": "a.txt", "data": BASE64_STANDARD.encode(&file)});
        let body = json!({"messages": [{"role": "user", "content": "Hello"}], "attachments": [attachment]});
        let request = user.request(Method::POST, "/api/chat/completion");
        let sent = Client::send(request.header("idempotency-key", format!("file {n}")).json(&body)).await;
        (sent.status, server.store().blobs().size(tenant, &blob).await.expect("the store reads").is_some())
    });
    let sent = futures::future::join_all(requests).await;
    assert!(sent.contains(&(200, true)) && sent.contains(&(429, false)), "{sent:?}");
    assert!(!sent.contains(&(429, true)), "{sent:?}");
}

/// Requests to unknown paths count, too.
#[tokio::test]
async fn requests_to_unknown_paths_count() {
    let server = TestServer::start().await.restart_with(|config| {
        (config.limits.credential_per_second, config.limits.credential_burst) = (1, 1);
    });
    let server = server.await;
    let user = server.user();
    for request in ["/api/no/such/path", "/api/auth/login/"] {
        let requests = (0..AT_ONCE).map(async |_| user.get(request).await.status);
        let statuses = futures::future::join_all(requests).await;
        assert!(statuses.contains(&429), "{request}: {statuses:?}");
    }
}

fn storage_id() -> String {
    storage::new_id().to_string()
}
