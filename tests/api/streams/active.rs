//! Finding the live stream of a conversation, and attaching to it without knowing its id.

use serde_json::json;

use super::reading::{
    Stream, address, ask_words, conversation, lines, messages, server, terminal, without_gap,
};

#[tokio::test]
async fn live_stream_is_shown_and_can_be_attached_to() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}/streams/active");
    user.get(&path).await.no_content();
    user.get(&format!("{path}?wire=ui-message")).await.no_content();

    let mut live = ask_words(&user, &home, 5_000, 5).await;
    live.until("text.delta").await;
    let active = user.get(&path).await.ok();
    let message = &messages(&user, &home).await[1];
    assert_eq!(active["stream_id"], live.id);
    assert_eq!(active["kind"], "completion");
    assert_eq!(active["state"], "running");
    assert_eq!(active["model"], "builtin/scribe");
    assert_eq!(active["message_id"], message["id"]);
    assert_eq!(message["status"], "streaming");
    assert!(active["last_seq"].as_u64().expect("seq") >= 3);
    assert!(active["started_at"].is_string());
    let shown = user.get(&format!("/api/conversations/{home}")).await.ok();
    assert_eq!(shown["active_stream"]["stream_id"], live.id);

    let named = Stream::open(user.request(reqwest::Method::GET, &format!("{path}?wire=ndjson"))).await;
    let accepted = user.request(reqwest::Method::GET, &path).header("accept", "text/event-stream");
    let accepted = Stream::open(accepted).await;
    assert_eq!(named.id, live.id);
    user.delete(&address(&home, &live.id)).await.ok();
    let named = lines(&named.rest().await);
    without_gap(&named, 0);
    assert_eq!(named, accepted.events().await);
    assert_eq!(terminal(&named)["status"], "cancelled");
    user.get(&path).await.no_content();
    let shown = user.get(&format!("/api/conversations/{home}")).await.ok();
    assert!(shown.get("active_stream").is_none());
}

#[tokio::test]
async fn attach_negotiates_the_encoding() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5, 0).await;
    assert_eq!(live.header("content-type"), Some("text/event-stream"));
    assert_eq!(live.header("content-location"), Some(address(&home, &live.id).as_str()));
    let path = address(&home, &live.id);
    live.rest().await;
    for (accept, wire, want) in [
        ("application/x-ndjson", "", "application/x-ndjson"),
        ("text/event-stream", "?wire=ndjson", "application/x-ndjson"),
        ("*/*", "", "text/event-stream"),
        ("*/*", "?wire=openai", "text/event-stream"),
        ("*/*", "?wire=ui-message", "text/event-stream"),
    ] {
        let request = user.request(reqwest::Method::GET, &format!("{path}{wire}"));
        let stream = Stream::open(request.header("accept", accept).header("accept-encoding", "gzip")).await;
        assert_eq!(stream.header("content-type"), Some(want), "{accept} {wire}");
        assert_eq!(stream.header("cache-control"), Some("no-cache, no-transform"));
        assert_eq!(stream.header("x-accel-buffering"), Some("no"));
        assert_eq!(stream.header("content-encoding"), None);
        let ui = wire.contains("ui-message").then_some("v1");
        assert_eq!(stream.header("x-vercel-ai-ui-message-stream"), ui);
    }
}

#[tokio::test]
async fn completion_can_wait_for_the_whole_answer() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}/completion?context=tests");
    let fields = json!({"message": "Tides?", "stream": false, "parameters": {"length": 12}});
    let answer = user.post(&path, fields).await;
    let message = answer.ok();
    assert_eq!(message["role"], "assistant");
    assert_eq!(message["status"], "complete");
    assert_eq!(super::reading::said(&message).split_whitespace().count(), 12);
    assert!(message["cost"].is_string());
    let stream = answer.header("x-stream-id").expect("an id");
    assert_eq!(answer.header("content-location"), Some(address(&home, stream).as_str()));
    assert_eq!(message["run_id"], stream);
    assert_eq!(messages(&user, &home).await[1], message);
}
