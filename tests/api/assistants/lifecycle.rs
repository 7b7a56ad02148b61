//! Replacing assistants, the bin, and the public view.

use reqwest::Method;
use serde_json::{Value, json};

use super::basics::create;
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer};

fn grant(server: &TestServer, level: &str) -> Value {
    json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": level}])
}

#[tokio::test]
async fn put_replaces_the_whole_assistant() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let body = json!({"name": "Ada", "description": "Counts.", "system_prompt": "Be brief.", "tools": ["count_text"],
        "model": "builtin/scribe", "category": "Sums", "recovery": "retry", "data_schema": {"type": "object"}});
    let (id, made) = create(&editor, body).await;
    let path = format!("/api/assistants/{id}");
    let put = editor.put(&path, json!({"name": "Bea", "category": "Words", "version": 1})).await;
    let now = put.ok();
    assert_eq!(put.header("etag"), Some("\"2\""));
    assert_eq!(
        (&now["name"], &now["category"], &now["version"]),
        (&json!("Bea"), &json!("Words"), &json!(2))
    );
    for (field, default) in [
        ("description", json!("")),
        ("system_prompt", json!("")),
        ("tools", json!([])),
        ("model", Value::Null),
        ("recovery", Value::Null),
        ("data_schema", Value::Null),
    ] {
        assert_eq!(now[field], default, "{field} is left out, so it has its default");
        assert_ne!(made[field], default, "{field} was something else");
    }
    assert_eq!((&now["owner"], &now["created_at"]), (&made["owner"], &made["created_at"]));

    editor.put(&path, json!({"name": "C", "version": 1})).await.problem(412, "stale");
    let stale = editor.request(Method::PUT, &path).header("if-match", "\"1\"").json(&json!({"name": "C"}));
    Client::send(stale).await.problem(412, "stale");
    assert_eq!(editor.put(&path, json!({"description": "x"})).await.faults(), ["body.name"]);
    let wrong = json!({"name": "C", "hat": 1, "version": "x", "model": "none/such"});
    assert_eq!(editor.put(&path, wrong).await.faults(), ["body.hat", "body.version"]);
    let missing = json!({"name": "C", "model": "none/such", "tools": ["hammer"]});
    assert_eq!(editor.put(&path, missing).await.faults(), ["body.model", "body.tools.0"]);
    assert_eq!(editor.get(&path).await.ok(), now, "refused requests change nothing");
}

#[tokio::test]
async fn put_by_an_editor_cannot_change_sharing() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let (id, _) =
        create(&editor, json!({"name": "Ada", "visibility": "tenant", "grants": grant(&server, "editor")}))
            .await;
    let path = format!("/api/assistants/{id}");
    // Leaving out the grants would remove them.
    user.put(&path, json!({"name": "Mine"})).await.problem(403, "not_allowed");
    let same = json!({"name": "Ours", "visibility": "tenant", "grants": grant(&server, "editor")});
    assert_eq!(user.put(&path, same).await.ok()["name"], "Ours");
    let more = json!({"name": "Mine", "visibility": "tenant", "grants": grant(&server, "owner")});
    user.put(&path, more).await.problem(403, "not_allowed");
    server.stranger().put(&path, json!({"name": "x"})).await.not_found();
    editor.patch(&path, json!({"grants": grant(&server, "viewer")})).await.ok();
    user.put(&path, json!({"name": "Mine"})).await.problem(403, "not_allowed");
    let reader = server.token(&["assistants:read"]).await;
    reader.put(&path, json!({"name": "x"})).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn public_view_is_the_same_for_every_caller() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let body = json!({"name": "Ada", "visibility": "tenant", "system_prompt": "Secret.", "tools": ["count_text"],
        "web_links": [], "conversation_starters": ["Hello"], "grants": grant(&server, "viewer")});
    let (id, _) = create(&editor, body).await;
    let path = format!("/api/assistants/{id}/public");
    for client in [&editor, &server.user()] {
        let shown = client.get(&path).await;
        assert_eq!(shown.header("etag"), Some("\"1\""));
        let shown = shown.ok();
        assert_eq!(shown["conversation_starters"], json!(["Hello"]));
        for hidden in [
            "system_prompt",
            "tools",
            "skills",
            "knowledge_bases",
            "web_links",
            "grants",
            "workflow",
            "approved_external_services",
            "own_knowledge",
            "avatar",
            "data_schema",
            "model_parameters",
        ] {
            assert!(shown.get(hidden).is_none(), "{hidden} is shown");
        }
    }
    server.stranger().get(&path).await.not_found();
    server.token(&["knowledge:read"]).await.get(&path).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn bin_lists_and_restores_deleted_assistants() {
    let server = TestServer::start().await;
    let (editor, user, admin) = (server.editor(), server.user(), server.admin());
    let (shared, before) = create(
        &editor,
        json!({"name": "Shared", "visibility": "tenant", "grants": grant(&server, "editor")}),
    )
    .await;
    let (private, _) = create(&editor, json!({"name": "Private", "type": "workflow"})).await;
    let automation = json!({"name": "Daily", "assistant_id": shared, "prompt": "hello"});
    let automation = editor.post("/api/automations", automation).await.created();
    let automation = format!("/api/automations/{}", automation["id"].as_str().expect("an id"));
    let of = |id: &str, what: &str| format!("/api/assistants/{id}{what}");
    for id in [&shared, &private] {
        editor.delete(&of(id, "")).await.ok();
    }
    let names = async |client: &Client, query: &str| -> Vec<Value> {
        let page = client.get(&format!("/api/assistants/deleted{query}")).await.ok();
        page["items"].as_array().expect("items").iter().map(|item| item["name"].clone()).collect()
    };
    assert_eq!(names(&editor, "").await, ["Shared", "Private"]);
    assert_eq!(names(&editor, "?type=workflow").await, ["Private"]);
    assert_eq!(names(&editor, "?limit=1").await, ["Shared"]);
    assert_eq!(names(&admin, "").await, ["Shared"], "administrators manage shared assistants");
    for other in [&user, &server.stranger()] {
        assert_eq!(names(other, "").await, Vec::<Value>::new());
        other.post(&of(&shared, "/restore"), json!({})).await.not_found();
        other.delete(&of(&shared, "/permanent")).await.not_found();
    }
    admin.post(&of(&private, "/restore"), json!({})).await.not_found();

    let server = server.restart().await;
    let editor = server.editor();
    let restored = editor.post(&of(&shared, "/restore"), json!({})).await.ok();
    assert_eq!((&restored["name"], &restored["deleted_at"]), (&before["name"], &Value::Null));
    assert_eq!(
        editor.post(&of(&shared, "/restore"), json!({})).await.ok(),
        restored,
        "restoring again changes nothing"
    );
    assert_eq!(server.user().get(&of(&shared, "")).await.ok()["permissions"]["level"], "editor");
    server.user().post(&of(&shared, "/restore"), json!({})).await.problem(403, "not_allowed");
    let paused = editor.get(&automation).await.ok();
    assert_eq!((&paused["enabled"], &paused["paused_reason"]), (&json!(false), &json!("assistant_deleted")));
    assert_eq!(names(&editor, "").await, ["Private"]);
    assert_eq!(editor.get("/api/assistants/deleted?type=robot&limit=0").await.faults().len(), 2);
    let reader = server.token(&["assistants:read"]).await;
    reader.get("/api/assistants/deleted").await.ok();
    reader.post(&of(&shared, "/restore"), json!({})).await.problem(403, "scope_missing");
    reader.delete(&of(&shared, "/permanent")).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn web_links_follow_the_definition_of_the_assistant() {
    let web = CountingServer::start().await;
    let pages = ["/tides", "/moon", "/wind"];
    web.always("/robots.txt", Reply::status(404));
    for page in pages {
        web.always(page, Reply::body("text/plain", format!("Of {page}.")));
    }
    let [tides, moon, wind] = pages.map(|page| web.url(page));
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, made) = create(&editor, json!({"name": "Ada", "web_links": [tides, moon]})).await;
    assert_eq!(made["web_links"], json!([tides, moon]));
    let path = format!("/api/assistants/{id}");
    let known = async || -> Vec<Value> {
        let links = editor.get(&format!("{path}/links")).await.ok();
        links["items"].as_array().expect("items").iter().map(|link| link["url"].clone()).collect()
    };
    assert_eq!(known().await, [json!(tides), json!(moon)]);
    editor.patch(&path, json!({"description": "x"})).await.ok();
    assert_eq!(known().await.len(), 2, "omitted fields stay");
    let changed = editor.patch(&path, json!({"web_links": [moon, wind]})).await.ok();
    assert_eq!(changed["web_links"], json!([moon, wind]));
    assert_eq!(known().await, [json!(moon), json!(wind)]);
    let local = json!({"web_links": [wind, "ftp://x", "https://me:secret@example.org"]});
    assert_eq!(editor.patch(&path, local).await.faults(), ["body.web_links.1", "body.web_links.2"]);
    assert_eq!(editor.put(&path, json!({"name": "Ada"})).await.ok()["web_links"], json!([]));
    assert_eq!(known().await, Vec::<Value>::new());
}
