use crate::harness::{Client, TestServer};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn check_identifies_the_owner_of_the_credentials() {
    let server = TestServer::start().await;
    let caller = server.editor().post("/api/auth/check/", json!({})).await.ok();
    assert_eq!(
        (caller["email"].as_str(), caller["role"].as_str()),
        (Some("editor@example.org"), Some("editor"))
    );
    assert!(caller["session_id"].is_string() && caller["token_id"].is_null());
    let token = server.token(&["account:read", "llm:use"]).await;
    let caller = token.post("/api/auth/check/", json!({})).await.ok();
    assert_eq!(caller["scopes"], json!(["llm:use", "account:read"]));
    // A token without scopes may still ask who it belongs to.
    let caller = server.token(&[]).await.post("/api/auth/check/", json!({})).await.ok();
    assert_eq!(caller["scopes"], json!([]));
}

#[tokio::test]
async fn check_distinguishes_malformed_from_invalid_credentials() {
    let server = TestServer::start().await;
    server.anonymous().post("/api/auth/check/", json!({})).await.problem(401, "credentials_missing");
    let send = async |header: &str| {
        let request =
            server.anonymous().request(Method::POST, "/api/auth/check/").header("authorization", header);
        Client::send(request).await
    };
    for malformed in ["Bearer", "Bearer not-a-token", "Basic dXNlcjpwYXNz", "Bearer und_x"] {
        assert_eq!(send(malformed).await.faults(), ["header.authorization"], "{malformed}");
    }
    // Everywhere else these values are refused as credentials.
    for path in ["/api/auth/decode_access_token/", "/api/users/me"] {
        let request = server.anonymous().request(Method::GET, path).header("authorization", "Bearer und_x");
        Client::send(request).await.problem(401, "credentials_malformed");
    }
    send("Bearer a.b.c").await.problem(401, "credentials_invalid");
    let ended = server.user();
    ended.post("/api/auth/logout/", json!({})).await.no_content();
    ended.post("/api/auth/check/", json!({})).await.problem(401, "session_ended");
}

#[tokio::test]
async fn decode_shows_the_claims() {
    let server = TestServer::start().await;
    let claims = server.user().get("/api/auth/decode_access_token/").await.ok();
    assert_eq!(claims["sub"], server.user_person().id);
    assert_eq!(claims["tid"], server.user_person().tenant);
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 900);
    let claims = server.token(&["usage:read"]).await.get("/api/auth/decode_access_token/").await.ok();
    assert_eq!((&claims["scopes"], &claims["sid"]), (&json!(["usage:read"]), &json!(null)));
}

#[tokio::test]
async fn scope_list_describes_each_scope() {
    let server = TestServer::start().await;
    let list = server.user().get("/api/auth/token-scopes/").await.ok();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 26);
    assert!(items.iter().all(|item| item["description"].as_str().unwrap().ends_with('.')));
    let admin = items.iter().find(|item| item["scope"] == "admin:write").unwrap();
    assert_eq!((&admin["least_role"], &admin["available"]), (&json!("tenant_admin"), &json!(false)));
}

#[tokio::test]
async fn expired_access_tokens_are_refused() {
    let server = TestServer::start().await;
    // Three parts of the right form, with an unknown signature.
    let token = server.user().bearer().to_owned();
    let (head, _) = token.rsplit_once('.').unwrap();
    let forged = format!("{head}.{}", "A".repeat(86));
    server.client(&forged).get("/api/users/me").await.problem(401, "credentials_invalid");
}
