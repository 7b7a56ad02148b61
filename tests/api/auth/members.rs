use crate::harness::{PASSWORD, TestServer};
use serde_json::json;

#[tokio::test]
async fn admins_add_users() {
    let server = TestServer::start().await;
    let body =
        json!({"email": "Ada@Example.org", "password": PASSWORD, "role": "editor", "display_name": "Ada"});
    let made = server.admin().post("/api/auth/users", body.clone()).await.created();
    assert_eq!((&made["email"], &made["display_name"]), (&json!("ada@example.org"), &json!("Ada")));
    server.admin().post("/api/auth/users", body.clone()).await.problem(409, "name_taken");
    server.editor().post("/api/auth/users", body).await.problem(403, "role_missing");
    let login = json!({"email": "ada@example.org", "password": PASSWORD});
    let login = server.anonymous().post("/api/auth/login/", login).await.ok();
    assert_eq!(
        login["tenants"],
        json!([{"id": server.admin_person().tenant, "name": "Default", "slug": "default", "role": "editor"}])
    );
}

#[tokio::test]
async fn passwords_have_12_to_256_characters() {
    let server = TestServer::start().await;
    let add = async |email: &str, password: &str| {
        server.admin().post("/api/auth/users", json!({"email": email, "password": password})).await
    };
    assert_eq!(add("a", "12345678901").await.faults(), ["body.email", "body.password"]);
    assert_eq!(add("a@b", &"x".repeat(257)).await.faults(), ["body.password"]);
    add("a@b", "éééééééééééé").await.created();
    let longest = "x".repeat(256);
    add("c@d", &longest).await.created();
    server.anonymous().post("/api/auth/login/", json!({"email": "c@d", "password": longest})).await.ok();
}

#[tokio::test]
async fn platform_admins_add_tenants() {
    let server = TestServer::start().await;
    let made =
        server.admin().post("/api/auth/tenants", json!({"name": "Acme", "slug": "acme"})).await.created();
    assert_eq!(made["slug"], "acme");
    server.admin().post("/api/auth/tenants", json!({"name": "Acme"})).await.problem(409, "name_taken");
    server.stranger().post("/api/auth/tenants", json!({"name": "Mine"})).await.problem(403, "role_missing");
    let faults = server.admin().post("/api/auth/tenants", json!({"name": "", "slug": "A b"})).await.faults();
    assert_eq!(faults, ["body.name", "body.slug"]);
}

/// A token that is limited cannot rid itself of its limits by making somebody who has none.
#[tokio::test]
async fn a_limited_token_makes_no_administrators() {
    let server = TestServer::start().await;
    let token = server.token(&["admin:read", "admin:write"]).await;
    for role in ["user", "tenant_admin"] {
        let body = json!({"email": "new@example.org", "password": "correct-horse-battery", "role": role});
        token.post("/api/auth/users", body).await.problem(403, "scope_missing");
    }
    let role = format!("/api/tenant-admin/users/{}/role", server.user_person().id);
    token.put(&role, json!({"role": "tenant_admin"})).await.problem(403, "scope_missing");
    token.put(&role, json!({"role": "editor"})).await.ok();
    let invite = json!({"emails": ["new@example.org"], "role": "tenant_admin"});
    token.post("/api/tenant-admin/invitations", invite).await.problem(403, "scope_missing");
    let program = json!({"display_name": "x", "role": "tenant_admin"});
    token.post("/api/tenant-admin/service-accounts", program).await.problem(403, "scope_missing");
}
