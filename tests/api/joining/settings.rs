use super::{ADMIN, audited};
use crate::harness::{Client, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

const SETTINGS: &str = "/api/tenant-admin/settings";

#[tokio::test]
async fn settings_change_field_by_field() {
    let server = TestServer::start().await;
    let first = server.admin().get(SETTINGS).await.ok();
    assert_eq!(
        (&first["name"], &first["slug"], &first["time_zone"]),
        (&json!("Default"), &json!("default"), &Value::Null)
    );
    let change =
        json!({"name": "Acme", "time_zone": "Europe/Berlin", "token_max_days": 30, "stream_ttl_s": 3600});
    let now = server.admin().patch(SETTINGS, change).await.ok();
    assert_eq!(
        (&now["name"], &now["slug"], &now["time_zone"]),
        (&json!("Acme"), &json!("default"), &json!("Europe/Berlin"))
    );
    assert_eq!((&now["token_max_days"], &now["stream_ttl_s"]), (&json!(30), &json!(3600)));
    assert!(now["version"].as_u64() > first["version"].as_u64());
    let now = server.admin().patch(SETTINGS, json!({"time_zone": null, "slug": "acme"})).await.ok();
    assert_eq!(
        (&now["time_zone"], &now["slug"], &now["token_max_days"]),
        (&Value::Null, &json!("acme"), &json!(30))
    );
    assert_eq!(server.user().get("/api/users/me").await.ok()["tenant"]["name"], "Acme");
    // The maximum lifetime of tokens applies from now on.
    let body = json!({"name": "x", "expires_at": "2099-01-01T00:00:00Z"});
    assert_eq!(server.user().post("/api/auth/api-tokens", body).await.faults(), ["body.expires_at"]);
    let changes = audited(&server, &server.admin_person().tenant);
    assert_eq!(changes.iter().filter(|(action, _)| action == "tenant.settings").count(), 2);
    let server = server.restart().await;
    assert_eq!(server.admin().get(SETTINGS).await.ok(), now);
}

/// Names, short names and ids share one namespace, since the command line accepts any of them: a tenant with the name
/// of another one would receive what was meant for that one.
#[tokio::test]
async fn tenant_names_are_unique_across_names_and_ids() {
    let server = TestServer::start().await;
    let other = server.admin_person().tenant.clone();
    for taken in ["Default", "default", "DEFAULT", other.as_str()] {
        server.stranger().patch(SETTINGS, json!({"name": taken})).await.problem(409, "name_taken");
    }
    server.stranger().patch(SETTINGS, json!({"slug": other})).await.problem(409, "name_taken");
    server.admin().patch(SETTINGS, json!({"name": "default"})).await.ok();
}

#[tokio::test]
async fn settings_that_change_nothing_write_nothing() {
    let server = TestServer::start().await;
    let first = server.admin().get(SETTINGS).await.ok();
    let before = server.stored().await;
    assert_eq!(server.admin().patch(SETTINGS, json!({"name": "Default"})).await.ok(), first);
    assert_eq!(server.admin().patch(SETTINGS, json!({})).await.ok(), first);
    assert_eq!(server.stored().await, before);
}

#[tokio::test]
async fn settings_report_all_faults_at_once() {
    let server = TestServer::start().await;
    let patch = async |body: Value| server.admin().patch(SETTINGS, body).await;
    let body = json!({"name": "", "slug": "A b", "time_zone": "Mars/Olympus", "token_max_days": 0, "stream_ttl_s": 59});
    let faults = ["body.name", "body.slug", "body.stream_ttl_s", "body.time_zone", "body.token_max_days"];
    assert_eq!(patch(body).await.faults(), faults);
    patch(json!({"name": "Elsewhere"})).await.problem(409, "name_taken");
    let there = server.stranger().patch(SETTINGS, json!({"slug": "default"})).await;
    there.problem(409, "name_taken");
    assert_eq!(patch(json!({"provisioning_mode": "open"})).await.faults(), ["body.provisioning_mode"]);
}

#[tokio::test]
async fn change_of_settings_refuses_stale_versions() {
    let server = TestServer::start().await;
    let answer = server.admin().get(SETTINGS).await;
    let (tag, version) = (answer.header("etag").unwrap().to_owned(), answer.ok()["version"].clone());
    let send = async |tag: &str, name: &str| {
        let request = server.admin().request(Method::PATCH, SETTINGS).header("if-match", tag);
        Client::send(request.json(&json!({"name": name}))).await
    };
    let changed = send(&tag, "One").await;
    changed.ok();
    send(&tag, "Two").await.problem(412, "stale");
    server.admin().patch(SETTINGS, json!({"name": "Two", "version": version})).await.problem(412, "stale");
    send(changed.header("etag").unwrap(), "Two").await.ok();
    let held = server.admin().get(SETTINGS).await.header("etag").unwrap().to_owned();
    let again = server.admin().request(Method::GET, SETTINGS).header("if-none-match", held);
    Client::send(again).await.expect(304);
}

#[tokio::test]
async fn settings_require_an_administrator_with_the_scope() {
    let server = TestServer::start().await;
    for client in [server.user(), server.editor()] {
        client.get(SETTINGS).await.problem(403, "role_missing");
        client.patch(SETTINGS, json!({})).await.problem(403, "role_missing");
        let mode = client.put(&format!("{ADMIN}/provisioning-mode"), json!({"mode": "open"})).await;
        mode.problem(403, "role_missing");
    }
    server.anonymous().get(SETTINGS).await.expect(401);
    let reader = server.token(&["admin:read"]).await;
    reader.get(SETTINGS).await.ok();
    reader.patch(SETTINGS, json!({})).await.problem(403, "scope_missing");
    assert_ne!(
        server.stranger().get(SETTINGS).await.ok()["id"],
        server.admin().get(SETTINGS).await.ok()["id"]
    );
}
