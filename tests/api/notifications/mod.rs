//! Notifications of users, and the channels through which they are sent.

mod emitted;
mod endpoints;
mod feed;
mod lists;
mod mail;
mod preferences;
mod push;
mod send;
mod waiting;
mod webhooks;

use reqwest::Method;
use serde_json::{Value, json};
use understudy::Config;

use crate::harness::{Answer, Client, Person, TestServer, text};

pub const PATH: &str = "/api/notifications";
pub const ENDPOINTS: &str = "/api/notifications/endpoints";

/// Settings with short pauses between retries.
pub fn quick(config: &mut Config) {
    config.notifications.retry_seconds = vec![0.01, 0.02, 0.02, 0.02];
    config.notifications.budget_seconds = 0.05;
}

/// Starts a server with short pauses between retries.
pub async fn server() -> TestServer {
    TestServer::start_with(quick).await
}

/// Sends a message of the administrator to a person.
pub async fn write(server: &TestServer, to: &Person, title: &str) {
    let body = json!({"user_ids": [to.id], "title": title, "body": format!("All about {title}.")});
    let sent = server.admin().post(&format!("{PATH}/send"), body).await.created();
    assert_eq!(sent["recipients"], 1);
}

/// Returns a user's notifications, newest first.
pub async fn listed(client: &Client, query: &str) -> Vec<Value> {
    let list = client.get(&format!("{PATH}{query}")).await.ok();
    list["items"].as_array().expect("items").clone()
}

/// Returns the titles of a user's notifications, newest first.
pub async fn titles(client: &Client, query: &str) -> Vec<String> {
    listed(client, query).await.iter().map(|one| text(&one["title"])).collect()
}

/// Returns the number of unread notifications.
pub async fn unread(client: &Client) -> u64 {
    let count = client.get(&format!("{PATH}/unread-count")).await.ok();
    count["count"].as_u64().expect("a number")
}

/// Registers a webhook and returns the response.
pub async fn webhook(client: &Client, url: &str) -> Answer {
    client.post(ENDPOINTS, json!({"kind": "webhook", "url": url})).await
}

/// Sends a DELETE with a body.
pub async fn unregister(client: &Client, body: Value) -> Answer {
    Client::send(client.request(Method::DELETE, ENDPOINTS).json(&body)).await
}

/// Returns the endpoints of a user.
pub async fn endpoints(client: &Client) -> Vec<Value> {
    client.get(ENDPOINTS).await.ok()["items"].as_array().expect("items").clone()
}

/// Calls `ask` repeatedly until it returns a value.
pub async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let mut found = None;
    crate::harness::until(&format!("there is {what}"), async || {
        found = ask().await;
        found.is_some()
    })
    .await;
    found.expect("it is there")
}

/// Waits for a notification of a type, and returns it.
pub async fn told(client: &Client, kind: &str) -> Value {
    until(kind, async || listed(client, "").await.into_iter().find(|one| one["type"] == kind)).await
}
