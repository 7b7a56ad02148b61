use futures::FutureExt;
use futures::future::LocalBoxFuture;
use std::time::Duration;
use tokio::sync::watch;

use understudy::parts::http::{ASKED_EACH, HEARTBEAT, Rights};

#[tokio::test]
async fn beat_checks_rights_once_a_minute() {
    let mut rights = Rights::new(|| Box::pin(async { false }));
    for minute in 0..3 {
        for _ in 1..ASKED_EACH {
            assert!(rights.check_at_heartbeat().await, "not asked yet in minute {minute}");
        }
        assert!(!rights.check_at_heartbeat().await, "asked in minute {minute}");
    }
    assert_eq!(HEARTBEAT * ASKED_EACH, Duration::from_secs(60));
}

#[tokio::test]
async fn check_continues_after_it_was_cancelled() {
    let (answer, asked) = watch::channel(None);
    let ask = move || -> LocalBoxFuture<'static, bool> {
        let mut asked = asked.clone();
        Box::pin(
            async move { asked.wait_for(Option::is_some).await.is_ok_and(|answer| *answer == Some(true)) },
        )
    };
    let mut rights = Rights::new(ask);
    assert!(rights.check().await, "nothing has changed");
    rights.ask_again();
    assert!(rights.check().now_or_never().is_none());
    assert!(rights.check().now_or_never().is_none(), "the check is not forgotten");
    answer.send_replace(Some(false));
    assert!(!rights.check().await);
}
