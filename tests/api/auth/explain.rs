//! Explanations of why a caller may or may not perform an operation.

use crate::harness::{Client, TestServer, hidden, text};
use crate::openapi::operations;
use serde_json::{Value, json};

async fn explain(client: &Client, operation: &str, id: &str) -> Value {
    let id = if id.is_empty() { String::new() } else { format!("&id={id}") };
    client.get(&format!("/api/auth/check/?operation={operation}{id}")).await.ok()
}

/// Returns the check of this rule.
fn check<'a>(explanation: &'a Value, rule: &str) -> &'a Value {
    let checks = explanation["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["rule"] == rule).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn explain_reports_every_rule() {
    let server = TestServer::start().await;
    let off = hidden();
    server.admin().put("/api/tenant-admin/features/assistants/visibility", off).await.ok();
    let made =
        server.user().post("/api/auth/api-tokens", json!({"name": "x", "scopes": ["account:read"]})).await;
    let token = server.client(&text(&made.created()["token"]));
    let told = explain(&token, "assistants.create_assistant", "").await;
    assert_eq!(
        (&told["allowed"], &told["status"], &told["code"]),
        (&json!(false), &json!(403), &json!("scope_missing"))
    );
    assert_eq!((&told["method"], &told["path"]), (&json!("post"), &json!("/api/assistants")));
    let scopes: Vec<_> =
        told["checks"].as_array().unwrap().iter().map(|check| check["passes"].clone()).collect();
    assert_eq!(scopes, [json!(true), json!(true), json!(false), json!(false), json!(false)]);
    let feature = check(&told, "feature");
    assert_eq!((&feature["needs"], &feature["has"]), (&json!("assistants"), &json!("switched off")));
    assert_eq!(feature["why"], "it is disabled for everyone");
    assert_eq!(check(&told, "role")["needs"], "editor");
    assert_eq!(check(&told, "role")["has"], "user");
    // The response to the request itself agrees.
    token.post("/api/assistants", json!({"name": "x"})).await.problem(403, "scope_missing");
    server.user().post("/api/assistants", json!({"name": "x"})).await.problem(403, "role_missing");
    assert_eq!(explain(&server.user(), "assistants.create_assistant", "").await["code"], "role_missing");
    assert_eq!(
        explain(&server.editor(), "assistants.create_assistant", "").await["code"],
        "feature_disabled"
    );
}

#[tokio::test]
async fn explain_reports_grounds_for_visible_objects_only() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let grant = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    let assistant = json!({"name": "Shared", "visibility": "shared", "grants": grant});
    let assistant = text(&editor.post("/api/assistants", assistant).await.created()["id"]);
    let private = text(&editor.post("/api/assistants", json!({"name": "Own"})).await.created()["id"]);
    let update = "assistants.update_assistant";
    let own = explain(&editor, update, &assistant).await;
    assert_eq!((&own["allowed"], &own["grounds"][0]["reason"]), (&json!(true), &json!("owns")));
    let granted = explain(&server.user(), update, &assistant).await;
    assert_eq!((&granted["allowed"], &granted["grounds"][0]["level"]), (&json!(true), &json!("editor")));
    assert_eq!(granted["grounds"][0]["reason"]["granted"]["kind"], "user");
    let delete = explain(&server.user(), "assistants.delete_assistant", &assistant).await;
    assert_eq!((&delete["allowed"], &delete["code"]), (&json!(false), &json!("not_allowed")));
    assert_eq!(
        (&check(&delete, "grant")["needs"], &check(&delete, "grant")["has"]),
        (&json!("owner"), &json!("editor"))
    );
    server.user().delete(&format!("/api/assistants/{assistant}")).await.problem(403, "not_allowed");
    let administered = explain(&server.admin(), update, &assistant).await;
    assert_eq!(administered["grounds"][0]["reason"], "administers");
    // An object that the caller may not see is explained like one that does not exist.
    for (client, id) in
        [(server.user(), &private), (server.admin(), &private), (server.stranger(), &assistant)]
    {
        let hidden = explain(&client, "assistants.get_assistant", id).await;
        let nothing =
            explain(&client, "assistants.get_assistant", "01890000-0000-7000-8000-000000000000").await;
        assert_eq!(hidden, nothing);
        assert_eq!((&hidden["status"], &hidden["grounds"]), (&json!(404), &json!([])));
    }
    // A token without the scope to read assistants learns nothing about one.
    let token = server.token(&["account:read"]).await;
    let blind = explain(&token, "assistants.get_assistant", &assistant).await;
    assert_eq!((&blind["code"], &check(&blind, "grant")["passes"]), (&json!("scope_missing"), &Value::Null));
    assert_eq!(blind["grounds"], json!([]));
}

#[tokio::test]
async fn explain_reports_ownership() {
    let server = TestServer::start().await;
    let user = server.user();
    let conversation = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    let memory = text(&user.post("/api/memories", json!({"content": "Likes tea."})).await.created()["id"]);
    for (operation, id) in
        [("conversations.get_conversation", &conversation), ("memories.update_memory", &memory)]
    {
        let own = explain(&user, operation, id).await;
        assert_eq!(
            (&own["allowed"], &own["grounds"][0]["reason"]),
            (&json!(true), &json!("owns")),
            "{operation}"
        );
        assert_eq!(explain(&server.admin(), operation, id).await["status"], 404, "{operation}");
    }
    // The impersonator learns that memories are out of reach, and not whether this one exists.
    let whom = json!({"user_id": server.user_person().id, "reason": "ticket"});
    let session = server.admin().post("/api/auth/impersonate", whom).await.created();
    let acting = server.client(&text(&session["access_token"]));
    let told = explain(&acting, "memories.update_memory", &memory).await;
    assert_eq!((&told["code"], &told["grounds"]), (&json!("impersonation_limited"), &json!([])));
    assert_eq!(check(&told, "impersonation")["passes"], false);
    acting
        .patch(&format!("/api/memories/{memory}"), json!({"content": "x"}))
        .await
        .problem(403, "impersonation_limited");
}

#[tokio::test]
async fn explain_refuses_faulty_queries() {
    let server = TestServer::start().await;
    let get = async |query: &str| server.user().get(&format!("/api/auth/check/{query}")).await;
    assert_eq!(get("").await.faults(), ["query.operation"]);
    assert_eq!(get("?operation=no.such").await.faults(), ["query.operation"]);
    assert_eq!(
        get("?operation=users.get_current_user&id=01890000-0000-7000-8000-000000000000").await.faults(),
        ["query.id"]
    );
    assert_eq!(get("?operation=assistants.get_assistant&id=x").await.faults(), ["query.id"]);
    let told = server.client("no token").get("/api/auth/check/?operation=assistants.get_assistants").await;
    assert!(matches!(told.status, 401 | 422), "{told:?}");
}

/// Each explanation agrees with the real response, for every caller and operation.
#[tokio::test]
async fn explanation_agrees_with_the_response_of_every_operation() {
    let server = TestServer::start_with(crate::api::streams::reading::unlimited).await;
    let off = hidden();
    server.admin().put("/api/tenant-admin/features/skills/visibility", off).await.ok();
    let document = server.anonymous().get("/api/openapi.json").await.ok();
    let whom = json!({"user_id": server.user_person().id, "reason": "ticket"});
    let session = server.admin().post("/api/auth/impersonate", whom).await.created();
    let callers = [
        ("user", server.user()),
        ("editor", server.editor()),
        ("impersonator", server.client(&text(&session["access_token"]))),
        ("token", server.token(&["llm:use", "assistants:read", "admin:read"]).await),
    ];
    let nothing = "01890000-0000-7000-8000-000000000000";
    let mut asked = 0;
    for (path, method, operation) in operations(&document) {
        let id = text(&operation["operationId"]);
        let open = operation["security"].as_array().is_none_or(Vec::is_empty);
        // Logging out would end the session that sends the requests.
        if open || id.starts_with("auth.logout") {
            continue;
        }
        for (name, client) in &callers {
            let told = client.get(&format!("/api/auth/check/?operation={id}")).await.ok();
            if told["status"] != 403 {
                continue;
            }
            let place = path.split('/').map(|part| if part.starts_with('{') { nothing } else { part });
            let place = place.collect::<Vec<_>>().join("/");
            let request = client.request(method.to_uppercase().parse().expect("a method"), &place);
            let answer = Client::send(request.json(&json!({}))).await;
            assert_eq!(answer.status, 403, "{name} {id}: {answer:?}");
            assert!(answer.text().contains(&text(&told["code"])), "{name} {id}: {answer:?}, told {told}");
            asked += 1;
        }
    }
    assert!(asked > 200, "only {asked} refusals");
}
