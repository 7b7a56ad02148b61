//! The feed of a conversation.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::streams::reading::{Stream, ask_words, conversation, server};
use crate::harness::{Client, text};

async fn open(client: &Client, home: &str, from: Option<&str>) -> Stream {
    let request = client.request(Method::GET, &format!("/api/conversations/{home}"));
    let request = request.header("accept", "text/event-stream");
    Stream::open(match from {
        Some(id) => request.header("last-event-id", id),
        None => request,
    })
    .await
}

/// Returns the next event, with its id if it carries one.
async fn next(feed: &mut Stream) -> (Value, Option<String>) {
    loop {
        let frame = feed.frame().await.expect("the feed goes on");
        let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        if let Some(data) = line("data: ") {
            let event: Value = serde_json::from_str(&data).expect("JSON");
            assert_eq!(line("event: ").as_deref(), event["type"].as_str());
            return (event, line("id: "));
        }
    }
}

/// Returns the types of the events up to and including the first one of type `last`, and the id of that event.
async fn kinds(feed: &mut Stream, last: &str) -> (Vec<String>, String) {
    let (mut kinds, mut place) = (Vec::new(), String::new());
    loop {
        let (event, id) = next(feed).await;
        place = id.unwrap_or(place);
        kinds.push(text(&event["type"]));
        if event["type"] == last {
            return (kinds, place);
        }
    }
}

#[tokio::test]
async fn feed_notifies_open_tabs_of_streams() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut feed = open(&user, &home, None).await;
    assert_eq!(feed.header("content-type"), Some("text/event-stream"));
    let first = feed.frame().await.expect("a first event");
    assert!(first.starts_with("retry: 1000\n") && first.contains("\nevent: feed.opened\n"), "{first}");

    let live = ask_words(&user, &home, 20, 2).await;
    let stream = live.id.clone();
    let (begun, _) = kinds(&mut feed, "message.created").await;
    assert_eq!(begun[0], "stream.started");
    live.rest().await;
    let mut seen = Vec::new();
    let ended = loop {
        let (event, _) = next(&mut feed).await;
        seen.push(text(&event["type"]));
        if event["type"] == "stream.ended" {
            break event;
        }
    };
    assert_eq!((&ended["data"]["stream_id"], &ended["data"]["state"]), (&json!(stream), &json!("succeeded")));
    assert_eq!(ended["conversation_id"], home);
    assert!(seen.contains(&"message.updated".to_owned()), "{seen:?}");
    assert!(seen.contains(&"title.updated".to_owned()), "{seen:?}");

    user.put(&format!("/api/conversations/{home}"), json!({"title": "Mine"})).await.ok();
    let (event, _) = next(&mut feed).await;
    assert_eq!((&event["type"], &event["data"]["title"]), (&json!("title.updated"), &json!("Mine")));
    user.put(&format!("/api/conversations/{home}/payload"), json!({"messages": []})).await.ok();
    let (event, _) = next(&mut feed).await;
    assert_eq!(event["type"], "message.deleted");
    user.delete(&format!("/api/conversations/{home}")).await.no_content();
    while feed.frame().await.is_some() {}
}

#[tokio::test]
async fn feed_resumes_at_its_position() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}");
    // The position in the plain response is a valid position of the feed.
    let place = user.get(&path).await.header("x-feed-id").expect("a place").to_owned();
    ask_words(&user, &home, 3, 0).await.rest().await;
    let (missed, place) = kinds(&mut open(&user, &home, Some(&place)).await, "feed.opened").await;
    assert_eq!(missed[..3], ["stream.started", "message.created", "message.created"]);
    assert!(
        missed.contains(&"title.updated".to_owned()) && missed.contains(&"stream.ended".to_owned()),
        "{missed:?}"
    );

    let (nothing, place) = kinds(&mut open(&user, &home, Some(&place)).await, "feed.opened").await;
    assert_eq!(nothing, ["feed.opened"], "known events are not repeated");

    user.put(&path, json!({"title": "Mine"})).await.ok();
    let server = server.restart().await;
    let user = server.user();
    let (missed, place) = kinds(&mut open(&user, &home, Some(&place)).await, "feed.opened").await;
    assert!(missed.contains(&"title.updated".to_owned()), "{missed:?}");

    user.put(&format!("{path}/payload"), json!({"messages": []})).await.ok();
    let (lost, _) = kinds(&mut open(&user, &home, Some(&place)).await, "feed.opened").await;
    assert_eq!(lost[0], "feed.reset", "deleted messages cannot be listed");
}

#[tokio::test]
async fn feed_begins_with_the_live_stream() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    live.until("text.delta").await;
    let mut feed = open(&user, &home, None).await;
    let (event, _) = next(&mut feed).await;
    assert_eq!((&event["type"], &event["data"]["stream_id"]), (&json!("stream.started"), &json!(live.id)));
    let stranger = server.editor().request(Method::GET, &format!("/api/conversations/{home}"));
    Client::send(stranger.header("accept", "text/event-stream")).await.not_found();
    let nonsense = user.request(Method::GET, &format!("/api/conversations/{home}"));
    let nonsense = nonsense.header("accept", "text/event-stream").header("last-event-id", "x-1");
    assert_eq!(Client::send(nonsense).await.faults(), ["header.Last-Event-ID"]);
    user.delete(&crate::api::streams::reading::address(&home, &live.id)).await.ok();
}

/// Changes made in one tab reach the other: it shows the same branch and the same flags.
#[tokio::test]
async fn feed_notifies_open_tabs_of_settings() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let path = format!("/api/conversations/{home}");
    let first = user.get(&path).await.ok()["current_message_id"].clone();
    let again = json!({"regenerate_message_id": first, "parameters": {"length": 3}, "stream": false});
    user.post(&format!("{path}/completion"), again).await.ok();
    let mut feed = open(&user, &home, None).await;
    kinds(&mut feed, "feed.opened").await;

    user.patch(&path, json!({"current_message_id": first})).await.ok();
    let (event, place) = next(&mut feed).await;
    assert_eq!(event["type"], "conversation.updated");
    assert_eq!((&event["data"]["current_message_id"], &event["data"]["pinned"]), (&first, &json!(false)));
    user.patch(&path, json!({"pinned": true, "title": "Mine"})).await.ok();
    assert_eq!(kinds(&mut feed, "conversation.updated").await.0, ["title.updated", "conversation.updated"]);

    let mut back = open(&user, &home, place.as_deref()).await;
    let (missed, _) = kinds(&mut back, "feed.opened").await;
    assert!(missed.contains(&"conversation.updated".to_owned()), "{missed:?}");
}
