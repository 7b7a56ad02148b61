//! Configuration exports for coding agents.

use serde_json::{Value, json};

use crate::api::tenant_admin::with_provider;
use crate::harness::{Client, TestServer};

const EXPORT: &str = "/api/chat/partner_compatible/export";

async fn export(client: &Client, agent: &str, query: &str) -> (Value, Value) {
    let answer = client.get(&format!("{EXPORT}/{agent}{query}")).await.ok();
    let content = answer["content"].as_str().expect("a content");
    (answer.clone(), serde_json::from_str(content).unwrap_or_else(|why| panic!("{why}: {content}")))
}

#[tokio::test]
async fn opencode_export_contains_address_and_models() {
    let (server, _provider) = with_provider().await;
    let (answer, told) = export(&server.user(), "coding_agent_a", "").await;
    assert_eq!(
        (&answer["filename"], &answer["media_type"]),
        (&json!("opencode.json"), &json!("application/json"))
    );
    assert_eq!(told["$schema"], "https://opencode.ai/config.json");
    let provider = &told["provider"]["understudy"];
    assert_eq!(provider["npm"], "@ai-sdk/openai-compatible");
    let base = format!("{}/api/chat/partner_compatible/v1", server.url());
    assert_eq!(provider["options"], json!({"baseURL": base, "apiKey": "{env:UNDERSTUDY_API_KEY}"}));
    assert!(answer["env"]["UNDERSTUDY_API_KEY"].is_string());
    assert_eq!(told["model"], "understudy/fake/talk");
    let talk = &provider["models"]["fake/talk"];
    assert_eq!(talk["limit"], json!({"context": 8_000, "output": 2_000}));
    assert_eq!((&talk["cost"]["input"], &talk["cost"]["output"]), (&json!(1.0), &json!(2.0)));
    let other = &provider["models"]["fake/other"];
    assert_eq!((&other["tool_call"], &other["attachment"]), (&json!(true), &json!(true)));
    assert!(provider["models"]["builtin/scribe"].is_object());
    assert!(provider["models"]["fake/embed"].is_null(), "it is not a chat model");
    // The exported address works.
    let listed = server.user().get("/api/chat/partner_compatible/v1/models").await.ok();
    assert_eq!(listed["object"], "list");
}

#[tokio::test]
async fn cline_export_contains_address_and_models() {
    let (server, _provider) = with_provider().await;
    let (answer, told) = export(&server.user(), "coding_agent_b", "?model_ids=talk").await;
    let ours = &told["providerSettings"]["OpenAiCompatible"];
    let base = format!("{}/api/chat/partner_compatible/v1", server.url());
    assert_eq!((&told["version"], &ours["openAiBaseUrl"]), (&json!("v1"), &json!(base)));
    let model = json!({"id": "fake/talk", "contextWindow": 8_000, "inputPrice": 1.0, "outputPrice": 2.0});
    assert_eq!(ours["models"], json!([model]));
    assert!(answer["instructions"].as_str().expect("words").contains(&base));
}

#[tokio::test]
async fn export_can_be_limited_to_some_models() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let chosen = async |query: &str| {
        let (_, told) = export(&user, "coding_agent_a", query).await;
        let models = told["provider"]["understudy"]["models"].as_object().expect("models").clone();
        let model = told["model"].as_str().expect("a model").to_owned();
        (models.keys().cloned().collect::<Vec<_>>(), model)
    };
    let two = chosen("?model_ids=fake/other&model_ids=builtin/scribe").await;
    assert_eq!(two, (vec!["builtin/scribe".into(), "fake/other".into()], "understudy/fake/other".into()));
    let none = user.get(&format!("{EXPORT}/coding_agent_a?only_favorites=true")).await;
    none.expect(422);
    user.patch("/api/users/preferences", json!({"favourite_models": ["scribe"]})).await.ok();
    assert_eq!(chosen("?only_favorites=true").await.0, ["builtin/scribe"]);
    let unknown = user.get(&format!("{EXPORT}/coding_agent_b?model_ids=none/such")).await;
    assert_eq!(unknown.expect(404).json()["error"]["code"], "model_not_found");
}

#[tokio::test]
async fn export_uses_the_configured_public_address() {
    let server = TestServer::start_with(|config| {
        config.server.public_url = Some("https://assistants.example.org/".into());
    });
    let server = server.await;
    let (answer, told) = export(&server.user(), "coding_agent_a", "").await;
    let base = &told["provider"]["understudy"]["options"]["baseURL"];
    assert_eq!(base, "https://assistants.example.org/api/chat/partner_compatible/v1");
    assert!(!answer.to_string().contains("und_"), "the export contains a token");
    server.anonymous().get(&format!("{EXPORT}/coding_agent_a")).await.expect(401);
}
