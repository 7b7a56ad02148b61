use crate::harness::TestServer;
use serde_json::json;

#[tokio::test]
async fn me_is_the_caller() {
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
async fn me_needs_a_scope_of_tokens() {
    let server = TestServer::start().await;
    server.token(&["account:read"]).await.get("/api/users/me").await.ok();
    server.token(&["account:write"]).await.get("/api/users/me").await.problem(403, "scope_missing");
}
