//! An unusable configured provider leads to an error that names it, not to an answer of the built-in model.

use providers::{ProviderConfig, ScribeUse, Secret};
use serde_json::{Value, json};

use super::V1;
use crate::api::streams::reading::{ask, conversation, terminal, unlimited};
use crate::harness::keyed_provider::KeyedProvider;
use crate::harness::{Client, TestServer, until};

/// Starts a server with one provider, which is asked for its list of models.
async fn with_one(provider: ProviderConfig) -> TestServer {
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.models.scribe = ScribeUse::Auto;
        settings.providers.push(provider);
    });
    server.await
}

/// Returns the error of a completion that names no model.
async fn error_of(user: &Client) -> Value {
    let home = conversation(user).await;
    let events = ask(user, &home, json!({"message": "Why?"})).await.events().await;
    terminal(&events)["error"].clone()
}

async fn model_ids(user: &Client) -> Vec<String> {
    let listed = user.get(&format!("{V1}/models")).await.ok();
    let ids = listed["data"].as_array().expect("models").iter();
    ids.filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn completion_names_a_provider_that_refuses_its_key() {
    let peer = KeyedProvider::start().await;
    let key = Some(Secret::from("sk-bad-key-0123456789".to_owned()));
    let down = ProviderConfig { api_key: key, models: Vec::new(), ..peer.config() };
    let server = with_one(down).await;
    let user = server.user();
    until("the provider has refused", async || error_of(&user).await["code"] == "upstream_auth").await;
    let message = error_of(&user).await["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("provider fake"), "{message}");
    assert!(!message.contains("sk-bad"), "{message}");
    let asked = json!({"messages": [{"role": "user", "content": "Why?"}]});
    let whole = user.post("/api/chat/completion", asked).await;
    assert!(whole.status >= 400, "{}", whole.text());
    assert!(!model_ids(&user).await.iter().any(|id| id == "builtin/scribe"));
    user.post(
        "/api/chat/completion",
        json!({"model": "builtin/scribe", "messages": [
        {"role": "user", "content": "Why?"}]}),
    )
    .await
    .problem(404, "model_not_found");
    // The built-in model has to be enabled explicitly beside a provider.
    let server = server.restart_with(|settings| settings.models.scribe = ScribeUse::On).await;
    let user = server.user();
    assert!(error_of(&user).await.is_null());
    assert!(model_ids(&user).await.contains(&"builtin/scribe".to_owned()));
}

#[tokio::test]
async fn completion_names_a_provider_that_is_unreachable() {
    let peer = KeyedProvider::start().await;
    let gone = ProviderConfig { models: Vec::new(), ..peer.config() };
    drop(peer);
    let server = with_one(gone).await;
    let user = server.user();
    until("the provider was tried", async || error_of(&user).await["code"] == "upstream_unreachable").await;
    let message = error_of(&user).await["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("provider fake"), "{message}");
}

#[tokio::test]
async fn built_in_model_is_available_without_providers_and_can_be_disabled() {
    let server = TestServer::start_with(|settings| settings.models.scribe = ScribeUse::Auto).await;
    assert!(error_of(&server.user()).await.is_null());
    let server = server.restart_with(|settings| settings.models.scribe = ScribeUse::Off).await;
    let error = error_of(&server.user()).await;
    assert_eq!(error["code"], "upstream_unavailable");
    assert!(!model_ids(&server.user()).await.iter().any(|id| id == "builtin/scribe"));
}
