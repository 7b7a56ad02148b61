//! Service accounts: members that are programs.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::User;
use uuid::Uuid;

use super::ADMIN;
use crate::harness::{Client, PASSWORD, Person, TestServer, hidden, text};

/// Creates an account and returns its id.
async fn account(client: &Client, name: &str, role: &str) -> String {
    let made =
        client.post(&format!("{ADMIN}/service-accounts"), json!({"display_name": name, "role": role})).await;
    text(&made.created()["id"])
}

fn tokens(account: &str) -> String {
    format!("{ADMIN}/service-accounts/{account}/api-tokens")
}

/// Returns a client with a new token of the account, and the token's id.
async fn acting(server: &TestServer, account: &str, scopes: Value) -> (Client, String) {
    let made = server.admin().post(&tokens(account), json!({"name": "ci", "scopes": scopes})).await.created();
    (server.client(&text(&made["token"])), text(&made["id"]))
}

#[tokio::test]
async fn service_account_acts_through_its_tokens() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let id = account(&admin, "Nightly", "editor").await;
    let (program, token) = acting(&server, &id, Value::Null).await;
    let me = program.get("/api/users/me").await.ok();
    assert_eq!(
        (&me["id"], &me["kind"], &me["role"]),
        (&json!(id), &json!("service_account"), &json!("editor"))
    );
    program.post("/api/assistants", json!({"name": "Made by a program"})).await.created();
    program.get(&format!("{ADMIN}/features")).await.problem(403, "role_missing");
    // It cannot log in, since it has no password.
    let login = json!({"email": me["email"], "password": PASSWORD});
    server.anonymous().post("/api/auth/login/", login).await.problem(401, "login_failed");
    // The token is shown without its secret.
    let listed = admin.get(&tokens(&id)).await.ok();
    assert_eq!(listed["items"][0]["id"], token);
    let one = admin.get(&format!("{}/{token}", tokens(&id))).await.ok();
    for shown in [&listed["items"][0], &one] {
        assert!(shown.get("token").is_none() && shown.get("secret_sha256").is_none(), "{shown}");
    }
    let new = json!({"name": "less", "scopes": ["assistants:read"], "expires_at": null});
    admin.put(&format!("{}/{token}", tokens(&id)), new).await.ok();
    program.post("/api/assistants", json!({"name": "x"})).await.problem(403, "scope_missing");
    program.get("/api/assistants").await.ok();
    let renamed = format!("{ADMIN}/service-accounts/{id}/display-name");
    assert_eq!(admin.patch(&renamed, json!({"display_name": "Daily"})).await.ok()["display_name"], "Daily");
    assert_eq!(admin.patch(&renamed, json!({"display_name": ""})).await.faults(), ["body.display_name"]);
    let all = admin.get(&format!("{ADMIN}/service-accounts")).await.ok();
    assert_eq!(all["items"][0]["display_name"], "Daily");
    assert_eq!(all["items"].as_array().map(Vec::len), Some(1), "people are not service accounts");
    // The account survives a restart, and a revocation takes effect at once.
    let server = server.restart().await;
    let program = server.client(program.bearer());
    program.get("/api/assistants").await.ok();
    let revoke = format!("{}/{token}/revoke", tokens(&id));
    assert!(server.admin().post(&revoke, json!({})).await.ok()["revoked_at"].is_string());
    program.get("/api/assistants").await.problem(401, "token_revoked");
}

#[tokio::test]
async fn deleted_service_account_loses_access_and_its_objects_stay() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let id = account(&admin, "Nightly", "editor").await;
    let (program, _) = acting(&server, &id, Value::Null).await;
    let body = json!({"name": "Its own", "visibility": "tenant"});
    let assistant = text(&program.post("/api/assistants", body).await.created()["id"]);
    let session = admin.post(&format!("{ADMIN}/service-accounts/{id}/login-as"), json!({})).await.created();
    let session = server.client(&text(&session["access_token"]));
    session.get("/api/users/me").await.ok();
    let path = format!("{ADMIN}/service-accounts/{id}");
    admin.delete(&path).await.no_content();
    admin.delete(&path).await.no_content();
    assert_eq!(program.get("/api/users/me").await.status, 401);
    assert_eq!(session.get("/api/users/me").await.status, 401);
    admin.post(&tokens(&id), json!({"name": "again"})).await.problem(409, "conflict");
    admin.post(&format!("{path}/login-as"), json!({})).await.not_found();
    server.user().get(&format!("/api/assistants/{assistant}")).await.ok();
    assert_eq!(admin.get(&format!("{ADMIN}/service-accounts")).await.ok()["items"][0]["disabled"], true);
}

#[tokio::test]
async fn service_account_outlives_its_creator() {
    let server = TestServer::start().await;
    let new = json!({"email": "second@example.org", "password": PASSWORD, "role": "tenant_admin"});
    let second = text(&server.admin().post("/api/auth/users", new).await.created()["id"]);
    let second_admin = Person::log_in(&server.url(), "second@example.org", PASSWORD).await;
    let second_admin = server.client(&second_admin.access_token);
    let id = account(&second_admin, "Nightly", "user").await;
    let made = second_admin.post(&tokens(&id), json!({"name": "ci"})).await.created();
    let program = server.client(&text(&made["token"]));
    let session =
        second_admin.post(&format!("{ADMIN}/service-accounts/{id}/login-as"), json!({})).await.created();
    let session = server.client(&text(&session["access_token"]));
    session.get("/api/users/me").await.ok();
    let who: Uuid = second.parse().expect("a UUID");
    let kept_out = server.store().run::<_, storage::Error>(move |tx| {
        tx.change_rights();
        let mut user = tx.require::<User>(TenantId::SYSTEM, &who)?;
        user.disabled = true;
        tx.update(TenantId::SYSTEM, user).map(drop)
    });
    kept_out.await.expect("it is stored");
    program.get("/api/users/me").await.ok();
    // The session of an administrator who acted as the account has ended.
    session.get("/api/users/me").await.problem(401, "session_ended");
}

#[tokio::test]
async fn limited_token_cannot_gain_scopes_through_a_service_account() {
    let server = TestServer::start().await;
    let id = account(&server.admin(), "Root", "tenant_admin").await;
    let limited = server.token(&["admin:write", "admin:read"]).await;
    for scopes in [Value::Null, json!(["llm:use"]), json!(["admin:read", "llm:use"])] {
        let refused = limited.post(&tokens(&id), json!({"name": "more", "scopes": scopes})).await;
        refused.problem(403, "scope_missing");
    }
    let made = limited.post(&tokens(&id), json!({"name": "less", "scopes": ["admin:read"]})).await.created();
    let less = server.client(&text(&made["token"]));
    less.get(&format!("{ADMIN}/features")).await.ok();
    less.put(&format!("{ADMIN}/features/chat/visibility"), hidden()).await.problem(403, "scope_missing");
    // The limited token cannot change a wider token of the account.
    let (_, wide) = acting(&server, &id, Value::Null).await;
    let new = json!({"name": "x", "scopes": ["admin:read"], "expires_at": null});
    limited.put(&format!("{}/{wide}", tokens(&id)), new).await.problem(403, "scope_missing");
    let login = format!("{ADMIN}/service-accounts/{id}/login-as");
    limited.post(&login, json!({})).await.problem(403, "session_required");
    server.editor().post(&login, json!({})).await.problem(403, "role_missing");
    // An impersonation of the account cannot create tokens.
    let session = server.admin().post(&login, json!({})).await.created();
    assert_eq!(session["expires_in"], 3600);
    let session = server.client(&text(&session["access_token"]));
    let me = session.get("/api/users/me").await.ok();
    assert_eq!(me["impersonated_by"], server.admin_person().id);
    let made = json!({"display_name": "x", "role": "user"});
    session.post(&format!("{ADMIN}/service-accounts"), made).await.problem(403, "impersonation_limited");
    session.post(&tokens(&id), json!({"name": "x"})).await.problem(403, "impersonation_limited");
    session.post("/api/auth/api-tokens", json!({"name": "x"})).await.problem(403, "impersonation_limited");
    session.post(&login, json!({})).await.problem(403, "impersonation_limited");
    let next = session.post("/api/auth/refresh-impersonation/", json!({})).await.ok();
    server.client(&text(&next["access_token"])).get(&format!("{ADMIN}/features")).await.ok();
}

#[tokio::test]
async fn service_accounts_are_limited_to_the_tenant() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let (id, other) = (account(&admin, "One", "user").await, account(&admin, "Two", "user").await);
    let (_, token) = acting(&server, &id, Value::Null).await;
    let person = server.editor_person().id.clone();
    let calls = |account: &str, token: &str| {
        let base = format!("{ADMIN}/service-accounts/{account}");
        vec![
            ("GET", format!("{base}/api-tokens"), Value::Null),
            ("POST", format!("{base}/api-tokens"), json!({"name": "x"})),
            ("GET", format!("{base}/api-tokens/{token}"), Value::Null),
            (
                "PUT",
                format!("{base}/api-tokens/{token}"),
                json!({"name": "x", "scopes": null, "expires_at": null}),
            ),
            ("POST", format!("{base}/api-tokens/{token}/revoke"), json!({})),
            ("PATCH", format!("{base}/display-name"), json!({"display_name": "x"})),
            ("POST", format!("{base}/login-as"), json!({})),
            ("DELETE", base, Value::Null),
        ]
    };
    let send = async |client: &Client, method: &str, path: &str, body: &Value| {
        let request = client.request(method.parse().expect("a method"), path);
        Client::send(if body.is_null() { request } else { request.json(body) }).await
    };
    for (method, path, body) in calls(&id, &token) {
        send(&server.stranger(), method, &path, &body).await.not_found();
        send(&server.user(), method, &path, &body).await.problem(403, "role_missing");
        send(&server.anonymous(), method, &path, &body).await.problem(401, "credentials_missing");
    }
    for (method, path, body) in calls(&person, &token) {
        send(&admin, method, &path, &body).await.not_found();
    }
    for (method, path, body) in calls(&other, &token).into_iter().filter(|call| call.1.contains(&token)) {
        send(&admin, method, &path, &body).await.not_found();
    }
    server.client(&server.editor_person().access_token).get("/api/users/me").await.ok();
    let wrong =
        admin.post(&format!("{ADMIN}/service-accounts"), json!({"display_name": "", "role": "king"})).await;
    assert_eq!(wrong.faults(), ["body.display_name", "body.role"]);
}
