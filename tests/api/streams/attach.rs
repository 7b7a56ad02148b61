//! Attaching at any offset, to live and ended streams, with fast and slow readers.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::reading::{
    address, answer, ask, ask_words, attach, conversation, events, lines, messages, said, server, terminal,
    unlimited, without_gap,
};
use crate::harness::{Client, TestServer};

#[tokio::test]
async fn attach_serves_ten_clients_at_different_offsets_of_a_live_stream() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut first = ask_words(&user, &home, 200, 4).await;
    let stream = first.id.clone();
    first.until("text.delta").await;
    let readers = (0..10u64).map(|n| {
        let (user, home, stream) = (user.clone(), home.clone(), stream.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(n * 40)).await;
            let after = n * 7;
            let reader = attach(&user, &home, &stream, &format!("?after={after}")).await;
            (after, reader.events().await)
        })
    });
    let readers: Vec<_> = readers.collect();
    first.rest().await;
    let canonical = attach(&user, &home, &stream, "").await.events().await;
    without_gap(&canonical, 0);
    for reader in readers {
        let (after, read) = reader.await.expect("a reader");
        // Words that wait for the same disk write become one event, so a slow machine produces fewer events.
        let skipped = (after as usize).min(canonical.len());
        assert_eq!(read, canonical[skipped..], "after {after}");
    }
}

#[tokio::test]
async fn attach_after_an_offset_completes_the_stream() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 60, 1).await;
    let stream = live.id.clone();
    let canonical = live.events().await;
    without_gap(&canonical, 0);
    for k in 0..=canonical.len() {
        let by_query = attach(&user, &home, &stream, &format!("?after={k}")).await.events().await;
        assert_eq!(by_query, canonical[k..], "events after {k}");
        let by_line = attach(&user, &home, &stream, &format!("?wire=ndjson&after={k}")).await;
        assert_eq!(lines(&by_line.rest().await), canonical[k..], "ndjson after {k}");
    }
    let path = format!("{}?after=1", address(&home, &stream));
    let request = user.request(reqwest::Method::GET, &path).header("last-event-id", "5");
    let resumed = super::reading::Stream::open(request).await.events().await;
    assert_eq!(resumed, canonical[5..], "the header takes precedence over the query");
    let beyond = attach(&user, &home, &stream, "?after=100000").await.events().await;
    assert!(beyond.is_empty());
}

/// An `EventSource` reconnects a second after every end, until it receives 204.
#[tokio::test]
async fn browser_that_has_read_the_end_receives_204() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    live.until("text.delta").await;
    let stream = live.id.clone();
    let back = |last: u64| {
        let request = user.request(reqwest::Method::GET, &address(&home, &stream));
        request.header("last-event-id", last.to_string())
    };
    let mut reader = super::reading::Stream::open(back(1)).await;
    reader.until("text.delta").await;
    user.delete(&address(&home, &stream)).await.ok();
    let end = terminal(&live.events().await)["last_seq"].as_u64().expect("a number");
    Client::send(back(end)).await.no_content();
    Client::send(back(end + 7)).await.no_content();
    assert_eq!(super::reading::Stream::open(back(end - 1)).await.events().await.len(), 1);
}

#[tokio::test]
async fn stream_survives_a_restart_of_the_server() {
    let server = server().await;
    let home = conversation(&server.user()).await;
    let live = ask_words(&server.user(), &home, 30, 0).await;
    let stream = live.id.clone();
    let canonical = live.events().await;
    let server = server.restart().await;
    for k in 0..=canonical.len() {
        let read = attach(&server.user(), &home, &stream, &format!("?after={k}")).await.events().await;
        assert_eq!(read, canonical[k..], "after {k}");
    }
}

#[tokio::test]
async fn backlog_can_be_folded() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 80, 2).await;
    let stream = live.id.clone();
    let canonical = live.events().await;
    let folded = attach(&user, &home, &stream, "?fold=true").await.events().await;
    let deltas: Vec<_> = folded.iter().filter(|event| event["type"] == "text.delta").collect();
    assert_eq!(deltas.len(), 1);
    assert_eq!(answer(&folded), answer(&canonical));
    let last = canonical.iter().rev().find(|event| event["type"] == "text.delta").expect("a delta");
    assert_eq!(deltas[0]["seq"], last["seq"], "it has the sequence number of the last folded event");
    let others = |events: &[serde_json::Value]| {
        let others = events.iter().filter(|event| event["type"] != "text.delta");
        others.cloned().collect::<Vec<_>>()
    };
    assert_eq!(others(&folded), others(&canonical));
}

#[tokio::test]
async fn answer_continues_when_its_client_disconnects() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 100, 5).await;
    live.until("text.delta").await;
    let stream = live.id.clone();
    drop(live);
    let read = attach(&user, &home, &stream, "").await.events().await;
    assert_eq!(terminal(&read)["status"], "succeeded");
    let kept = messages(&user, &home).await;
    assert_eq!(said(&kept[1]), answer(&read));
    assert_eq!(kept[1]["status"], "complete");
}

/// Reads nothing during `pause`: the data waits in the socket buffers and in the journal.
async fn slow_reader(client: &Client, path: &str, pause: Duration) -> String {
    let address = client.url().strip_prefix("http://").expect("http").to_owned();
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let mut socket = socket.connect(address.parse().expect("an address")).await.expect("connected");
    let bearer = client.bearer();
    let head = format!("GET {path} HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {bearer}\r\n\r\n");
    socket.write_all(head.as_bytes()).await.expect("sent");
    tokio::time::sleep(pause).await;
    let mut read = Vec::new();
    socket.read_to_end(&mut read).await.expect("read");
    String::from_utf8(read).expect("text")
}

#[tokio::test]
async fn slow_reader_receives_the_same_events_as_a_fast_one() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    // Longer than the part that is kept in memory, so that the slow reader is served from disk.
    let live = ask_words(&user, &home, 40_000, 0).await;
    let path = address(&home, &live.id);
    let slow = tokio::spawn({
        let user = user.clone();
        async move { slow_reader(&user, &path, Duration::from_secs(2)).await }
    });
    let canonical = live.events().await;
    without_gap(&canonical, 0);
    assert_eq!(answer(&canonical).split_whitespace().count(), 40_000);
    let slow = slow.await.expect("the slow reader");
    let (head, body) = slow.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200") || head.starts_with("HTTP/1.0 200"), "{head}");
    assert_eq!(events(body), canonical);
}

#[tokio::test]
async fn expired_stream_leaves_its_message() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.stream_ttl_hours = 0.0;
    });
    let server = server.await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 10, 0).await;
    let stream = live.id.clone();
    let read = live.events().await;
    assert_eq!(terminal(&read)["status"], "succeeded");
    tokio::time::sleep(Duration::from_millis(20)).await;
    user.get(&address(&home, &stream)).await.problem(410, "stream_expired");
    user.get(&format!("{}?wire=ui-message", address(&home, &stream))).await.problem(410, "stream_expired");
    let kept = messages(&user, &home).await;
    assert_eq!(said(&kept[1]), answer(&read));
    let receipt = user.delete(&address(&home, &stream)).await.ok();
    assert_eq!(receipt["status"], "succeeded", "the terminal record is retained");
}

#[tokio::test]
async fn stream_is_visible_to_its_owner_only() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let other = conversation(&user).await;
    let live = ask_words(&user, &home, 5_000, 5).await;
    let path = address(&home, &live.id);
    for stranger in [server.stranger(), server.admin(), server.editor()] {
        stranger.get(&path).await.not_found();
        stranger.delete(&path).await.not_found();
        stranger.get(&format!("/api/conversations/{home}/streams/active?wire=events")).await.not_found();
    }
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
    user.get(&address(&other, &live.id)).await.not_found();
    user.delete(&address(&other, &live.id)).await.not_found();
    user.get(&address(&home, &other)).await.not_found();
    assert_eq!(user.get(&address(&home, "nonsense")).await.faults(), ["path.stream_id"]);
    assert_eq!(user.get(&format!("{path}?wire=morse&after=x")).await.faults(), ["query.after", "query.wire"]);
    let request = user.request(reqwest::Method::GET, &path).header("last-event-id", "x");
    assert_eq!(Client::send(request).await.faults(), ["header.Last-Event-ID"]);
    user.delete(&path).await.ok();
    assert_eq!(terminal(&live.events().await)["status"], "cancelled");
}

#[tokio::test]
async fn reader_of_a_deleted_conversation_receives_the_end_first() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live =
        ask(&user, &home, json!({"message": "x", "parameters": {"length": 5000, "pace_ms": 5}})).await;
    live.until("text.delta").await;
    user.delete(&format!("/api/conversations/{home}")).await.no_content();
    let rest = live.events().await;
    assert_eq!(terminal(&rest)["status"], "cancelled");
}
