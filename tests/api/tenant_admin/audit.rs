//! The audit record: changes with their authors, including impersonators.

use serde_json::{Value, json};

use super::{ADMIN, show};
use crate::harness::{Client, TestServer, hidden, text};

async fn audit(client: &Client, query: &str) -> Vec<Value> {
    let list = client.get(&format!("{ADMIN}/audit?limit=200{query}")).await.ok();
    list["items"].as_array().expect("items").clone()
}

#[tokio::test]
async fn audit_of_impersonated_changes_names_the_actor() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let root = json!({"display_name": "Root", "role": "tenant_admin"});
    let root = text(&admin.post(&format!("{ADMIN}/service-accounts"), root).await.created()["id"]);
    let made = json!({"display_name": "Other", "role": "user"});
    let other = text(&admin.post(&format!("{ADMIN}/service-accounts"), made).await.created()["id"]);
    let token = format!("{ADMIN}/service-accounts/{other}/api-tokens");
    let token = text(&admin.post(&token, json!({"name": "x"})).await.created()["id"]);
    let editor = server.editor();
    let assistant = json!({"name": "Shared", "visibility": "tenant"});
    let assistant = text(&editor.post("/api/assistants", assistant).await.created()["id"]);
    let automation = json!({"name": "Report", "assistant_id": assistant, "prompt": "hello"});
    let automation = text(&editor.post("/api/automations", automation).await.created()["id"]);
    let session = admin.post(&format!("{ADMIN}/service-accounts/{root}/login-as"), json!({})).await.created();
    let acting = server.client(&text(&session["access_token"]));
    let before = audit(&admin, "").await.len();
    // Every change that an administrator may also make while impersonating.
    let changes = [
        ("PUT", format!("{ADMIN}/default-model"), json!({"model": "builtin/scribe"}), "tenant."),
        ("PUT", format!("{ADMIN}/default-embedding-model"), json!({"model": null}), "tenant."),
        ("PUT", format!("{ADMIN}/features/video/visibility"), hidden(), "feature.visibility"),
        ("PUT", format!("{ADMIN}/models/builtin/echo/visibility"), hidden(), "model.visibility"),
        ("PUT", format!("{ADMIN}/budgets"), json!({}), "tenant."),
        (
            "PATCH",
            format!("{ADMIN}/service-accounts/{other}/display-name"),
            json!({"display_name": "New"}),
            "service_account.rename",
        ),
        (
            "POST",
            format!("{ADMIN}/service-accounts/{other}/api-tokens/{token}/revoke"),
            json!({}),
            "token.revoke",
        ),
        ("DELETE", format!("/api/automations/{automation}"), Value::Null, "automation.delete"),
        ("DELETE", format!("/api/assistants/{assistant}/permanent"), Value::Null, "assistant.delete"),
    ];
    let mut done = Vec::new();
    for (method, path, body, action) in changes {
        let request = acting.request(method.parse().expect("a method"), &path);
        let answer = Client::send(if body.is_null() { request } else { request.json(&body) }).await;
        assert!(matches!(answer.status, 200 | 201 | 204 | 404), "{method} {path}: {answer:?}");
        if answer.status != 404 {
            done.push(action);
        }
    }
    assert!(done.len() >= 8, "{done:?}");
    let records = audit(&admin, "").await;
    let new = &records[..records.len() - before];
    assert!(new.len() >= 7, "{new:?}");
    for record in new {
        assert_eq!(record["actor"], root, "{record}");
        assert_eq!(record["act"], server.admin_person().id, "{record}");
    }
    for action in done {
        let named = new.iter().any(|record| text(&record["action"]).starts_with(action));
        assert!(named || action == "tenant.", "{action} is not audited");
    }
    // Records of the administrator's own actions name no impersonator.
    for record in audit(&admin, "&action=service_account.login_as").await {
        assert_eq!((&record["actor"], &record["act"]), (&json!(server.admin_person().id), &Value::Null));
    }
}

#[tokio::test]
async fn audit_distinguishes_impersonations_from_the_user() {
    let server = TestServer::start().await;
    let whom = json!({"user_id": server.editor_person().id, "reason": "ticket 5"});
    let session = server.admin().post("/api/auth/impersonate", whom).await.created();
    let acting = server.client(&text(&session["access_token"]));
    let team = acting.post("/api/teams", json!({"name": "Crew"})).await.created();
    let made = audit(&server.admin(), "&action=team.create").await;
    assert_eq!(made[0]["actor"], server.editor_person().id);
    assert_eq!(made[0]["act"], server.admin_person().id);
    assert_eq!(
        (&made[0]["actor_name"], &made[0]["act_name"]),
        (&json!("editor@example.org"), &json!("Administrator"))
    );
    let first = audit(&server.admin(), "&action=tenant.create").await;
    assert_eq!((&first[0]["actor_name"], &first[0]["act_name"]), (&Value::Null, &Value::Null));
    assert!(text(&made[0]["target"]).contains(&text(&team["id"])), "{made:?}");
}

#[tokio::test]
async fn audit_list_is_newest_first_and_filtered() {
    let server = TestServer::start().await;
    let admin = server.admin();
    for visibility in ["nobody", "everyone", "nobody"] {
        show(&server, "builtin/echo", json!({"visibility": visibility})).await;
    }
    let all = audit(&admin, "").await;
    let times: Vec<_> = all.iter().map(|record| text(&record["ts"])).collect();
    assert!(times.windows(2).all(|pair| pair[0] >= pair[1]), "{times:?}");
    // The pages contain the same records.
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("{ADMIN}/audit?limit=2{cursor}")).await.ok();
        paged.extend(page["items"].as_array().expect("items").clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, all);
    let created = audit(&admin, "&action=user.").await;
    assert!(!created.is_empty() && created.iter().all(|record| text(&record["action"]).starts_with("user.")));
    let target = text(&created[0]["target"]).replace(' ', "%20");
    assert!(audit(&admin, &format!("&target={target}")).await.contains(&created[0]));
    let own = audit(&admin, &format!("&actor={}", server.admin_person().id)).await;
    assert!(own.iter().all(|record| record["actor"] == server.admin_person().id));
    assert!(audit(&admin, &format!("&actor={}", server.user_person().id)).await.is_empty());
    assert!(audit(&admin, "&impersonated=true").await.is_empty());
    // The list covers this tenant only, and requires an administrator with the scope.
    let theirs = audit(&server.stranger(), "").await;
    assert!(theirs.iter().all(|record| !all.contains(record)));
    server.editor().get(&format!("{ADMIN}/audit")).await.problem(403, "role_missing");
    server.token(&["admin:write"]).await.get(&format!("{ADMIN}/audit")).await.problem(403, "scope_missing");
    assert_eq!(
        admin.get(&format!("{ADMIN}/audit?limit=0&cursor=x")).await.faults(),
        ["query.cursor", "query.limit"]
    );
}

#[tokio::test]
async fn audit_contains_no_secrets() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let made = admin.post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let password = "correct horse battery staple";
    let user = json!({"email": "new@example.org", "password": password, "role": "user"});
    admin.post("/api/auth/users", user).await.created();
    let all = json!(audit(&admin, "").await).to_string();
    assert!(!all.contains(&text(&made["token"])) && !all.contains(password) && !all.contains("sha256"));
}
