//! Creating, listing, reading, changing and deleting assistants, and the rights that each operation requires.

use serde_json::{Value, json};

use crate::api::streams::reading::{ask, asking, conversation, messages, server};
use crate::harness::{Answer, Client, TestServer, text};

pub async fn create(client: &Client, body: Value) -> (String, Value) {
    let made = client.post("/api/assistants", body).await.created();
    (text(&made["id"]), made)
}

#[tokio::test]
async fn assistant_is_created_read_changed_and_moved_to_the_bin() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let body = json!({"name": " Ada ", "system_prompt": "Be brief.", "tools": ["count_text"], "model": "builtin/scribe",
        "model_parameters": {"length": 5}, "conversation_starters": ["Hello"], "recovery": "retry"});
    let made = editor.post("/api/assistants/", body).await.created();
    assert_eq!(
        (&made["name"], &made["type"], &made["visibility"]),
        (&json!("Ada"), &json!("chat"), &json!("private"))
    );
    assert_eq!(made["owner"], server.editor_person().id);
    assert_eq!(made["permissions"], json!({"level": "owner", "edit": true, "share": true, "delete": true}));
    assert_eq!((&made["enabled"], &made["catalog"]), (&json!(true), &Value::Null));
    let path = format!("/api/assistants/{}", text(&made["id"]));
    let shown = editor.get(&path).await;
    assert_eq!(shown.ok(), made);
    assert_eq!(shown.header("etag"), Some("\"1\""));

    let change = json!({"description": "Counts.", "model": null, "version": 1});
    let changed = editor.patch(&path, change).await.ok();
    assert_eq!((&changed["description"], &changed["model"]), (&json!("Counts."), &Value::Null));
    assert_eq!((&changed["name"], &changed["version"]), (&json!("Ada"), &json!(2)), "other fields stay");
    editor.patch(&path, json!({"name": "B", "version": 1})).await.problem(412, "stale");
    let stale = editor.request(reqwest::Method::PATCH, &path).header("if-match", "\"1\"");
    Client::send(stale.json(&json!({"name": "B"}))).await.problem(412, "stale");
    assert_eq!(editor.patch(&path, json!({"name": null})).await.faults(), ["body.name"]);

    assert!(editor.delete(&path).await.ok()["message"].as_str().expect("words").contains("Ada"));
    editor.get(&path).await.not_found();
    editor.delete(&path).await.not_found();
    assert_eq!(editor.get("/api/assistants").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn create_assistant_reports_every_fault() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = "01980000-0000-7000-8000-000000000001";
    let create = async |body: Value| editor.post("/api/assistants", body).await.faults();
    assert_eq!(create(json!({})).await, ["body.name"]);
    let shape = json!({"name": "", "type": "robot", "system_prompt": 3, "hat": 1, "conversation_starters": ["", "ok"]});
    let want = ["body.conversation_starters.0", "body.hat", "body.name", "body.system_prompt", "body.type"];
    assert_eq!(create(shape).await, want);
    let missing = json!({"name": "x", "model": "none/such", "tools": ["count_text", "hammer"], "skills": [id],
        "knowledge_bases": [id], "grants": [{"principal": {"kind": "user", "id": id}, "level": "viewer"}]});
    let want = ["body.grants.0", "body.knowledge_bases.0", "body.model", "body.skills.0", "body.tools.1"];
    assert_eq!(create(missing).await, want);
    let other = json!({"name": "x".repeat(101), "web_links": ["ftp://x"], "workflow": 3});
    assert_eq!(create(other).await, ["body.name", "body.web_links.0", "body.workflow"]);
    assert_eq!(editor.get("/api/assistants").await.ok()["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn assistant_operations_follow_roles_and_grants() {
    let server = TestServer::start().await;
    let (editor, user, admin) = (server.editor(), server.user(), server.admin());
    user.post("/api/assistants", json!({"name": "x"})).await.problem(403, "role_missing");
    let reader = server.token(&["assistants:read"]).await;
    reader.post("/api/assistants", json!({"name": "x"})).await.problem(403, "scope_missing");

    let (private, _) = create(&editor, json!({"name": "Private"})).await;
    let path = format!("/api/assistants/{private}");
    for other in [&user, &admin, &server.stranger()] {
        other.get(&path).await.not_found();
        other.patch(&path, json!({"name": "x"})).await.not_found();
        other.delete(&path).await.not_found();
    }

    let secret =
        json!({"name": "Open", "visibility": "tenant", "system_prompt": "Secret.", "tools": ["count_text"]});
    let (open, _) = create(&editor, secret).await;
    let path = format!("/api/assistants/{open}");
    let seen = user.get(&path).await.ok();
    assert_eq!(
        (&seen["system_prompt"], &seen["tools"]),
        (&json!(""), &json!([])),
        "viewers see no internals"
    );
    assert_eq!(seen["permissions"]["level"], "viewer");
    user.patch(&path, json!({"name": "x"})).await.problem(403, "not_allowed");
    user.delete(&path).await.problem(403, "not_allowed");
    server.stranger().get(&path).await.not_found();
    assert_eq!(
        admin.get(&path).await.ok()["system_prompt"],
        "Secret.",
        "administrators manage shared assistants"
    );

    let grant =
        |level: &str| json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": level}]);
    editor.patch(&path, json!({"grants": grant("editor")})).await.ok();
    assert_eq!(
        user.patch(&path, json!({"description": "Mine, too."})).await.ok()["system_prompt"],
        "Secret."
    );
    user.patch(&path, json!({"visibility": "private"})).await.problem(403, "not_allowed");
    user.patch(&path, json!({"grants": []})).await.problem(403, "not_allowed");
    user.delete(&path).await.problem(403, "not_allowed");
    editor.patch(&path, json!({"grants": grant("owner")})).await.ok();
    user.delete(&path).await.ok();
}

/// `private` means that only the owner sees the assistant.
#[tokio::test]
async fn assistant_with_grants_is_not_reported_as_private() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants =
        |level: &str| json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": level}]);
    let made =
        editor.post("/api/assistants", json!({"name": "Ada", "grants": grants("editor")})).await.created();
    assert_eq!(made["visibility"], "shared");
    let path = format!("/api/assistants/{}", text(&made["id"]));
    assert_eq!(user.get(&path).await.ok()["visibility"], "shared");

    user.patch(&path, json!({"visibility": "private"})).await.problem(403, "not_allowed");
    for private in [json!("private"), Value::Null] {
        let refused = editor.patch(&path, json!({"visibility": private})).await;
        assert_eq!(refused.faults(), ["body.visibility"]);
    }
    user.get(&path).await.ok();
    let taken = editor.patch(&path, json!({"visibility": "private", "grants": []})).await.ok();
    assert_eq!((&taken["visibility"], &taken["grants"]), (&json!("private"), &json!([])));
    user.get(&path).await.not_found();

    let granted = editor.patch(&path, json!({"grants": grants("viewer")})).await.ok();
    assert_eq!(granted["visibility"], "shared");
    user.get(&path).await.ok();
    // A PUT without grants removes them.
    assert_eq!(editor.put(&path, json!({"name": "Ada"})).await.ok()["visibility"], "private");
    user.get(&path).await.not_found();
}

#[tokio::test]
async fn assistant_list_can_be_searched() {
    let server = TestServer::start().await;
    let editor = server.editor();
    for (name, description, category) in [
        ("Tide tables", "Knows harbours.", "Sea"),
        ("Harbour Master", "", "sea"),
        ("Clerk", "Files what comes.", "Office"),
    ] {
        let body =
            json!({"name": name, "description": description, "category": category, "system_prompt": "Moon."});
        editor.post("/api/assistants", body).await.created();
    }
    let found = async |search: &str| {
        let list = editor.get(&format!("/api/assistants?search={search}")).await.ok();
        list["items"].as_array().expect("items").iter().map(|item| text(&item["name"])).collect::<Vec<_>>()
    };
    assert_eq!(found("harbour").await, ["Tide tables", "Harbour Master"]);
    assert_eq!(found("HARBOUR%20master").await, ["Harbour Master"], "every word must match");
    assert_eq!(found("sea%20tide").await, ["Tide tables"]);
    assert_eq!(found("moon").await, Vec::<String>::new(), "hidden fields are not searched");
    assert_eq!(found("").await.len(), 3);
    let long = "x".repeat(201);
    assert_eq!(editor.get(&format!("/api/assistants?search={long}")).await.faults(), ["query.search"]);
}

#[tokio::test]
async fn assistant_list_contains_the_assistants_that_the_caller_may_use() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    for n in 0..7 {
        let visibility = if n % 2 == 0 { "tenant" } else { "private" };
        let kind = if n == 4 { "workflow" } else { "chat" };
        create(&editor, json!({"name": format!("a{n}"), "visibility": visibility, "type": kind})).await;
    }
    let names = async |client: &Client, query: &str| -> Vec<String> {
        let (mut names, mut query) = (Vec::new(), query.to_owned());
        loop {
            let page = client.get(&format!("/api/assistants{query}")).await.ok();
            let items = page["items"].as_array().expect("items");
            assert!(items.iter().all(|item| item.get("system_prompt").is_none()));
            names.extend(items.iter().map(|item| text(&item["name"])));
            let Some(next) = page["next_cursor"].as_str() else { return names };
            query = format!("?limit=2&cursor={next}");
        }
    };
    assert_eq!(names(&editor, "").await, ["a0", "a1", "a2", "a3", "a4", "a5", "a6"]);
    assert_eq!(names(&user, "").await, ["a0", "a2", "a4", "a6"]);
    assert_eq!(names(&user, "?limit=2").await, ["a0", "a2", "a4", "a6"]);
    assert_eq!(names(&user, "?type=workflow").await, ["a4"]);
    assert_eq!(names(&server.stranger(), "").await, Vec::<String>::new());
    assert_eq!(user.get("/api/assistants?type=robot&limit=0").await.faults().len(), 2);
}

#[tokio::test]
async fn completion_uses_the_settings_of_the_assistant() {
    let server = server().await;
    let editor = server.editor();
    let body = json!({"name": "Brief", "model": "builtin/scribe", "model_parameters": {"length": 6}});
    let (id, _) = create(&editor, body).await;
    let home = text(&editor.post("/api/conversations", json!({"assistant_id": id})).await.created()["id"]);
    ask(&editor, &home, json!({"message": "Tides?"})).await.rest().await;
    let said = crate::api::streams::reading::said(&messages(&editor, &home).await[1]);
    assert_eq!(said.split_whitespace().count(), 6);

    editor.delete(&format!("/api/assistants/{id}")).await.ok();
    assert_eq!(messages(&editor, &home).await.len(), 2, "its conversations stay readable");
    let more = asking(&editor, &home, json!({"message": "More?"})).send().await.expect("an answer");
    Answer::read(more).await.not_found();
    let plain = conversation(&editor).await;
    let gone =
        asking(&editor, &plain, json!({"message": "x", "assistant_id": id})).send().await.expect("an answer");
    Answer::read(gone).await.not_found();
}
