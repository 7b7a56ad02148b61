use crate::harness::{PASSWORD, Person, TestServer, text};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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

/// Otherwise the response would reveal which addresses have accounts in other tenants.
#[tokio::test]
async fn add_user_does_not_reveal_accounts_of_other_tenants() {
    let server = TestServer::start().await;
    let add = async |email: &str| {
        let body = json!({"email": email, "password": PASSWORD, "role": "user"});
        let mut problem = server.stranger().post("/api/auth/users", body).await.problem(403, "not_allowed");
        problem["request_id"].take();
        problem
    };
    let known = add("editor@example.org").await;
    assert_eq!(known, add("unknown@example.org").await);
    assert!(text(&known["detail"]).contains("invitations"), "{known}");
    // Platform administrators may add existing accounts, in any tenant.
    let body = json!({"email": "new@example.org", "password": PASSWORD, "role": "user"});
    server.admin_elsewhere().await.post("/api/auth/users", body).await.created();
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

/// A limited token cannot escape its limits by creating a user without limits.
#[tokio::test]
async fn limited_token_cannot_create_users_with_more_rights() {
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

/// Sends the head of a request, and the body once the server asks for it. By then the server has authenticated the
/// caller.
async fn slowly(
    server: &TestServer,
    token: &str,
    path: &str,
    body: &str,
    before_body: impl Future,
) -> String {
    let mut stream = TcpStream::connect(server.addr()).await.expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("it goes out");
    let mut told = [0; 256];
    let count = stream.read(&mut told).await.expect("an answer");
    let told = String::from_utf8_lossy(&told[..count]).into_owned();
    assert!(told.starts_with("HTTP/1.1 100"), "{told}");
    before_body.await;
    stream.write_all(body.as_bytes()).await.expect("it goes out");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

/// Rights are checked once the whole request has arrived: a user who is removed while the body is being sent changes
/// nothing.
#[tokio::test]
async fn removed_user_cannot_complete_a_request() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let new = |n: usize| json!({"email": format!("boss{n}@example.org"), "password": PASSWORD, "role": "tenant_admin"});
    let bodies = [
        ("/api/auth/api-tokens", json!({"name": "heir"})),
        ("/api/auth/users", new(100)),
        ("/api/tenant-admin/service-accounts", json!({"display_name": "Heir", "role": "tenant_admin"})),
    ];
    for (n, (path, body)) in bodies.into_iter().enumerate() {
        let id = admin.post("/api/auth/users", new(n)).await.created()["id"].clone();
        let boss = Person::log_in(&server.url(), &format!("boss{n}@example.org"), PASSWORD).await;
        let away = format!("/api/tenant-admin/users/{}", text(&id));
        let sent_away = async || server.admin().delete(&away).await.no_content();
        let answer = slowly(&server, &boss.access_token, path, &body.to_string(), sent_away()).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer}");
    }
}
