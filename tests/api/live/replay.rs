//! Subscriptions deliver what the streams contain, at any position, however many there are and however slow the client.

use std::collections::BTreeMap;

use serde_json::json;
use tokio::net::TcpSocket;

use super::client::{Live, PATH, ended_stream, live_stream, replay, server, take};
use crate::api::streams::reading::{terminal, without_gap};
use crate::api::streams::socket::Socket;
use crate::harness::text;

#[tokio::test]
async fn subscriptions_equal_the_replay_from_every_offset() {
    let server = server().await;
    let user = server.user();
    let path = ended_stream(&user, 60).await;
    let canonical = replay(&user, &path).await;
    without_gap(&canonical, 0);
    let mut live = Live::open(&user).await;
    for after in 0..=canonical.len() {
        // A position is a number or the text that a message contains.
        match after % 2 {
            0 => live.resume(&format!("s{after}"), &path, after).await,
            _ => live.resume(&format!("s{after}"), &path, after.to_string()).await,
        }
    }
    let read = live.ended(canonical.len() + 1).await;
    for after in 0..=canonical.len() {
        assert_eq!(read[&format!("s{after}")], canonical[after..], "after {after}");
    }
}

#[tokio::test]
async fn many_live_streams_arrive_completely() {
    let server = server().await;
    let user = server.user();
    let mut live = Live::open(&user).await;
    let mut paths = Vec::new();
    for at in 0..30 {
        let path = live_stream(&user, 40 + at, 3).await;
        live.subscribe(&format!("s{at}"), &path).await;
        // The same stream can have several subscriptions.
        live.resume(&format!("t{at}"), &path, 5).await;
        paths.push(path);
    }
    let read = live.ended(60).await;
    for (at, path) in paths.iter().enumerate() {
        let canonical = replay(&user, path).await;
        assert_eq!(terminal(&canonical)["status"], "succeeded");
        assert_eq!(read[&format!("s{at}")], canonical);
        let skipped = canonical.len().min(5);
        assert_eq!(read[&format!("t{at}")], canonical[skipped..]);
    }
}

#[tokio::test]
async fn subscription_resumes_after_a_cut() {
    let server = server().await;
    let user = server.user();
    let path = live_stream(&user, 150, 3).await;
    let (mut read, mut position) = (BTreeMap::new(), json!(0));
    for cut in 0..10 {
        let mut live = Live::open(&user).await;
        live.resume("a", &path, position.clone()).await;
        for _ in 0..=cut {
            let message = live.message().await;
            match message["type"].as_str() {
                Some("event") => position = message["position"].clone(),
                // The first message.
                Some("subscribed") => {}
                _ => break,
            }
            take(message, &mut read);
        }
        // The connection breaks off without a closing frame.
    }
    let mut live = Live::open(&user).await;
    live.resume("rest", &path, position).await;
    let rest = live.ended(1).await;
    let events = [read["a"].clone(), rest["rest"].clone()].concat();
    assert_eq!(events, replay(&user, &path).await);
}

#[tokio::test]
async fn folded_subscription_has_fewer_events() {
    let server = server().await;
    let user = server.user();
    let path = ended_stream(&user, 50).await;
    let mut live = Live::open(&user).await;
    live.subscribe("whole", &path).await;
    live.subscribe("folded", &format!("{path}?fold=true")).await;
    let read = live.ended(2).await;
    let words = |id: &str| crate::api::streams::reading::answer(&read[id]);
    assert_eq!(words("whole"), words("folded"));
    let deltas = read["folded"].iter().filter(|event| event["type"] == "text.delta").count();
    assert_eq!(deltas, 1);
}

/// The data of a client that does not read waits in the journals, and other clients are served.
#[tokio::test]
async fn slow_client_receives_everything_and_delays_no_other_client() {
    let server = server().await;
    let user = server.user();
    let long = ended_stream(&user, 30_000).await;
    let canonical = replay(&user, &long).await;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let stream = socket.connect(server.addr()).await.expect("connected");
    let mut slow = Live { socket: Socket::open_on(stream, &user, PATH).await };
    for at in 0..8 {
        slow.subscribe(&format!("s{at}"), &long).await;
    }
    let mut fast = Live::open(&user).await;
    for at in 0..3 {
        let path = live_stream(&user, 40, 1).await;
        fast.subscribe(&format!("f{at}"), &path).await;
    }
    fast.ended(3).await;
    // The slow client has read nothing yet. What it did not read was not lost.
    slow.say(json!({"op": "ping"})).await;
    let (mut read, mut ended, mut pongs) = (BTreeMap::new(), 0, 0);
    while ended < 8 || pongs < 1 {
        let message = slow.message().await;
        match message["type"] == "pong" {
            true => pongs += 1,
            false => ended += usize::from(take(message, &mut read)),
        }
    }
    assert_eq!(read.len(), 8);
    for (id, events) in &read {
        assert_eq!(events, &canonical, "{id}");
    }
    assert_eq!(text(&fast_pong(&mut fast).await), "pong");
}

async fn fast_pong(live: &mut Live) -> serde_json::Value {
    live.say(json!({"op": "ping"})).await;
    live.message().await["type"].clone()
}
