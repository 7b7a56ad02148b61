//! Settings that administrators make for the users of their tenant.

mod audit;
mod budgets;
mod features;
mod keys;
mod logo;
mod models;
mod service_accounts;
mod usage;

use serde_json::{Value, json};

use super::streams::reading::{ask, conversation, unlimited};
use super::usage::scene::{DAY, within_one};
use crate::harness::keyed_provider::KeyedProvider;
use crate::harness::{Answer, Client, TestServer};

pub const ADMIN: &str = "/api/tenant-admin";

/// Starts a server with a provider that records its keys, early enough in a day for counts per day.
pub async fn with_provider() -> (TestServer, KeyedProvider) {
    within_one(DAY).await;
    let provider = KeyedProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
        settings.models.default = Some("fake/talk".into());
    });
    (server.await, provider)
}

/// Asks a question without a conversation.
pub async fn chat(client: &Client, model: &str) -> Answer {
    let body = json!({"model": model, "messages": [{"role": "user", "content": "Hello?"}]});
    client.post("/api/chat/completion", body).await
}

/// Asks through the OpenAI interface.
pub async fn partner(client: &Client, model: &str) -> Answer {
    let body = json!({"model": model, "messages": [{"role": "user", "content": "Hello?"}]});
    client.post("/api/chat/partner_compatible/v1/chat/completions", body).await
}

/// Asks in a new conversation, waits for the end and returns the events.
pub async fn converse(client: &Client, model: &str) -> Vec<Value> {
    let home = conversation(client).await;
    ask(client, &home, json!({"message": "Hello?", "model": model})).await.events().await
}

/// Sets the visibility of a model.
pub async fn show(server: &TestServer, model: &str, whom: Value) -> Answer {
    server.admin().put(&format!("{ADMIN}/models/{model}/visibility"), whom).await
}

/// Returns the ids of the models that a user sees.
pub async fn seen(client: &Client) -> Vec<String> {
    let list = client.get("/api/chat/models").await.ok();
    let items = list["items"].as_array().expect("items").clone();
    items.iter().map(|model| crate::harness::text(&model["id"])).collect()
}

#[tokio::test]
async fn tenant_admin_requires_an_administrator_with_the_scope() {
    let server = TestServer::start().await;
    let calls = [
        ("GET", "default-embedding-model", Value::Null),
        ("PUT", "default-embedding-model", json!({"model": null})),
        ("PUT", "default-model", json!({"model": null})),
        ("GET", "models/builtin/scribe/visibility", Value::Null),
        ("PUT", "models/builtin/scribe/visibility", json!({"visibility": "everyone"})),
        ("PUT", "provider-api-keys", json!({"keys": {}})),
        ("GET", "budgets", Value::Null),
        ("PUT", "budgets", json!({})),
        ("GET", "providers", Value::Null),
        ("GET", "features", Value::Null),
        ("GET", "features/chat/visibility", Value::Null),
        ("PUT", "features/chat/visibility", json!({"visibility": "everyone"})),
        ("GET", "service-accounts", Value::Null),
        ("GET", "audit", Value::Null),
    ];
    let (reader, writer) = (server.token(&["admin:read"]).await, server.token(&["admin:write"]).await);
    for (method, path, body) in calls {
        let path = format!("{ADMIN}/{path}");
        let call = async |client: &Client| match method {
            "GET" => client.get(&path).await,
            _ => client.put(&path, body.clone()).await,
        };
        for client in [server.user(), server.editor()] {
            call(&client).await.problem(403, "role_missing");
        }
        call(&server.anonymous()).await.problem(401, "credentials_missing");
        call(&server.token(&["llm:use"]).await).await.problem(403, "scope_missing");
        let (may, may_not) = if method == "GET" { (&reader, &writer) } else { (&writer, &reader) };
        call(may).await.ok();
        call(may_not).await.problem(403, "scope_missing");
    }
}
