use crate::harness::{TestServer, text};
use serde_json::json;

#[tokio::test]
async fn me_returns_the_caller() {
    let server = TestServer::start().await;
    let me = server.editor().get("/api/users/me").await.ok();
    assert_eq!(me["email"], "editor@example.org");
    assert_eq!(me["role"], "editor");
    assert_eq!(me["tenants"].as_array().unwrap().len(), 1);
    assert_eq!(me["impersonated_by"], json!(null));
    assert!(!me["scopes"].as_array().unwrap().contains(&json!("admin:read")));
    let me = server.admin().get("/api/users/me").await.ok();
    assert_eq!(me["platform_admin"], true);
    assert!(me["scopes"].as_array().unwrap().contains(&json!("admin:read")));
}

#[tokio::test]
async fn me_states_what_can_be_attached() {
    let server = TestServer::start_with(|config| {
        config.limits.upload_bytes = 1_000;
        config.limits.form_files = 3;
    })
    .await;
    let user = server.user();
    let me = user.get("/api/users/me").await.ok();
    let limits = json!({"file_bytes": 1_000, "files_per_message": 3, "media_types": ["*/*"]});
    assert_eq!(me["uploads"], limits);
    let home = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    let path = format!("/api/conversations/{home}/signed-upload-url");
    let file = |size: u64| json!({"filename": "a", "media_type": "text/plain", "size": size});
    user.post(&path, file(1_000)).await.ok();
    user.post(&path, file(1_001)).await.problem(413, "too_large");
}

#[tokio::test]
async fn me_requires_a_scope_of_tokens() {
    let server = TestServer::start().await;
    server.token(&["account:read"]).await.get("/api/users/me").await.ok();
    server.token(&["account:write"]).await.get("/api/users/me").await.problem(403, "scope_missing");
}

const PREFERENCES: &str = "/api/users/preferences";

#[tokio::test]
async fn preferences_are_merged_and_cleared() {
    let server = TestServer::start().await;
    let user = server.user();
    let first = user.get(PREFERENCES).await.ok();
    for name in ["theme", "language", "default_model", "use_memories", "make_memories"] {
        assert_eq!(first[name], json!(null), "{name}");
    }
    let new = json!({"theme": "dark", "language": "de-CH", "default_model": "scribe", "make_memories": true});
    let changed = user.patch(PREFERENCES, new).await.ok();
    assert_eq!(changed["default_model"], "builtin/scribe", "stored with the full id");
    assert_eq!(changed["version"].as_u64(), first["version"].as_u64().map(|version| version + 1));
    let changed = user.patch(PREFERENCES, json!({"language": null, "use_memories": false})).await.ok();
    let expected = json!({"theme": "dark", "language": null, "default_model": "builtin/scribe",
        "use_memories": false, "make_memories": true, "favourite_models": [], "notification_defaults": null,
        "version": changed["version"]});
    assert_eq!(changed, expected);
    let server = server.restart().await;
    assert_eq!(server.user().get(PREFERENCES).await.ok(), expected);
    let me = server.user().get("/api/users/me").await.ok();
    assert_eq!(me["preferences"]["theme"], "dark");
    assert_eq!(server.editor().get(PREFERENCES).await.ok()["theme"], json!(null));
}

#[tokio::test]
async fn preferences_are_validated_and_changed_at_one_version() {
    let server = TestServer::start().await;
    let user = server.user();
    let wrong = json!({"theme": "", "language": "no language", "default_model": "x".repeat(201), "color": 1});
    let places = ["body.color", "body.default_model", "body.language", "body.theme"];
    assert_eq!(user.patch(PREFERENCES, wrong).await.faults(), places);
    let none = json!({"theme": "dark", "default_model": "none/such"});
    assert_eq!(user.patch(PREFERENCES, none).await.faults(), ["body.default_model"]);
    let before = user.get(PREFERENCES).await.ok();
    assert_eq!(before["theme"], json!(null), "a fault changes nothing");
    let version = before["version"].clone();
    user.patch(PREFERENCES, json!({"theme": "dark", "version": version})).await.ok();
    user.patch(PREFERENCES, json!({"theme": "light", "version": version})).await.problem(412, "stale");
    let stale =
        user.request(reqwest::Method::PATCH, PREFERENCES).header("if-match", format!("\"{version}\""));
    crate::harness::Client::send(stale.json(&json!({"theme": "light"}))).await.problem(412, "stale");
    assert_eq!(user.get(PREFERENCES).await.ok()["theme"], "dark");
}

#[tokio::test]
async fn preferences_require_scopes_of_tokens() {
    let server = TestServer::start().await;
    let (reader, writer) = (server.token(&["account:read"]).await, server.token(&["account:write"]).await);
    reader.get(PREFERENCES).await.ok();
    reader.patch(PREFERENCES, json!({})).await.problem(403, "scope_missing");
    writer.patch(PREFERENCES, json!({"theme": "dark"})).await.ok();
    writer.get(PREFERENCES).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn display_name_change_applies_everywhere() {
    const ME: &str = "/api/users/me";
    let server = TestServer::start().await;
    let user = server.user();
    let before = user.get(ME).await.ok();
    let after =
        user.patch(ME, json!({"display_name": "Ada Lovelace", "version": before["version"]})).await.ok();
    assert_eq!((&after["display_name"], &after["email"]), (&json!("Ada Lovelace"), &before["email"]));
    assert_eq!(user.get(ME).await.ok(), after);
    let seen = server.editor().get(&format!("/api/users/{}", server.user_person().id)).await.ok();
    assert_eq!(seen["display_name"], "Ada Lovelace");
    assert_eq!(user.patch(ME, json!({})).await.ok(), after, "omitted fields stay");

    let long = "x".repeat(101);
    for wrong in [json!({"display_name": "  "}), json!({"display_name": long})] {
        assert_eq!(user.patch(ME, wrong).await.faults(), ["body.display_name"]);
    }
    assert_eq!(user.patch(ME, json!({"email": "eve@example.org"})).await.faults(), ["body.email"]);
    user.patch(ME, json!({"display_name": "x", "version": before["version"]})).await.problem(412, "stale");
    assert_eq!(user.get(ME).await.ok(), after, "a fault changes nothing");
    server.token(&["account:read"]).await.patch(ME, json!({})).await.problem(403, "scope_missing");
    let wish = json!({"user_id": server.user_person().id, "reason": "to see"});
    let acting = server.admin().post("/api/auth/impersonate", wish).await.created();
    let acting = server.client(acting["access_token"].as_str().unwrap());
    acting.patch(ME, json!({"display_name": "x"})).await.problem(403, "impersonation_limited");
}
