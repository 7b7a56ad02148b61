//! Calls to tool servers under `kill -9`: a call that may have taken effect is not repeated, regardless of the
//! completion's recovery policy. A call without side effects is repeated.

use serde_json::{Value, json};

use super::server::{EMAIL, PASSWORD, Server};
use crate::api::mcp::tools::{asked, connected, one};
use crate::api::streams::reading::{attach, terminal};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::{Client, Person};

async fn client(server: &Server) -> Client {
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    Client::new(server.url.clone(), Some(person.access_token.clone()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_call_that_may_have_taken_effect_is_not_repeated() {
    let mut server = Server::install().await;
    for (recovery, status, reason) in [
        ("retry", "interrupted", json!("uncertain_effect")),
        ("keep", "interrupted", json!("crashed")),
        ("continue", "succeeded", Value::Null),
    ] {
        let (admin, fake) = (client(&server).await, FakeMcp::start().await);
        let id = connected(&admin, &fake, json!({})).await;
        let more = json!({"recovery": recovery});
        let (home, mut stream) = asked(&admin, &id, "Please call tracker_stuck", more).await;
        // A reader that saw the announcement of the call sees it after the crash as well.
        let begun = stream.until("tool.started").await;
        fake.called("stuck", 1).await;
        let id = stream.id.clone();
        server.kill();
        server.spawn();
        server.ready().await;
        let events = attach(&client(&server).await, &home, &id, "").await.events().await;
        assert!(events.contains(&begun), "{recovery}: {events:#?}");
        let end = terminal(&events);
        assert_eq!((&end["status"], &end["reason"]), (&json!(status), &reason), "{recovery}");
        assert_eq!(fake.calls("stuck"), 1, "{recovery}");
        let error = one(&events, "tool.result")["error"].as_str().expect("words").to_owned();
        assert!(error.starts_with("uncertain_effect"), "{recovery}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_call_without_side_effects_is_repeated() {
    let mut server = Server::install().await;
    let (admin, fake) = (client(&server).await, FakeMcp::start().await);
    let id = connected(&admin, &fake, json!({})).await;
    let (home, stream) = asked(&admin, &id, "Please call tracker_wait", json!({"recovery": "retry"})).await;
    fake.called("wait", 1).await;
    let id = stream.id.clone();
    server.kill();
    server.spawn();
    server.ready().await;
    fake.called("wait", 2).await;
    fake.go_on();
    let events = attach(&client(&server).await, &home, &id, "").await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    let results: Vec<_> = events.iter().filter(|event| event["type"] == "tool.result").collect();
    assert_eq!(results.last().expect("a result")["data"]["output"], "waited");
}
