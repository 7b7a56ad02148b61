//! Browsers with many tabs.

use super::client::{Live, live_stream, replay, server};

/// Each tab has one connection, which carries everything that is live in it.
#[tokio::test]
async fn twelve_tabs_follow_their_answers_and_send_requests() {
    let server = server().await;
    let user = server.user();
    let mut tabs = Vec::new();
    for _ in 0..12 {
        let path = live_stream(&user, 60, 5).await;
        let mut live = Live::open(&user).await;
        live.subscribe("answer", &path).await;
        live.subscribe("notifications", "/api/notifications").await;
        tabs.push((path, live));
    }
    for (path, live) in &mut tabs {
        let answer = live.event("answer", "run.ended").await;
        assert_eq!(answer["event"], *replay(&user, path).await.last().expect("an end"));
        user.get("/api/users/me").await.ok();
    }
}
