use crate::harness::{PASSWORD, TestServer, text};
use serde_json::json;

#[tokio::test]
async fn login_returns_tokens_user_and_tenants() {
    let server = TestServer::start().await;
    let body = json!({"email": "EDITOR@example.org", "password": PASSWORD});
    let answer = server.anonymous().post("/api/auth/login/", body).await;
    let login = answer.ok();
    assert_eq!(login["user"]["email"], "editor@example.org");
    assert_eq!(login["expires_in"], 900);
    assert_eq!(login["token_type"], "Bearer");
    assert_eq!(login["tenant"]["name"], "Default");
    assert_eq!(login["tenants"][0]["role"], "editor");
    let me = server.client(&text(&login["access_token"])).get("/api/users/me").await.ok();
    assert_eq!(me["id"], login["user"]["id"]);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(!answer.text().contains("argon2"));
}

#[tokio::test]
async fn login_responds_alike_to_unknown_users_and_wrong_passwords() {
    let server = TestServer::start().await;
    let attempt = async |email: &str, password: &str| {
        let body = json!({"email": email, "password": password});
        let mut problem =
            server.anonymous().post("/api/auth/login/", body).await.problem(401, "login_failed");
        problem["request_id"].take();
        problem
    };
    let wrong = attempt("user@example.org", "not the password").await;
    assert_eq!(wrong, attempt("unknown@example.org", "not the password").await);
    assert_eq!(wrong, attempt("user@example.org", &"x".repeat(1000)).await);
}

#[tokio::test]
async fn login_reports_all_faults_at_once() {
    let server = TestServer::start().await;
    let login = async |body| server.anonymous().post("/api/auth/login/", body).await.faults();
    assert_eq!(login(json!({"mail": "x"})).await, ["body.email", "body.mail", "body.password"]);
    let body = json!({"email": "", "password": 5, "tenant_id": "here"});
    assert_eq!(login(body).await, ["body.email", "body.password", "body.tenant_id"]);
    assert_eq!(login(json!([])).await, ["body"]);
}

#[tokio::test]
async fn login_failures_are_throttled_by_account() {
    let server = TestServer::start_with(|config| config.auth.failures_per_account = 3).await;
    let attempt = async |email: &str, password: &str| {
        server.anonymous().post("/api/auth/login/", json!({"email": email, "password": password})).await
    };
    for _ in 0..3 {
        attempt("user@example.org", "wrong password").await.problem(401, "login_failed");
    }
    // Even the correct password has to wait, and different letter case does not bypass the limit.
    let refused = attempt("User@Example.org", PASSWORD).await;
    refused.problem(429, "login_throttled");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=15 * 60 + 1).contains(&wait), "{wait}");
    attempt("editor@example.org", PASSWORD).await.ok();
    // Unknown accounts are throttled like known ones. Otherwise the two could be distinguished.
    for _ in 0..3 {
        attempt("unknown@example.org", "wrong password").await.problem(401, "login_failed");
    }
    attempt("unknown@example.org", "wrong password").await.problem(429, "login_throttled");
}

#[tokio::test]
async fn login_failures_are_throttled_by_address() {
    let server = TestServer::start_with(|config| config.auth.failures_per_address = 5).await;
    for n in 0..5 {
        let body = json!({"email": format!("x{n}@example.org"), "password": "wrong password"});
        server.anonymous().post("/api/auth/login/", body).await.problem(401, "login_failed");
    }
    let attempt = async |email: &str| {
        let body = json!({"email": email, "password": PASSWORD});
        server.anonymous().post("/api/auth/login/", body).await
    };
    attempt("unknown@example.org").await.problem(429, "login_throttled");
    // A user who has logged in from this address before is not affected.
    attempt("user@example.org").await.ok();
}

#[tokio::test]
async fn login_selects_the_requested_tenant() {
    let server = TestServer::start().await;
    let admin = server.admin_person();
    let other = server.admin().post("/api/auth/tenants", json!({"name": "Second"})).await.created();
    let login = async |tenant: serde_json::Value| {
        let body = json!({"email": admin.email, "password": admin.password, "tenant_id": tenant});
        server.anonymous().post("/api/auth/login/", body).await
    };
    assert_eq!(login(other["id"].clone()).await.ok()["tenant"]["name"], "Second");
    assert_eq!(login(json!(null)).await.ok()["tenant"]["name"], "Default");
    login(json!("01890000-0000-7000-8000-000000000000")).await.not_found();
}

#[tokio::test]
async fn logout_ends_the_session_at_once() {
    let server = TestServer::start().await;
    let user = server.user();
    user.get("/api/users/me").await.ok();
    user.post("/api/auth/logout/", json!({})).await.no_content();
    user.get("/api/users/me").await.problem(401, "session_ended");
    let refresh = json!({"refresh_token": server.user_person().refresh_token});
    server.anonymous().post("/api/auth/refresh/", refresh).await.problem(401, "refresh_invalid");
    // Other users are not affected.
    server.editor().get("/api/users/me").await.ok();
}

#[tokio::test]
async fn logout_of_all_ends_every_session_of_the_user() {
    let server = TestServer::start().await;
    let body = json!({"email": "user@example.org", "password": PASSWORD});
    let second = server.anonymous().post("/api/auth/login/", body).await.ok();
    let second = server.client(&text(&second["access_token"]));
    let token = server.user().post("/api/auth/api-tokens", json!({"name": "kept"})).await.created();
    second.post("/api/auth/logout/", json!({"all": true})).await.no_content();
    second.get("/api/users/me").await.problem(401, "session_ended");
    server.user().get("/api/users/me").await.problem(401, "session_ended");
    server.editor().get("/api/users/me").await.ok();
    server.client(&text(&token["token"])).get("/api/users/me").await.ok();
}

#[tokio::test]
async fn sessions_survive_a_restart() {
    let server = TestServer::start().await;
    let before = server.user().get("/api/users/me").await.ok();
    let server = server.restart().await;
    assert_eq!(server.user().get("/api/users/me").await.ok(), before);
}

#[tokio::test]
async fn logout_refuses_api_tokens() {
    let server = TestServer::start().await;
    let token = server.token(&["account:read"]).await;
    token.post("/api/auth/logout/", json!({})).await.problem(403, "session_required");
    let tenant = server.admin_person().tenant.clone();
    token
        .post("/api/auth/switch-tenant", json!({"tenant_id": tenant}))
        .await
        .problem(403, "session_required");
}

#[tokio::test]
async fn switch_tenant_requires_membership() {
    let server = TestServer::start().await;
    let theirs = server.stranger_person().tenant.clone();
    server.user().post("/api/auth/switch-tenant", json!({"tenant_id": theirs})).await.not_found();
    let switched = server.admin().post("/api/auth/switch-tenant", json!({"tenant_id": theirs})).await.ok();
    assert_eq!(switched["tenant"]["id"], theirs);
    assert!(switched.get("refresh_token").is_none());
    let there = server.client(&text(&switched["access_token"]));
    assert_eq!(there.get("/api/users/me").await.ok()["tenant"]["id"], theirs);
    // From now on, the existing refresh token leads to the new tenant.
    let refresh = json!({"refresh_token": server.admin_person().refresh_token});
    let renewed = server.anonymous().post("/api/auth/refresh/", refresh).await.ok();
    assert_eq!(renewed["tenant"]["id"], theirs);
}
