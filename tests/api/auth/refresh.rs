use crate::harness::{TestServer, text};
use serde_json::{Value, json};

async fn refresh(server: &TestServer, token: &str) -> crate::harness::Answer {
    server.anonymous().post("/api/auth/refresh/", json!({"refresh_token": token})).await
}

#[tokio::test]
async fn refresh_tokens_rotate() {
    let server = TestServer::start().await;
    let mut token = server.user_person().refresh_token.clone();
    for _ in 0..3 {
        let next = refresh(&server, &token).await.ok();
        server.client(&text(&next["access_token"])).get("/api/users/me").await.ok();
        assert_ne!(text(&next["refresh_token"]), token);
        token = text(&next["refresh_token"]);
    }
    // The renewed session is the same one: the first access token is still valid.
    server.user().get("/api/users/me").await.ok();
}

#[tokio::test]
async fn reuse_of_a_refresh_token_ends_its_family() {
    let server = TestServer::start().await;
    let first = server.user_person().refresh_token.clone();
    let second = refresh(&server, &first).await.ok();
    let third = refresh(&server, &text(&second["refresh_token"])).await.ok();
    // The oldest token, long after its use.
    refresh(&server, &first).await.problem(401, "refresh_reused");
    refresh(&server, &text(&third["refresh_token"])).await.problem(401, "refresh_invalid");
    server.client(&text(&third["access_token"])).get("/api/users/me").await.problem(401, "session_ended");
    server.user().get("/api/users/me").await.problem(401, "session_ended");
}

#[tokio::test]
async fn concurrent_refreshes_succeed_once_and_end_the_family() {
    let server = TestServer::start().await;
    let token = server.user_person().refresh_token.clone();
    let answers = futures::future::join_all((0..8).map(|_| refresh(&server, &token))).await;
    let won: Vec<Value> =
        answers.iter().filter(|answer| answer.status == 200).map(|answer| answer.ok()).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    assert!(answers.iter().any(|answer| answer.status == 401 && answer.json()["code"] == "refresh_reused"));
    refresh(&server, &text(&won[0]["refresh_token"])).await.problem(401, "refresh_invalid");
}

#[tokio::test]
async fn invented_refresh_tokens_end_no_session() {
    let server = TestServer::start().await;
    let good = server.user_person().refresh_token.clone();
    let forged = format!("{}{}", &good[..good.len() - 4], "0000");
    for bad in ["", "unr_", "x", &forged, server.user().bearer()] {
        let answer = refresh(&server, bad).await;
        answer.problem(401, "refresh_invalid");
    }
    refresh(&server, &good).await.ok();
}

#[tokio::test]
async fn refresh_token_is_not_accepted_as_an_access_token() {
    let server = TestServer::start().await;
    let token = server.user_person().refresh_token.clone();
    server.client(&token).get("/api/users/me").await.problem(401, "credentials_malformed");
    // As the bearer token of the refresh operation itself it is accepted.
    server.client(&token).post("/api/auth/refresh/", json!({})).await.ok();
    server.anonymous().post("/api/auth/refresh/", json!({})).await.problem(401, "credentials_missing");
}
