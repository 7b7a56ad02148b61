//! Commands of the client, and messages that are none.

use serde_json::{Value, json};

use super::client::{Live, PATH, ended_stream, home_of, live_stream, replay, server};
use crate::api::streams::reading::{terminal, unlimited};
use crate::api::streams::socket::Frame;
use crate::harness::TestServer;

#[tokio::test]
async fn ping_is_answered() {
    let server = server().await;
    let mut live = Live::open(&server.user()).await;
    live.say(json!({"op": "ping"})).await;
    assert_eq!(live.message().await, json!({"type": "pong"}));
}

#[tokio::test]
async fn subscribe_reports_the_stream_and_its_events() {
    let server = server().await;
    let user = server.user();
    let path = ended_stream(&user, 5).await;
    let mut live = Live::open(&user).await;
    live.subscribe("my.run:1", &path).await;
    let stream_id = path.rsplit('/').next();
    let subscribed = json!({"type": "subscribed", "id": "my.run:1", "stream_id": stream_id});
    assert_eq!(live.message().await, subscribed);
    for event in replay(&user, &path).await {
        let position = event["seq"].to_string();
        let message = json!({"type": "event", "id": "my.run:1", "position": position, "event": event});
        assert_eq!(live.message().await, message);
    }
    assert_eq!(live.message().await, json!({"type": "ended", "id": "my.run:1"}));
}

#[tokio::test]
async fn subscribe_refuses_invalid_requests() {
    let server = server().await;
    let mut live = Live::open(&server.user()).await;
    let stream = "/api/conversations/01980000-0000-7000-8000-000000000001/streams/active";
    for (field, value, code) in [
        ("id", json!(""), "invalid"),
        ("id", json!("x".repeat(65)), "invalid"),
        ("id", json!("a,b"), "invalid"),
        ("id", json!("\"a\""), "invalid"),
        ("to", json!(""), "route_not_found"),
        ("to", json!("notifications"), "route_not_found"),
        ("to", json!("/api/users/me"), "route_not_found"),
        ("to", json!("/api/live"), "route_not_found"),
        ("to", json!("/metrics"), "route_not_found"),
        ("to", json!(stream), "route_not_found"),
        ("to", json!("/api/notifications?wire=ndjson"), "invalid"),
        ("to", json!("/api/notifications?after=3"), "invalid"),
        ("after", json!(""), "invalid"),
        ("after", json!("x"), "invalid"),
        ("after", json!("1\r\nhost: x"), "invalid"),
        ("after", json!("1".repeat(65)), "invalid"),
    ] {
        let mut command = json!({"op": "subscribe", "id": "a", "to": "/api/notifications"});
        command[field] = value.clone();
        let problem = live.refused(command).await;
        assert_eq!(problem["code"], code, "{field} {value}: {problem}");
    }
    // Nothing was subscribed to.
    live.say(json!({"op": "ping"})).await;
    assert_eq!(live.message().await["type"], "pong");
}

#[tokio::test]
async fn subscribe_refuses_an_id_that_is_in_use_and_more_than_the_limit() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.limits.live_subscriptions = 3;
    })
    .await;
    let mut live = Live::open(&server.user()).await;
    let subscribe = |id: &str| json!({"op": "subscribe", "id": id, "to": "/api/notifications"});
    for id in ["a", "b", "c"] {
        live.say(subscribe(id)).await;
        live.event(id, "unread_count").await;
    }
    assert_eq!(live.refused(subscribe("a")).await["code"], "conflict");
    assert_eq!(live.refused(subscribe("d")).await["code"], "limit_reached");
    live.say(json!({"op": "unsubscribe", "id": "b"})).await;
    assert_eq!(live.message().await, json!({"type": "unsubscribed", "id": "b"}));
    assert_eq!(live.refused(json!({"op": "unsubscribe", "id": "b"})).await["code"], "not_found");
    live.say(subscribe("d")).await;
    live.event("d", "unread_count").await;
    assert_eq!(live.refused(subscribe("e")).await["code"], "limit_reached");
}

#[tokio::test]
async fn unsubscribe_is_the_last_message_about_a_subscription() {
    let server = server().await;
    let user = server.user();
    let path = live_stream(&user, 20_000, 5).await;
    let mut live = Live::open(&user).await;
    for _ in 0..5 {
        live.subscribe("a", &path).await;
        live.event("a", "text.delta").await;
        live.say(json!({"op": "unsubscribe", "id": "a"})).await;
        live.until("unsubscribed", "a").await;
        live.say(json!({"op": "ping"})).await;
        assert_eq!(live.message().await["type"], "pong");
    }
    // The run continues without its reader.
    assert_eq!(user.get(&format!("{}/streams/active", home_of(&path))).await.ok()["state"], "running");
    user.delete(&path).await.ok();
}

#[tokio::test]
async fn cancel_has_the_result_of_the_cancel_operation() {
    let server = server().await;
    let user = server.user();
    let path = live_stream(&user, 20_000, 5).await;
    let mut live = Live::open(&user).await;
    live.subscribe("a", &path).await;
    live.event("a", "text.delta").await;
    live.say(json!({"op": "cancel", "id": "a"})).await;
    let (mut events, mut receipt) = (Vec::new(), Value::Null);
    loop {
        let message = live.message().await;
        match message["type"].as_str() {
            Some("event") => events.push(message["event"].clone()),
            Some("cancelled") => receipt = message["receipt"].clone(),
            Some("ended") => break,
            _ => panic!("{message}"),
        }
    }
    assert_eq!(terminal(&events)["status"], "cancelled");
    assert_eq!(terminal(&events), terminal(&replay(&user, &path).await));
    if receipt.is_null() {
        receipt = live.until("cancelled", "a").await["receipt"].clone();
    }
    let later = user.delete(&path).await.ok();
    for field in ["stream_id", "status", "terminal"] {
        assert_eq!(receipt[field], later[field], "{field}");
    }
}

#[tokio::test]
async fn cancel_refuses_what_cannot_be_cancelled() {
    let server = server().await;
    let user = server.user();
    let path = live_stream(&user, 20_000, 5).await;
    let mut live = Live::open(&user).await;
    assert_eq!(live.refused(json!({"op": "cancel", "id": "a"})).await["code"], "not_found");
    live.subscribe("feed", home_of(&path)).await;
    live.event("feed", "feed.opened").await;
    let problem = live.refused(json!({"op": "cancel", "id": "feed"})).await;
    assert_eq!(problem["code"], "method_not_allowed", "a feed is not deleted with its conversation");
    user.get(home_of(&path)).await.ok();
    user.delete(&path).await.ok();
}

#[tokio::test]
async fn message_that_is_no_command_gets_a_problem() {
    let server = server().await;
    let mut live = Live::open(&server.user()).await;
    let garbage = [
        "",
        "null",
        "[]",
        "{",
        "7",
        "\"ping\"",
        "{}",
        r#"{"op":"dance"}"#,
        r#"{"op":"ping","x":1}"#,
        r#"{"op":"subscribe"}"#,
        r#"{"op":"subscribe","id":1,"to":"/api/notifications"}"#,
        r#"{"op":"subscribe","id":"a","to":"/api/notifications","after":{}}"#,
        r#"{"op":"subscribe","id":"a","to":"/api/notifications","after":-1}"#,
        r#"{"op":"cancel"}"#,
        r#"{"type":"cancel"}"#,
        "\u{0}",
    ];
    assert_eq!(garbage.len(), 16);
    for said in garbage {
        live.socket.send(1, said.as_bytes()).await;
        let message = live.message().await;
        assert_eq!(message["type"], "problem", "{said}");
        assert_eq!(message["problem"]["code"], "malformed_body", "{said}");
        assert!(!message["problem"]["request_id"].as_str().unwrap_or_default().is_empty(), "{message}");
    }
    // Commands that are refused are not counted as faults.
    for _ in 0..20 {
        assert_eq!(live.refused(json!({"op": "cancel", "id": "a"})).await["code"], "not_found");
    }
    live.socket.send(1, b"x").await;
    assert_eq!(live.closed().await, 1008);
}

#[tokio::test]
async fn frames_that_break_the_protocol_close_the_connection() {
    let server = server().await;
    let user = server.user();
    let mut live = Live::open(&user).await;
    live.socket.send(2, b"binary").await;
    assert_eq!(live.closed().await, 1003);
    let mut live = Live::open(&user).await;
    live.socket.send(1, &[b'x'; 5000]).await;
    assert_eq!(live.closed().await, 1009);
    let mut live = Live::open(&user).await;
    live.socket.send(1, b"\xff").await;
    assert_eq!(live.closed().await, 1007);
    let mut live = Live::open(&user).await;
    live.subscribe("a", "/api/notifications").await;
    live.event("a", "unread_count").await;
    live.socket.send(8, &1000u16.to_be_bytes()).await;
    assert_eq!(live.socket.hear().await, Frame::Close(1000));
}

#[tokio::test]
async fn subscriptions_in_the_query_open_with_the_socket() {
    let server = server().await;
    let user = server.user();
    let path = ended_stream(&user, 5).await;
    let canonical = replay(&user, &path).await;
    let address = format!("{PATH}?sub=a,{path}&sub=b,{path},3");
    let mut live = Live { socket: crate::api::streams::socket::Socket::open(&user, &address).await };
    let read = live.ended(2).await;
    assert_eq!(read["a"], canonical);
    assert_eq!(read["b"], canonical[3..]);
}
