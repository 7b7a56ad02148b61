//! Creating, reading and replacing conversations, and user data.

use serde_json::{Value, json};

use crate::api::streams::reading::{ask_words, conversation, server};
use crate::harness::{Client, TestServer};

#[tokio::test]
async fn conversation_is_created_and_read() {
    let server = TestServer::start().await;
    let user = server.user();
    let plain = user.post("/api/conversations", json!({})).await.created();
    assert_eq!(plain["title"], Value::Null);
    assert_eq!(plain["title_source"], "none");
    assert_eq!(plain["owner"], server.user_person().id);
    assert_eq!(plain["version"], 1);
    assert_eq!(plain["messages"], json!([]));
    let twin =
        json!({"title": "  Tides ", "model": "builtin/scribe", "is_system": true, "user_data": {"a": 1}});
    let made = user.post("/api/conversations/", twin).await.created();
    assert_eq!((&made["title"], &made["title_source"]), (&json!("Tides"), &json!("given")));
    assert_eq!((&made["is_system"], &made["user_data"]["a"]), (&json!(true), &json!(1)));
    let path = format!("/api/conversations/{}", made["id"].as_str().expect("an id"));
    let answer = user.get(&path).await;
    assert_eq!(answer.ok(), made);
    assert_eq!(answer.header("etag"), Some("\"1\""));
    assert!(answer.header("x-feed-id").is_some());
}

#[tokio::test]
async fn conversation_references_must_exist() {
    let server = TestServer::start().await;
    let user = server.user();
    let id = "01980000-0000-7000-8000-000000000001";
    let create = async |body: Value| user.post("/api/conversations", body).await.faults();
    assert_eq!(create(json!({"assistant_id": id})).await, ["body.assistant_id"]);
    assert_eq!(create(json!({"project_id": id})).await, ["body.project_id"]);
    assert_eq!(create(json!({"model": "none/such"})).await, ["body.model"]);
    let faulty = json!({"title": "", "model": 7, "assistant_id": "x", "colour": "red"});
    assert_eq!(create(faulty).await, ["body.assistant_id", "body.colour", "body.model", "body.title"]);
    assert_eq!(create(json!({"title": "x".repeat(201)})).await, ["body.title"]);
    let private = json!({"name": "Mine"});
    let private = server.editor().post("/api/assistants", private).await.created();
    assert_eq!(create(json!({"assistant_id": private["id"]})).await, ["body.assistant_id"]);
    assert_eq!(user.get("/api/conversations").await.ok()["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn conversation_is_visible_to_its_owner_only() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}");
    for other in [server.admin(), server.editor(), server.stranger()] {
        other.get(&path).await.not_found();
        other.put(&path, json!({"title": "x"})).await.not_found();
        other.delete(&path).await.not_found();
        other.post(&format!("{path}/user_data"), json!({"user_data": {}})).await.not_found();
        other.post(&format!("{path}/completion"), json!({"message": "x"})).await.not_found();
        assert_eq!(other.get("/api/conversations").await.ok()["items"], json!([]));
    }
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
    let reader = server.token(&["conversations:read"]).await;
    reader.post("/api/conversations", json!({})).await.problem(403, "scope_missing");
    server.token(&["usage:read"]).await.get("/api/conversations").await.problem(403, "scope_missing");
    user.get("/api/conversations/nonsense").await.expect(422);
}

#[tokio::test]
async fn put_replaces_all_settable_fields() {
    let server = TestServer::start().await;
    let user = server.user();
    let path = format!("/api/conversations/{}", conversation(&user).await);
    let all = json!({"title": "Tides", "model": "builtin/scribe", "archived": true, "pinned": true});
    let set = user.put(&path, all).await.ok();
    assert_eq!((&set["title"], &set["title_source"]), (&json!("Tides"), &json!("given")));
    assert_eq!((&set["archived"], &set["pinned"], &set["version"]), (&json!(true), &json!(true), &json!(2)));
    let cleared = user.put(&path, json!({"pinned": true})).await.ok();
    assert_eq!((&cleared["title"], &cleared["title_source"]), (&Value::Null, &json!("none")));
    assert_eq!((&cleared["model"], &cleared["archived"]), (&Value::Null, &json!(false)));
    user.put(&path, json!({"version": 2})).await.problem(412, "stale");
    let put = |version: &str| {
        let request = user.request(reqwest::Method::PUT, &path).header("if-match", version);
        Client::send(request.json(&json!({"title": "New"})))
    };
    put("\"2\"").await.problem(412, "stale");
    put("\"3\"").await.ok();
    let id = "01980000-0000-7000-8000-000000000001";
    assert_eq!(
        user.put(&path, json!({"current_message_id": id})).await.faults(),
        ["body.current_message_id"]
    );
    assert_eq!(user.put(&path, json!({"owner": id})).await.faults(), ["body.owner"]);
}

#[tokio::test]
async fn patch_changes_only_the_given_fields() {
    let server = server().await;
    let editor = server.editor();
    let assistant = editor.post("/api/assistants", json!({"name": "Ada"})).await.created();
    let new = json!({"title": "Tides", "assistant_id": assistant["id"], "model": "builtin/scribe"});
    let made = editor.post("/api/conversations", new).await.created();
    let path = format!("/api/conversations/{}", made["id"].as_str().expect("an id"));
    let parameters = json!({"length": 3});
    let asked = json!({"message": "Of the sea.", "parameters": parameters, "stream": false});
    let first = editor.post(&format!("{path}/completion"), asked).await.ok();
    let again = json!({"regenerate_message_id": first["id"], "parameters": parameters, "stream": false});
    editor.post(&format!("{path}/completion"), again).await.ok();

    let mut want = editor.get(&path).await.ok();
    for (name, value) in [
        ("pinned", json!(true)),
        ("archived", json!(true)),
        ("title", json!("Moons")),
        ("current_message_id", first["id"].clone()),
        ("model", Value::Null),
        ("assistant_id", Value::Null),
    ] {
        let mut change = json!({});
        change[name] = value.clone();
        editor.patch(&path, change).await.ok();
        want[name] = value;
        let mut now = editor.get(&path).await.ok();
        for counted in ["version", "updated_at", "title_source"] {
            now[counted] = want[counted].clone();
        }
        assert_eq!(now, want, "{name}");
    }
    let unset = editor.patch(&path, json!({"title": null, "pinned": null})).await.ok();
    assert_eq!((&unset["title"], &unset["title_source"]), (&Value::Null, &json!("none")));
    assert_eq!((&unset["pinned"], &unset["archived"]), (&json!(false), &json!(true)));
    let same = editor.patch(&path, json!({})).await.ok();
    assert_eq!(same["archived"], true);

    editor.patch(&path, json!({"version": 1, "title": "x"})).await.problem(412, "stale");
    let id = "01980000-0000-7000-8000-000000000001";
    let faulty = json!({"title": "", "model": 7, "assistant_id": "x", "colour": "red"});
    let want = ["body.assistant_id", "body.colour", "body.model", "body.title"];
    assert_eq!(editor.patch(&path, faulty).await.faults(), want);
    for field in ["assistant_id", "project_id", "current_message_id"] {
        let mut change = json!({"title": "Not kept"});
        change[field] = json!(id);
        assert_eq!(editor.patch(&path, change).await.faults(), [format!("body.{field}")]);
    }
    assert_eq!(editor.get(&path).await.ok()["title"], Value::Null, "a faulty change stores nothing");
    server.user().patch(&path, json!({"title": "x"})).await.not_found();
}

#[tokio::test]
async fn completion_for_a_deleted_assistant_names_the_remedy() {
    let server = server().await;
    let editor = server.editor();
    let assistant = editor.post("/api/assistants", json!({"name": "Ada"})).await.created();
    let made = editor.post("/api/conversations", json!({"assistant_id": assistant["id"]})).await.created();
    let path = format!("/api/conversations/{}", made["id"].as_str().expect("an id"));
    editor.delete(&format!("/api/assistants/{}", assistant["id"].as_str().expect("an id"))).await.ok();
    let asked = json!({"message": "Of the sea.", "parameters": {"length": 3}, "stream": false});
    let refused = editor.post(&format!("{path}/completion"), asked.clone()).await.problem(404, "not_found");
    assert!(refused["detail"].as_str().expect("words").contains("assistant_id"), "{refused}");
    assert_eq!(editor.get(&path).await.ok()["messages"], json!([]), "nothing was stored");
    editor.patch(&path, json!({"assistant_id": null})).await.ok();
    editor.post(&format!("{path}/completion"), asked).await.ok();
}

#[tokio::test]
async fn title_is_generated_from_the_first_exchange() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}");
    ask_words(&user, &home, 3, 0).await.rest().await;
    let made = user.get(&path).await.ok();
    assert_eq!(made["title_source"], "made");
    assert!(!made["title"].as_str().expect("a title").is_empty());
    assert_eq!(made["message_count"], 2);
    assert_eq!(made["current_message_id"], made["messages"][1]["id"]);
    let kept = user.put(&path, json!({"title": made["title"]})).await.ok();
    assert_eq!(kept["title_source"], "made", "sending the title back does not change its source");
    assert_eq!(kept["current_message_id"], made["current_message_id"], "an omitted field stays");
    user.put(&path, json!({"title": "Mine"})).await.ok();
    ask_words(&user, &home, 3, 0).await.rest().await;
    assert_eq!(user.get(&path).await.ok()["title"], "Mine");
}

#[tokio::test]
async fn user_data_is_set_as_a_whole_and_by_key() {
    let server = TestServer::start().await;
    let user = server.user();
    let path = format!("/api/conversations/{}/user_data", conversation(&user).await);
    let set = async |suffix: &str, body: Value| user.post(&format!("{path}{suffix}"), body).await;
    let data = json!({"draft": "hello", "scroll": {"y": 3}});
    assert_eq!(set("", json!({"user_data": data})).await.ok()["user_data"], data);
    let one = set("/draft", json!({"value": [1, 2]})).await.ok();
    assert_eq!(one["user_data"], json!({"draft": [1, 2], "scroll": {"y": 3}}));
    let removed = set("/scroll", json!({"value": null})).await.ok();
    assert_eq!(removed["user_data"], json!({"draft": [1, 2]}));
    let escaped = set("/a%20b", json!({"value": true})).await.ok();
    assert_eq!(escaped["user_data"]["a b"], true);
    set("/big", json!({"value": "x".repeat(33_000)})).await.problem(413, "too_large");
    set("", json!({"user_data": {"big": "x".repeat(33_000)}})).await.problem(413, "too_large");
    let create = json!({"user_data": {"big": "x".repeat(33_000)}});
    user.post("/api/conversations", create).await.problem(413, "too_large");
    assert_eq!(set("", json!({"user_data": {"": 1}})).await.expect(422).faults().len(), 1);
    assert_eq!(set(&format!("/{}", "k".repeat(101)), json!({"value": 1})).await.faults(), ["path.key"]);
    assert_eq!(set("/x", json!({})).await.faults(), ["body.value"]);
    assert_eq!(set("", json!({"user_data": 3})).await.faults(), ["body.user_data"]);
    let kept = user.get(path.trim_end_matches("/user_data")).await.ok();
    assert_eq!(kept["user_data"], json!({"draft": [1, 2], "a b": true}));
}
