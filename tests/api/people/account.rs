//! The user's own prompt, services at which the user has logged in, and logging out.

use serde_json::{Value, json};
use storage::Timestamp;
use storage::records::ServiceConnection;

use super::company::tenant;
use crate::api::streams::reading::{asking, conversation, unlimited};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, PASSWORD, Person, TestServer};

const PROMPT: &str = "/api/users/custom-prompt";

#[tokio::test]
async fn custom_prompt_is_stored_and_sent_to_models() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
        settings.models.default = Some("fake/echo".into());
    });
    let server = server.await;
    let user = server.user();
    let first = user.get(PROMPT).await.ok();
    assert_eq!(first["custom_prompt"], Value::Null);
    let put =
        user.put(PROMPT, json!({"custom_prompt": "Answer in rhymes.", "version": first["version"]})).await;
    let version = put.ok()["version"].clone();
    user.put(PROMPT, json!({"custom_prompt": "x", "version": first["version"]})).await.problem(412, "stale");
    let stale = user.request(reqwest::Method::PUT, PROMPT).header("if-match", "\"1\"");
    Client::send(stale.json(&json!({"custom_prompt": "x"}))).await.problem(412, "stale");
    assert_eq!(
        user.put(PROMPT, json!({"custom_prompt": "x".repeat(8_001)})).await.faults(),
        ["body.custom_prompt"]
    );
    assert_eq!(
        user.get(PROMPT).await.ok(),
        json!({"custom_prompt": "Answer in rhymes.", "version": version})
    );
    assert_eq!(user.get("/api/users/me").await.ok()["custom_prompt"], "Answer in rhymes.");
    assert_eq!(server.editor().get(PROMPT).await.ok()["custom_prompt"], Value::Null);

    let home = conversation(&user).await;
    let ask = async || {
        Client::send(asking(&user, &home, json!({"message": "Hello", "stream": false}))).await.ok();
        provider.requests().await.pop().expect("a request")["messages"][0].clone()
    };
    assert_eq!(ask().await, json!({"role": "system", "content": "Answer in rhymes."}));
    assert_eq!(user.put(PROMPT, json!({"custom_prompt": "  "})).await.ok()["custom_prompt"], Value::Null);
    assert_eq!(ask().await["role"], "user");

    server.token(&["account:read"]).await.put(PROMPT, json!({})).await.problem(403, "scope_missing");
    server.token(&["account:write"]).await.get(PROMPT).await.problem(403, "scope_missing");
}

async fn login(server: &TestServer, service: &str, expires_at: Option<Timestamp>) {
    let user = server.user_person().id.parse().expect("an id");
    let (tenant, id) = (tenant(server), (user, service.to_owned()));
    let row = ServiceConnection {
        account: Some("ada@tracker.example".into()),
        scopes: vec!["issues:read".into()],
        connected_at: Timestamp::now(),
        expires_at,
        ..ServiceConnection::default()
    };
    let put = server.store().run::<_, storage::Error>(move |tx| tx.insert(tenant, id.clone(), row.clone()));
    put.await.expect("stored");
}

#[tokio::test]
async fn external_services_are_listed_with_their_logins() {
    let service = |name: &str| {
        let config = json!({"issuer": format!("https://{name}.example"), "client_id": "understudy",
            "client_secret": "sk-hush-hush", "scopes": ["issues:read"], "display_name": name.to_uppercase()});
        (name.to_owned(), serde_json::from_value(config).expect("a configuration"))
    };
    let server = TestServer::start_with(|settings| {
        settings.external_services = ["calendar", "drive", "tracker"].map(service).into();
    });
    let server = server.await;
    login(&server, "tracker", None).await;
    login(&server, "drive", Some(Timestamp::from_millis(1))).await;
    login(&server, "gone", None).await;
    let all = server.user().get("/api/users/external-services").await;
    assert!(!all.text().contains("hush"), "{all:?}");
    let all = all.ok();
    let stand = |list: &Value| -> Vec<(String, String)> {
        let items = list["items"].as_array().expect("items").iter();
        items
            .map(|one| (crate::harness::text(&one["service"]), crate::harness::text(&one["status"])))
            .collect()
    };
    let pair = |name: &str, status: &str| (name.to_owned(), status.to_owned());
    let [calendar, drive, tracker] =
        [pair("calendar", "disconnected"), pair("drive", "expired"), pair("tracker", "connected")];
    assert_eq!(stand(&all), [calendar, drive.clone(), tracker.clone()]);
    assert_eq!(
        (&all["items"][0]["display_name"], &all["items"][0]["connection"]),
        (&json!("CALENDAR"), &Value::Null)
    );
    assert_eq!(all["items"][2]["connection"]["account"], "ada@tracker.example");
    assert_eq!(stand(&server.user().get("/api/users/connected-services").await.ok()), [drive, tracker]);
    let others = server.editor().get("/api/users/connected-services").await.ok();
    assert_eq!(others["items"], json!([]), "only their own");
    server
        .token(&["teams:read"])
        .await
        .get("/api/users/external-services")
        .await
        .problem(403, "scope_missing");
}

#[tokio::test]
async fn logout_ends_one_session_or_all() {
    let server = TestServer::start().await;
    let again = async || {
        let person = Person::log_in(&server.url(), "user@example.org", PASSWORD).await;
        server.client(&person.access_token)
    };
    let (first, second) = (again().await, again().await);
    assert_eq!(first.post("/api/users/logout", json!({})).await.ok(), json!({"logged_out": true}));
    first.get("/api/users/me").await.problem(401, "session_ended");
    second.get("/api/users/me").await.ok();
    let third = again().await;
    let out = third.post("/api/users/logout", json!({"all": true})).await;
    assert!(out.headers.get_all("set-cookie").iter().count() >= 1, "{out:?}");
    out.ok();
    second.get("/api/users/me").await.problem(401, "session_ended");
    server
        .token(&["account:read"])
        .await
        .post("/api/users/logout", json!({}))
        .await
        .problem(403, "session_required");
    server.anonymous().post("/api/users/logout", json!({})).await.problem(401, "credentials_missing");
}
