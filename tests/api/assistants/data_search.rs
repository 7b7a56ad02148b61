//! Searching data items, and the limit on their number.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::{DataCount, UsageRecord};

use super::basics::create;
use super::data::add;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer};

async fn search(client: &Client, assistant: &str, body: Value) -> Value {
    client.post(&format!("/api/assistants/{assistant}/search"), body).await.ok()
}

fn names(found: &Value) -> Vec<&str> {
    found["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["data"]["name"].as_str().expect("a name"))
        .collect()
}

/// Creates an assistant with data items about boats.
async fn boats(editor: &Client) -> String {
    let (id, _) = create(editor, json!({"name": "Harbour"})).await;
    for (name, about, metres) in [
        ("Ada", "a red fishing boat with a diesel engine", 12),
        ("Bea", "a small sailing yacht, white, fast in light wind", 7),
        ("Cleo", "a ferry that carries cars across the strait", 80),
        ("Dora", "a red racing yacht", 9),
    ] {
        add(editor, &id, json!({"name": name, "about": about, "size": {"metres": metres}})).await;
    }
    id
}

#[tokio::test]
async fn data_search_finds_items_by_words_and_by_meaning() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = boats(&editor).await;
    let found = search(&editor, &id, json!({"query": "red yacht", "mode": "text"})).await;
    assert_eq!(names(&found), ["Dora", "Ada", "Bea"], "{found}");
    assert_eq!((&found["mode"], &found["without_vector"]), (&json!("text"), &json!(0)));
    let scores: Vec<f64> = found["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["score"].as_f64().expect("a score"))
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let near = search(&editor, &id, json!({"query": "a red racing yacht", "mode": "vector"})).await;
    assert_eq!(names(&near).len(), 4, "all have a vector");
    assert_eq!(names(&near)[0], "Dora", "{near}");
    let both = search(&editor, &id, json!({"query": "ferry cars strait", "limit": 2})).await;
    assert_eq!((names(&both)[0], names(&both).len(), &both["mode"]), ("Cleo", 2, &json!("hybrid")));
    let filter = json!([{"field": "size.metres", "op": "gt", "value": 10}]);
    let large = search(&editor, &id, json!({"query": "red yacht", "mode": "text", "filter": filter})).await;
    assert_eq!(names(&large), ["Ada"]);
    let none = search(&editor, &id, json!({"query": "submarine", "mode": "text"})).await;
    assert_eq!(none["items"], json!([]));

    let path = format!("/api/assistants/{id}/search");
    for (wrong, want) in [
        (json!({}), vec!["body.query"]),
        (json!({"query": " ", "limit": 0}), vec!["body.limit", "body.query"]),
        (json!({"query": "x", "mode": "magic", "limit": 101}), vec!["body.limit", "body.mode"]),
        (json!({"query": "x", "filter": [{"field": "a"}]}), vec!["body.filter.0.value"]),
    ] {
        assert_eq!(editor.post(&path, wrong.clone()).await.faults(), want, "{wrong}");
    }
}

#[tokio::test]
async fn data_search_finds_changed_items_by_their_new_content() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = boats(&editor).await;
    let data = format!("/api/assistants/{id}/data");
    let change =
        json!({"filter": [{"field": "name", "value": "Ada"}], "set": {"about": "sunk, a submarine now"}});
    editor.put(&data, change).await.ok();
    for mode in ["text", "vector", "hybrid"] {
        let found = search(&editor, &id, json!({"query": "a submarine sunk", "mode": mode})).await;
        assert_eq!((names(&found)[0], &found["without_vector"]), ("Ada", &json!(0)), "{mode}");
    }
    let server = server.restart().await;
    let editor = server.editor();
    let found = search(&editor, &id, json!({"query": "a submarine sunk", "mode": "vector"})).await;
    assert_eq!(names(&found)[0], "Ada");
    let gone = json!({"filter": [{"field": "name", "value": "Ada"}]});
    Client::send(editor.request(reqwest::Method::DELETE, &data).json(&gone)).await.created();
    let found = search(&editor, &id, json!({"query": "a submarine sunk"})).await;
    assert!(!names(&found).contains(&"Ada"), "{found}");
}

#[tokio::test]
async fn data_items_are_stored_when_the_embedding_provider_fails() {
    let fake = FakeProvider::start().await;
    let server = TestServer::start_with(|config| {
        // A port that refuses connections.
        config.providers = vec![providers::ProviderConfig {
            base_url: "http://127.0.0.1:9/v1".to_owned(),
            models: vec![providers::ModelConfig::id("far-embed")],
            ..fake.config()
        }];
        config.models.default_embedding = Some("fake/far-embed".to_owned());
    })
    .await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let made = editor
        .post(&format!("/api/assistants/{id}/data"), json!({"data": {"name": "red boat"}}))
        .await
        .created();
    assert_eq!(made["embedding_model"], Value::Null);
    let both = search(&editor, &id, json!({"query": "boat"})).await;
    assert_eq!(names(&both), ["red boat"]);
    assert!(both["degraded"].is_string(), "{both}");
    let path = format!("/api/assistants/{id}/search");
    editor.post(&path, json!({"query": "boat", "mode": "vector"})).await.problem(502, "upstream_failed");

    // Once a model answers, the search counts the item that has no vector, and any change of the item computes one.
    let builtin = |config: &mut understudy::Config| {
        config.providers.clear();
        config.models.default_embedding = None;
    };
    let server = server.restart_with(builtin).await;
    let editor = server.editor();
    let near = search(&editor, &id, json!({"query": "boat", "mode": "vector"})).await;
    assert_eq!((&near["items"], &near["without_vector"]), (&json!([]), &json!(1)));
    editor.put(&format!("/api/assistants/{id}/data"), json!({"filter": [], "set": {}})).await.ok();
    let near = search(&editor, &id, json!({"query": "boat", "mode": "vector"})).await;
    assert_eq!((names(&near), &near["without_vector"]), (vec!["red boat"], &json!(0)));
}

#[tokio::test]
async fn adding_data_items_beyond_the_limit_is_refused() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, _) = create(&editor, json!({"name": "Ada"})).await;
    let first = add(&editor, &id, json!({"n": 0})).await;
    // Raises the stored counter so that only two more items fit.
    let (tenant, assistant) =
        (TenantId(server.editor_person().tenant.parse().expect("an id")), id.parse().expect("an id"));
    let fill = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<DataCount>(tenant, &assistant)?;
        assert_eq!(row.items, 1);
        row.items = 9_998;
        tx.update(tenant, row).map(drop)
    };
    server.store().run(fill).await.map_err(|why: storage::Error| why).expect("it is stored");
    let path = format!("/api/assistants/{id}/data");
    let attempts = (0..6).map(|n| editor.post(&path, json!({"data": {"n": n}})));
    let answers = futures::future::join_all(attempts).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2, "{answers:?}");
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.problem(409, "limit_reached");
    }
    editor.delete(&format!("{path}/{first}")).await.created();
    add(&editor, &id, json!({"n": 1})).await;
    editor.post(&path, json!({"data": {}})).await.problem(409, "limit_reached");
}

#[tokio::test]
async fn embedding_of_data_items_is_recorded_as_usage() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = boats(&editor).await;
    search(&editor, &id, json!({"query": "boat"})).await;
    search(&editor, &id, json!({"query": "boat", "mode": "text"})).await;
    let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
    let rows = server.store().read(move |reader| reader.scan::<UsageRecord>(tenant, storage::Scan::table()));
    let rows = rows.await.map_err(|why: storage::Error| why).expect("it reads").items;
    let rows: Vec<_> = rows.iter().filter(|row| row.kind == "embedding").collect();
    assert_eq!(rows.len(), 5, "four items and one question");
    for row in rows {
        assert_eq!((&*row.model, row.user.to_string()), ("builtin/hash", server.editor_person().id.clone()));
        assert_eq!(row.assistant_id.map(|id| id.to_string()), Some(id.clone()));
        assert!(row.usage.input_tokens > 0 && row.billable);
    }
}
