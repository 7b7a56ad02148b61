//! Why a run is queued, and its position.

use reqwest::Method;
use serde_json::{Value, json};

use super::reading::{Stream, address, ask, ask_words, conversation, unlimited};
use crate::harness::{Client, TestServer, text, until};

/// Number of words of an answer that does not end during a test.
const ENDLESS: u64 = 100_000;

/// Asks in a new conversation. Returns the conversation and the stream, which stays open.
async fn asked(client: &Client) -> (String, Stream) {
    let home = conversation(client).await;
    let stream = ask_words(client, &home, ENDLESS, 5).await;
    (home, stream)
}

async fn working(client: &Client) -> (String, Stream) {
    let (home, mut stream) = asked(client).await;
    stream.until("text.delta").await;
    (home, stream)
}

/// The place of the conversation's live stream in the queue.
async fn place(client: &Client, home: &str) -> Value {
    client.get(&format!("/api/conversations/{home}/streams/active")).await.ok()["queue"].clone()
}

fn of(reason: &str, limit: u64, position: u64) -> Value {
    json!({"reason": reason, "limit": limit, "position": position})
}

async fn feed(client: &Client, home: &str) -> Stream {
    let request = client.request(Method::GET, &format!("/api/conversations/{home}"));
    Stream::open(request.header("accept", "text/event-stream")).await
}

/// The data of the next event of this type in a feed.
async fn next(feed: &mut Stream, kind: &str) -> Value {
    loop {
        let frame = feed.frame().await.expect("the feed goes on");
        let data = frame.lines().find_map(|line| line.strip_prefix("data: "));
        let event: Value = data.map(|data| serde_json::from_str(data).expect("JSON")).unwrap_or_default();
        if event["type"] == kind {
            return event["data"].clone();
        }
    }
}

async fn stop(client: &Client, home: &str, stream: &Stream) {
    client.delete(&address(home, &stream.id)).await.ok();
}

#[tokio::test]
async fn queued_stream_has_a_reason_and_a_position_that_falls() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.per_user = 1;
    })
    .await;
    let user = server.user();
    let (first, running) = working(&user).await;
    assert_eq!(place(&user, &first).await, Value::Null, "it is not queued");
    let (second, stream_2) = asked(&user).await;
    let (third, stream_3) = asked(&user).await;
    let (fourth, stream_4) = asked(&user).await;
    for (home, position) in [(&second, 1), (&third, 2), (&fourth, 3)] {
        assert_eq!(place(&user, home).await, of("user_limit", 1, position));
    }
    let listed = user.get("/api/conversations").await.ok();
    let item = |home: &str| {
        let items = listed["items"].as_array().expect("items");
        items.iter().find(|item| item["id"] == home).expect("the conversation")["active_stream"].clone()
    };
    assert_eq!(item(&third)["queue"]["position"], 2);
    assert_eq!((&item(&first)["state"], item(&first).get("queue")), (&json!("running"), None));

    let mut feed = feed(&user, &fourth).await;
    next(&mut feed, "stream.started").await;
    let queued = |position| json!({"stream_id": stream_4.id, "queue": of("user_limit", 1, position)});
    assert_eq!(next(&mut feed, "stream.queued").await, queued(3));
    // The cancel of a queued run moves the others up.
    stop(&user, &second, &stream_2).await;
    assert_eq!(place(&user, &third).await, of("user_limit", 1, 1));
    assert_eq!(next(&mut feed, "stream.queued").await, queued(2));
    // So does the end of one that works.
    stop(&user, &first, &running).await;
    until("the third run works", async || place(&user, &third).await.is_null()).await;
    assert_eq!(next(&mut feed, "stream.queued").await, queued(1));
    stop(&user, &third, &stream_3).await;
    let begun = json!({"stream_id": stream_4.id, "queue": null});
    assert_eq!(next(&mut feed, "stream.queued").await, begun);
    stop(&user, &fourth, &stream_4).await;
    assert_eq!(next(&mut feed, "stream.ended").await["stream_id"], json!(stream_4.id));
}

#[tokio::test]
async fn queued_stream_waits_for_the_others_of_its_conversation() {
    let server = super::reading::server().await;
    let user = server.user();
    let (home, first) = working(&user).await;
    let fields = json!({"message": "And then?", "on_active": "queue", "parameters": {"length": ENDLESS, "pace_ms": 5}});
    let second = ask(&user, &home, fields.clone()).await;
    let third = ask(&user, &home, fields).await;
    let queued = |stream: &Stream, position: u64| {
        let queue = json!({"reason": "conversation", "position": position});
        json!({"stream_id": stream.id, "queue": queue})
    };
    let mut feed = feed(&user, &home).await;
    assert_eq!(next(&mut feed, "stream.queued").await, queued(&second, 1));
    assert_eq!(next(&mut feed, "stream.queued").await, queued(&third, 2));
    stop(&user, &home, &second).await;
    assert_eq!(next(&mut feed, "stream.queued").await, queued(&third, 1));
    stop(&user, &home, &first).await;
    let begun = json!({"stream_id": third.id, "queue": null});
    assert_eq!(next(&mut feed, "stream.queued").await, begun);
    stop(&user, &home, &third).await;
}

#[tokio::test]
async fn positions_behind_a_shared_limit_take_turns() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.per_tenant = 1;
    })
    .await;
    let (user, editor) = (server.user(), server.editor());
    let (home, running) = working(&user).await;
    let (user_1, stream_1) = asked(&user).await;
    let (user_2, stream_2) = asked(&user).await;
    let (editor_1, stream_3) = asked(&editor).await;
    assert_eq!(place(&user, &user_1).await, of("tenant_limit", 1, 1));
    assert_eq!(place(&editor, &editor_1).await, of("tenant_limit", 1, 2), "users take turns");
    assert_eq!(place(&user, &user_2).await, of("tenant_limit", 1, 3));
    // Another tenant is not concerned.
    let (elsewhere, other) = working(&server.stranger()).await;
    stop(&server.stranger(), &elsewhere, &other).await;
    for (client, home, stream) in
        [(&user, &user_1, stream_1), (&user, &user_2, stream_2), (&editor, &editor_1, stream_3)]
    {
        stop(client, home, &stream).await;
    }
    stop(&user, &home, &running).await;
}

#[tokio::test]
async fn queued_stream_names_the_limit_of_the_server() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.total = 1;
    })
    .await;
    let (user, stranger) = (server.user(), server.stranger());
    let (home, running) = working(&user).await;
    let (elsewhere, stream) = asked(&stranger).await;
    assert_eq!(place(&stranger, &elsewhere).await, of("server_limit", 1, 1));
    let live = format!("/api/conversations/{elsewhere}/streams/active");
    assert_eq!(text(&stranger.get(&live).await.ok()["state"]), "queued");
    stop(&user, &home, &running).await;
    until("the other run works", async || place(&stranger, &elsewhere).await.is_null()).await;
    stop(&stranger, &elsewhere, &stream).await;
}
