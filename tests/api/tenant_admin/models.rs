//! Rights to use models.

use serde_json::{Value, json};
use storage::records::AuditRecord;
use storage::{Row, Scan, TenantId};

use super::{ADMIN, chat, converse, partner, seen, show, with_provider};
use crate::api::streams::reading::{ask, asking, conversation, terminal};
use crate::api::workflows::scene::{graph, node, runs, workflow};
use crate::harness::{Client, TestServer, hidden, text};

const ANSWERS: &str = "/api/chat/partner_compatible/v1";

/// Asserts that every operation that uses or selects a model responds as if this one did not exist.
async fn is_not_there(client: &Client, model: &str) {
    assert!(!seen(client).await.contains(&model.to_owned()));
    let listed = client.get(&format!("{ANSWERS}/models")).await.ok();
    assert!(!listed["data"].as_array().expect("data").iter().any(|known| known["id"] == model));
    for path in [format!("models/{model}"), format!("models/{}", model.replace('/', "%2F"))] {
        let refused = client.get(&format!("{ANSWERS}/{path}")).await;
        assert_eq!(refused.expect(404).json()["error"]["code"], "model_not_found");
    }
    chat(client, model).await.problem(404, "model_not_found");
    assert_eq!(partner(client, model).await.expect(404).json()["error"]["code"], "model_not_found");
    let home = conversation(client).await;
    let asked = asking(client, &home, json!({"message": "Hello?", "model": model}));
    Client::send(asked).await.problem(404, "model_not_found");
    let improve = json!({"prompt": "Write.", "model": model});
    client.post("/api/utils/improve-prompt", improve).await.problem(404, "model_not_found");
    let preferences = "/api/users/preferences";
    let wrong = client.patch(preferences, json!({"default_model": model})).await;
    assert_eq!(wrong.faults(), ["body.default_model"]);
    let wrong = client.patch(preferences, json!({"favourite_models": [model]})).await;
    assert_eq!(wrong.faults(), ["body.favourite_models.0"]);
    assert_eq!(client.post("/api/conversations", json!({"model": model})).await.faults(), ["body.model"]);
    let default = client.get(&format!("/api/chat/default-model?user_model_id={model}")).await.ok();
    assert_ne!(default["model"]["id"], model);
    let export = format!("/api/chat/partner_compatible/export/coding_agent_a?model_ids={model}");
    assert_eq!(client.get(&export).await.expect(404).json()["error"]["code"], "model_not_found");
}

/// The models of the list with those that are not available, each with the reason.
async fn listed(client: &Client) -> Vec<(String, Value)> {
    let list = client.get("/api/chat/models?include_unavailable=true").await.ok();
    let items = list["items"].as_array().expect("items").iter();
    items.map(|model| (text(&model["id"]), model["unavailable_reason"].clone())).collect()
}

#[tokio::test]
async fn hidden_models_are_listed_for_those_who_know_them() {
    let (server, _provider) = with_provider().await;
    let all_available = listed(&server.user()).await;
    assert!(all_available.iter().all(|(_, reason)| reason.is_null()), "{all_available:?}");
    let favourites = json!({"favourite_models": ["fake/other"]});
    server.editor().patch("/api/users/preferences", favourites).await.ok();
    show(&server, "fake/other", hidden()).await.ok();
    let hidden = ("fake/other".to_owned(), json!("not_visible"));
    for (client, knows) in [(server.user(), false), (server.editor(), true), (server.admin(), true)] {
        let models = listed(&client).await;
        assert_eq!(models.contains(&hidden), knows, "{models:?}");
        assert_eq!(models.last() == Some(&hidden), knows, "after those that are available: {models:?}");
        assert!(!seen(&client).await.contains(&hidden.0), "only on request");
        let others = client.get("/api/chat/models?include_unavailable=true&info_tag=none").await.ok();
        assert_eq!(others["items"], json!([]), "filters apply");
    }
}

#[tokio::test]
async fn models_without_a_key_are_listed_with_the_reason() {
    let keyless = json!({
        "name": "claude", "kind": "anthropic", "base_url": "http://127.0.0.1:9", "models": [{"id": "talk"}],
    });
    let keyless = serde_json::from_value(keyless).expect("a configuration");
    let server = TestServer::start_with(move |settings| settings.providers = vec![keyless]).await;
    assert!(!seen(&server.user()).await.contains(&"claude/talk".to_owned()));
    let models = listed(&server.user()).await;
    assert_eq!(models.last(), Some(&("claude/talk".to_owned(), json!("key_missing"))), "{models:?}");
}

#[tokio::test]
async fn hidden_model_is_unknown_to_every_operation() {
    let (server, _provider) = with_provider().await;
    chat(&server.user(), "fake/other").await.ok();
    let shown = show(&server, "fake/other", hidden()).await.ok();
    assert_eq!((&shown["model_id"], &shown["visibility"]), (&json!("fake/other"), &json!("nobody")));
    for client in [server.user(), server.editor(), server.admin()] {
        is_not_there(&client, "fake/other").await;
    }
    // Other tenants are not affected.
    chat(&server.stranger(), "fake/other").await.ok();
    assert!(seen(&server.stranger()).await.contains(&"fake/other".to_owned()));
    // The setting survives a restart.
    let server = server.restart().await;
    is_not_there(&server.user(), "fake/other").await;
    let path = format!("{ADMIN}/models/fake%2Fother/visibility");
    assert_eq!(server.admin().get(&path).await.ok()["visibility"], "nobody");
    server.admin().put(&path, json!({"visibility": "everyone"})).await.ok();
    chat(&server.user(), "fake/other").await.ok();
    assert_eq!(server.stored().await, server.stored().await);
}

#[tokio::test]
async fn model_can_be_limited_to_selected_principals() {
    let (server, _provider) = with_provider().await;
    let user = server.user_person().id.clone();
    let shown =
        show(&server, "fake/other", json!({"visibility": "selected", "users": [user, user]})).await.ok();
    assert_eq!(shown["users"], json!([user]));
    chat(&server.user(), "fake/other").await.ok();
    is_not_there(&server.editor(), "fake/other").await;
    // A user who cannot use the model cannot create an assistant with it.
    let made = json!({"name": "Ada", "model": "fake/other", "visibility": "tenant"});
    assert_eq!(server.editor().post("/api/assistants", made).await.faults(), ["body.model"]);
    let strange = server.stranger_person().id.clone();
    let wrong = json!({"visibility": "selected", "users": [strange], "groups": [user]});
    assert_eq!(show(&server, "fake/other", wrong).await.faults(), ["body.groups", "body.users"]);
    let wrong = json!({"visibility": "nobody", "users": [user]});
    assert_eq!(show(&server, "fake/other", wrong).await.faults(), ["body.users"]);
    show(&server, "none/such", hidden()).await.problem(404, "model_not_found");
    server.admin().get(&format!("{ADMIN}/models/none/such/visibility")).await.problem(404, "model_not_found");
}

#[tokio::test]
async fn assistant_with_a_hidden_model_answers_with_the_default() {
    let (server, _provider) = with_provider().await;
    let made = json!({"name": "Ada", "model": "fake/other", "visibility": "tenant"});
    let ada = text(&server.editor().post("/api/assistants", made).await.created()["id"]);
    show(&server, "fake/other", hidden()).await.ok();
    let user = server.user();
    let home = text(&user.post("/api/conversations", json!({"assistant_id": ada})).await.created()["id"]);
    let stream = ask(&user, &home, json!({"message": "Hello?"})).await;
    let events = stream.events().await;
    assert_eq!(events[0]["data"]["model"], "fake/talk");
    // An edit that does not touch the model is still allowed.
    let path = format!("/api/assistants/{ada}");
    server.editor().patch(&path, json!({"description": "New", "model": "fake/other"})).await.ok();
}

#[tokio::test]
async fn workflow_node_cannot_use_a_hidden_model() {
    let (server, _provider) = with_provider().await;
    let config = json!({"config": {"model": "fake/other"}});
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("ask", "llm", json!({"prompt": "Hello?"}), config),
        node("done", "end", json!({"text": "{{ ask.text }}"}), json!({})),
    ];
    let editor = server.editor();
    let flow = workflow(&editor, graph(json!({}), nodes, &["start ask", "ask done"])).await;
    let run = async || editor.post(&runs(&flow), json!({"mode": "wait"})).await;
    assert_eq!(run().await.ok()["outputs"]["text"], "hello there");
    show(&server, "fake/other", hidden()).await.ok();
    let failed = run().await;
    assert!(failed.text().contains("there is no model"), "{failed:?}");
}

#[tokio::test]
async fn default_model_cannot_be_hidden() {
    let (server, _provider) = with_provider().await;
    let admin = server.admin();
    let hide = async |model: &str| show(&server, model, hidden()).await;
    hide("fake/talk").await.problem(409, "is_default");
    hide("fake/embed").await.problem(409, "is_default");
    let some = json!({"visibility": "selected", "users": [server.user_person().id]});
    show(&server, "fake/talk", some).await.problem(409, "is_default");
    let path = format!("{ADMIN}/models/fake/talk/visibility");
    assert_eq!(admin.get(&path).await.ok()["is_default"], true);
    // After another default is set, it can be hidden.
    let default = format!("{ADMIN}/default-model");
    let chosen = admin.put(&default, json!({"model": "other"})).await.ok();
    assert_eq!(chosen, json!({"model": "fake/other", "effective": "fake/other"}));
    let own = server.user().get("/api/chat/default-model").await.ok();
    assert_eq!((&own["model"]["id"], &own["source"]), (&json!("fake/other"), &json!("tenant")));
    hide("fake/talk").await.ok();
    hide("fake/other").await.problem(409, "is_default");
    // A hidden model can neither be chosen nor serve as a fallback.
    admin.put(&default, json!({"model": "fake/talk"})).await.problem(409, "is_default");
    admin.put(&default, json!({"model": null})).await.problem(409, "is_default");
    assert_eq!(admin.put(&default, json!({"model": "none/such"})).await.faults(), ["body.model"]);
    show(&server, "fake/talk", json!({"visibility": "everyone"})).await.ok();
    let cleared = admin.put(&default, json!({"model": null})).await.ok();
    assert_eq!(cleared, json!({"model": null, "effective": "fake/talk"}));
    assert_eq!(server.stranger().get("/api/chat/default-model").await.ok()["source"], "installation");
}

#[tokio::test]
async fn new_knowledge_bases_use_the_embedding_model_of_the_tenant() {
    let (server, _provider) = with_provider().await;
    let (admin, editor) = (server.admin(), server.editor());
    let path = format!("{ADMIN}/default-embedding-model");
    assert_eq!(admin.get(&path).await.ok(), json!({"model": null, "effective": "fake/embed"}));
    let base = async |more: Value| {
        let mut body = json!({"name": "Base"});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        editor.post("/api/knowledge-bases", body).await
    };
    assert_eq!(base(json!({})).await.created()["embedding_model"], "fake/embed");
    admin.put(&path, json!({"model": "builtin/hash"})).await.ok();
    assert_eq!(admin.get(&path).await.ok()["effective"], "builtin/hash");
    let made = base(json!({})).await.created();
    assert_eq!(made["embedding_model"], "builtin/hash");
    show(&server, "fake/embed", hidden()).await.ok();
    assert_eq!(base(json!({"embedding_model": "fake/embed"})).await.faults(), ["body.embedding_model"]);
    let body = json!({"model": "fake/embed", "input": "words"});
    let refused = server.user().post(&format!("{ANSWERS}/embeddings"), body).await;
    assert_eq!(refused.expect(404).json()["error"]["code"], "model_not_found");
    admin.put(&path, json!({"model": "fake/embed"})).await.problem(409, "is_default");
    assert_eq!(admin.put(&path, json!({"model": "fake/talk"})).await.faults(), ["body.model"]);
}

#[tokio::test]
async fn running_answer_completes_after_its_model_is_hidden() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let home = conversation(&user).await;
    let parameters = json!({"length": 100, "pace_ms": 20});
    let asked = json!({"message": "Tell me.", "model": "builtin/scribe", "parameters": parameters});
    let mut stream = ask(&user, &home, asked).await;
    // An answer that waits in the queue has not started.
    stream.until("text.delta").await;
    show(&server, "builtin/scribe", hidden()).await.ok();
    let events = stream.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    chat(&user, "builtin/scribe").await.problem(404, "model_not_found");
}

#[tokio::test]
async fn model_settings_are_audited() {
    let (server, _provider) = with_provider().await;
    show(&server, "fake/other", hidden()).await.ok();
    server.admin().put(&format!("{ADMIN}/default-model"), json!({"model": "fake/talk"})).await.ok();
    let actions = audited(&server).into_iter().map(|row| (row.action.clone(), row.target.clone()));
    let actions: Vec<_> = actions.collect();
    assert!(actions.contains(&("model.visibility".into(), "model fake/other".into())), "{actions:?}");
    assert!(actions.iter().any(|(action, _)| action == "tenant.default_model"), "{actions:?}");
    assert_eq!(converse(&server.user(), "fake/talk").await.last().expect("an end")["type"], "run.ended");
}

/// Returns the audit records of the tenant's administrators.
pub fn audited(server: &TestServer) -> Vec<Row<AuditRecord>> {
    let tenant = TenantId(server.admin_person().tenant.parse().expect("an id"));
    server
        .store()
        .read_now(|reader| reader.scan::<AuditRecord>(tenant, Scan::table()))
        .expect("records")
        .items
}
