//! A restart of the server.

use std::collections::BTreeMap;

use super::client::{Live, ended_stream, home_of, live_stream, replay, server, take};
use crate::api::streams::socket::Frame;

#[tokio::test]
async fn restart_closes_connections_and_subscriptions_resume() {
    let server = server().await;
    let user = server.user();
    let ended = ended_stream(&user, 30).await;
    let canonical = replay(&user, &ended).await;
    let path = live_stream(&user, 400, 5).await;
    let mut live = Live::open(&user).await;
    live.subscribe("a", &path).await;
    live.subscribe("feed", home_of(&path)).await;
    live.event("feed", "feed.opened").await;
    let idle = Live::open(&user).await;
    let reading = tokio::spawn(async move {
        let mut read = BTreeMap::new();
        loop {
            match live.socket.hear().await {
                Frame::Text(message) if message["id"] == "a" => drop(take(message, &mut read)),
                Frame::Text(_) => {}
                Frame::Close(code) => return (code, read),
            }
        }
    });
    let idle = tokio::spawn(idle.closed());
    let server = server.restart().await;
    let (code, mut read) = reading.await.expect("a reader");
    assert_eq!(code, 1001);
    assert_eq!(idle.await.expect("a reader"), 1001);
    let user = server.user();
    let mut live = Live::open(&user).await;
    // The first events were discarded while the feed was awaited.
    let first = read
        .get("a")
        .and_then(|events| events.first())
        .map_or(1, |event| event["seq"].as_u64().expect("seq"));
    let last =
        read.get("a").and_then(|events| events.last()).map_or(0, |event| event["seq"].as_u64().expect("seq"));
    live.resume("a", &path, last).await;
    live.ended_into(1, &mut read).await;
    let whole = replay(&user, &path).await;
    assert_eq!(read["a"], whole[first as usize - 1..]);
    for after in (0..=canonical.len()).step_by(7) {
        live.resume("again", &ended, after).await;
        let again = live.ended(1).await;
        assert_eq!(again["again"], canonical[after..], "after {after}");
    }
}
