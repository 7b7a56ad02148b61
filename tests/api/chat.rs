//! Models, and the selection of the default model.

mod exports;
mod functions;

use serde_json::json;

use crate::harness::TestServer;
use crate::harness::fake_provider::FakeProvider;

#[tokio::test]
async fn models_are_listed() {
    let server = TestServer::start().await;
    let user = server.user();
    for path in ["/api/chat/models", "/api/chat/models/"] {
        let list = user.get(path).await.ok();
        let scribe = &list["items"][0];
        assert_eq!((&scribe["id"], &scribe["provider"]), (&json!("builtin/scribe"), &json!("builtin")));
        assert_eq!((&scribe["is_default"], &scribe["is_favourite"]), (&json!(true), &json!(false)));
        assert_eq!(scribe["prices"]["input_nanos_per_token"], 0);
        assert_eq!(scribe["prices"]["input_per_million"], "0.000");
    }
    let count = async |query: &str| {
        let list = user.get(&format!("/api/chat/models{query}")).await.ok();
        list["items"].as_array().expect("items").len()
    };
    assert_eq!(count("?capability_tag=chat").await, 1);
    assert_eq!(count("?capability_tag=juggling").await, 0);
    assert_eq!(count("?info_tag=nonsense").await, 0);
    server.anonymous().get("/api/chat/models").await.problem(401, "credentials_missing");
}

#[tokio::test]
async fn default_model_is_the_first_candidate_that_exists() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        settings.providers = vec![config];
        settings.models.default = Some("fake/echo".into());
    });
    let server = server.await;
    let user = server.user();
    let ask = async |query: &str| user.get(&format!("/api/chat/default-model{query}")).await.ok();
    let own = ask("").await;
    assert_eq!((&own["model"]["id"], &own["source"]), (&json!("fake/echo"), &json!("installation")));
    assert_eq!(own["model"]["is_default"], true);
    let chosen = ask("?user_model_id=builtin/scribe").await;
    assert_eq!((&chosen["model"]["id"], &chosen["source"]), (&json!("builtin/scribe"), &json!("request")));
    assert_eq!(ask("?user_model_id=none/such").await["source"], "installation");
    let listed = user.get("/api/chat/models").await.ok();
    let default = listed["items"].as_array().expect("items").iter().find(|model| model["is_default"] == true);
    assert_eq!(default.expect("one")["id"], "fake/echo");
}
