use crate::harness::{Client, TestServer, text, until};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn api_token_is_shown_once_and_authenticates() {
    let server = TestServer::start().await;
    let body = json!({"name": "CI", "scopes": ["account:read"], "expires_at": "2099-01-02T03:04:05.678Z"});
    let made = server.user().post("/api/auth/api-tokens/", body).await.created();
    let token = text(&made["token"]);
    assert!(token.starts_with("und_"));
    assert_eq!(made["expires_at"], "2099-01-02T03:04:05.678Z");
    assert_eq!(made["scopes"], json!(["account:read"]));
    let id = text(&made["id"]);
    let shown = server.user().get(&format!("/api/auth/api-tokens/{id}")).await;
    assert_eq!(shown.ok()["name"], "CI");
    let secret = token.rsplit('_').next().unwrap();
    let list = server.user().get("/api/auth/api-tokens/").await;
    for answer in [&shown, &list] {
        assert!(!answer.text().contains(secret) && !answer.text().contains("sha256"), "{answer:?}");
    }
    assert_eq!(list.ok()["items"][0]["id"], id);
    let me = server.client(&token).get("/api/users/me").await.ok();
    assert_eq!(me["scopes"], json!(["account:read"]));
}

#[tokio::test]
async fn api_tokens_are_visible_to_their_owner_only() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "mine"})).await.created();
    let path = format!("/api/auth/api-tokens/{}", text(&made["id"]));
    let change = json!({"name": "x", "scopes": null, "expires_at": null});
    for other in [server.admin(), server.editor(), server.stranger()] {
        other.get(&path).await.not_found();
        other.put(&format!("{path}/"), change.clone()).await.not_found();
        other.post(&format!("{path}/revoke/"), json!({})).await.not_found();
        assert_eq!(other.get("/api/auth/api-tokens/").await.ok()["items"], json!([]));
    }
}

#[tokio::test]
async fn revoke_takes_effect_at_once_and_is_idempotent() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let token = server.client(&text(&made["token"]));
    token.get("/api/users/me").await.ok();
    let path = format!("/api/auth/api-tokens/{}/revoke/", text(&made["id"]));
    let revoked = server.user().post(&path, json!({})).await.ok();
    assert!(revoked["revoked_at"].is_string());
    token.get("/api/users/me").await.problem(401, "token_revoked");
    assert_eq!(server.user().post(&path, json!({})).await.ok()["revoked_at"], revoked["revoked_at"]);
    let path = format!("/api/auth/api-tokens/{}/", text(&made["id"]));
    let change = json!({"name": "x", "scopes": null, "expires_at": null});
    server.user().put(&path, change).await.problem(409, "conflict");
}

#[tokio::test]
async fn changed_scopes_take_effect_at_once() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let token = server.client(&text(&made["token"]));
    token.get("/api/users/me").await.ok();
    let path = format!("/api/auth/api-tokens/{}/", text(&made["id"]));
    let change = json!({"name": "y", "scopes": ["usage:read"], "expires_at": null});
    let changed = server.user().put(&path, change).await;
    assert_eq!(changed.ok()["name"], "y");
    token.get("/api/users/me").await.problem(403, "scope_missing");
    // A PUT replaces the token. A missing `scopes` is refused, not read as `null`, which would widen the token.
    assert_eq!(
        server.user().put(&path, json!({"name": "z"})).await.faults(),
        ["body.expires_at", "body.scopes"]
    );
}

#[tokio::test]
async fn update_refuses_stale_versions() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let id = text(&made["id"]);
    let tag =
        server.user().get(&format!("/api/auth/api-tokens/{id}")).await.header("etag").unwrap().to_owned();
    let change = async |name: &str, tag: Option<&str>, version: Option<u64>| {
        let body = json!({"name": name, "scopes": null, "expires_at": null, "version": version});
        let request = server.user().request(Method::PUT, &format!("/api/auth/api-tokens/{id}/")).json(&body);
        let request = match tag {
            Some(tag) => request.header("if-match", tag),
            None => request,
        };
        Client::send(request).await
    };
    let changed = change("a", Some(&tag), None).await;
    assert_eq!(changed.ok()["version"], 2);
    assert_eq!(changed.header("etag"), Some("\"2\""));
    change("b", Some(&tag), None).await.problem(412, "stale");
    change("b", None, Some(1)).await.problem(412, "stale");
    change("b", None, Some(2)).await.ok();
    let request = server.user().request(Method::GET, &format!("/api/auth/api-tokens/{id}"));
    Client::send(request.header("if-none-match", "\"3\"")).await.expect(304);
}

#[tokio::test]
async fn api_token_requests_report_the_place_of_each_fault() {
    let server = TestServer::start().await;
    let body =
        json!({"name": "", "scopes": ["account:read", "everything"], "expires_at": "2001-01-01T00:00:00Z"});
    let faults = server.user().post("/api/auth/api-tokens", body).await.faults();
    assert_eq!(faults, ["body.expires_at", "body.name", "body.scopes.1"]);
    let body = json!({"name": "x".repeat(101)});
    assert_eq!(server.user().post("/api/auth/api-tokens", body).await.faults(), ["body.name"]);
    // In UTC, this is in the year 10000, which RFC 3339 does not have.
    let body = json!({"name": "x", "expires_at": "9999-12-31T23:59:59-01:00"});
    assert_eq!(server.user().post("/api/auth/api-tokens", body).await.faults(), ["body.expires_at"]);
    assert_eq!(server.user().get("/api/auth/api-tokens/none").await.faults(), ["path.token_id"]);
    assert_eq!(
        server.user().get("/api/auth/api-tokens/?limit=201&cursor=!").await.faults(),
        ["query.cursor", "query.limit"]
    );
}

#[tokio::test]
async fn api_token_list_is_paged_newest_first() {
    let server = TestServer::start().await;
    for n in 0..5 {
        server.user().post("/api/auth/api-tokens", json!({"name": format!("t{n}")})).await.created();
    }
    let (mut names, mut path) = (Vec::new(), "/api/auth/api-tokens/?limit=2".to_owned());
    loop {
        let page = server.user().get(&path).await.ok();
        names.extend(page["items"].as_array().unwrap().iter().map(|item| text(&item["name"])));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/api/auth/api-tokens/?limit=2&cursor={cursor}");
    }
    assert_eq!(names, ["t4", "t3", "t2", "t1", "t0"]);
}

#[tokio::test]
async fn api_token_cannot_create_or_widen_tokens_beyond_its_scopes() {
    let server = TestServer::start().await;
    let narrow = server.token(&["account:write", "account:read"]).await;
    let make = async |scopes: serde_json::Value| {
        narrow.post("/api/auth/api-tokens", json!({"name": "x", "scopes": scopes})).await
    };
    make(json!(null)).await.problem(403, "scope_missing");
    make(json!(["account:read", "admin:write"])).await.problem(403, "scope_missing");
    make(json!(["account:read"])).await.created();
    make(json!([])).await.created();
    // A limited token cannot widen an existing one or prolong one with more rights.
    let wide = server.admin().post("/api/auth/api-tokens", json!({"name": "wide"})).await.created();
    let path = format!("/api/auth/api-tokens/{}/", text(&wide["id"]));
    let change = json!({"name": "x", "scopes": ["account:read"], "expires_at": null});
    narrow.put(&path, change).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn api_tokens_expire() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let token = server.client(&text(&made["token"]));
    token.get("/api/users/me").await.ok();
    let path = format!("/api/auth/api-tokens/{}/", text(&made["id"]));
    // The server refuses a time that has passed when it validates the request; the test then tries a later one.
    let mut lead = Duration::from_millis(300);
    let soon = async |lead: Duration| {
        let end = storage::Timestamp::now() + lead;
        server.user().put(&path, json!({"name": "x", "scopes": null, "expires_at": end})).await
    };
    while soon(lead).await.status == 422 {
        lead *= 2;
    }
    until("it has ended", async || token.get("/api/users/me").await.status != 200).await;
    token.get("/api/users/me").await.problem(401, "credentials_expired");
}

#[tokio::test]
async fn maximum_token_lifetime_is_a_setting() {
    let server = TestServer::start_with(|config| config.auth.token_max_days = 30).await;
    let make = async |days: u64| {
        let end = storage::Timestamp::now() + Duration::from_secs(days * 24 * 60 * 60);
        server.user().post("/api/auth/api-tokens", json!({"name": "x", "expires_at": end})).await
    };
    make(29).await.created();
    assert_eq!(make(31).await.faults(), ["body.expires_at"]);
    assert_eq!(
        server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.faults(),
        ["body.expires_at"]
    );
}

#[tokio::test]
async fn last_use_is_recorded_to_the_minute() {
    let server = TestServer::start().await;
    let made = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    server.client(&text(&made["token"])).get("/api/users/me").await.ok();
    // The time is written at intervals, and at the latest when the server stops.
    let server = server.restart().await;
    let shown = server.user().get(&format!("/api/auth/api-tokens/{}", text(&made["id"]))).await.ok();
    assert!(text(&shown["last_used_at"]).ends_with(":00.000Z"), "{shown}");
}

#[tokio::test]
async fn api_token_with_a_wrong_secret_is_refused() {
    let server = TestServer::start().await;
    let token = server.api_token(&["account:read"]).await;
    let last = if token.ends_with('0') { "1" } else { "0" };
    let wrong = format!("{}{last}", &token[..token.len() - 1]);
    server.client(&wrong).get("/api/users/me").await.problem(401, "credentials_invalid");
    server.client(&token[..token.len() - 1]).get("/api/users/me").await.problem(401, "credentials_malformed");
    server.client(&token).get("/api/users/me").await.ok();
}

/// A token that expires cannot create one that outlives it or postpone its own expiry.
#[tokio::test]
async fn api_token_cannot_create_one_that_outlives_it() {
    let server = TestServer::start().await;
    let end = (storage::Timestamp::now() + std::time::Duration::from_secs(3_600)).to_string();
    let new = json!({"name": "short", "scopes": ["account:read", "account:write"], "expires_at": end});
    let made = server.user().post("/api/auth/api-tokens", new).await.created();
    let short = server.client(&text(&made["token"]));
    let later = "2999-01-01T00:00:00Z";
    for expires_at in [serde_json::Value::Null, json!(later)] {
        let body = json!({"name": "heir", "scopes": ["account:read"], "expires_at": expires_at});
        let answer = short.post("/api/auth/api-tokens", body.clone()).await;
        assert_eq!(answer.faults(), ["body.expires_at"]);
        let own = format!("/api/auth/api-tokens/{}/", text(&made["id"]));
        assert_eq!(short.put(&own, body).await.faults(), ["body.expires_at"]);
    }
    let body = json!({"name": "heir", "scopes": ["account:read"], "expires_at": end});
    short.post("/api/auth/api-tokens", body).await.created();
}
