use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// For how many idle timeouts a server may keep a connection open with data without content, such as comments.
const MAX_IDLE_TIMEOUTS: u32 = 10;

/// Measures how long the server is idle, excluding the time that our reader takes. The timer is set once and reset
/// only when it fires, so a busy stream never resets it, and polls it only once.
pub(super) struct Idle {
    limit: Duration,
    since: Option<Instant>,
    /// When we began to wait for content.
    blank_since: Option<Instant>,
    /// Bytes have arrived that have not been parsed yet.
    fresh: bool,
    timer: Option<Pin<Box<Sleep>>>,
    /// The waker that the timer wakes.
    waker: Option<Waker>,
}

impl Idle {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None, blank_since: None, fresh: false, timer: None, waker: None }
    }

    /// Records that bytes of any kind have arrived.
    pub(super) fn bytes_received(&mut self) {
        self.since = None;
        self.fresh = true;
    }

    /// Records that content has arrived.
    pub(super) fn content_received(&mut self) {
        self.blank_since = None;
        self.fresh = false;
    }

    /// How long bytes without content can postpone the timeout.
    pub(super) fn patience(&self) -> Duration {
        self.limit.saturating_mul(MAX_IDLE_TIMEOUTS)
    }

    /// Whether only bytes without content have arrived for too long. The timer does not detect this if they arrive
    /// without a pause.
    pub(super) fn exceeded_keepalive_limit(&mut self) -> bool {
        std::mem::take(&mut self.fresh) && {
            self.blank_since.get_or_insert_with(Instant::now);
            self.is_spent()
        }
    }

    /// Whether no content has arrived for too long.
    pub(super) fn is_spent(&self) -> bool {
        self.blank_since.is_some_and(|since| since.elapsed() >= self.patience())
    }

    pub(super) fn shorten(&mut self, limit: Duration) {
        if limit < self.limit {
            self.limit = limit;
            self.timer = None;
        }
    }

    /// Ready when the server has been idle for too long.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let since = match self.since {
            Some(since) => since,
            None => {
                let now = *self.since.insert(Instant::now());
                if self.will_wake_after(now, cx) {
                    self.blank_since.get_or_insert(now);
                    return Poll::Pending;
                }
                now
            }
        };
        let blank_since = *self.blank_since.get_or_insert(since);
        let deadline = (since + self.limit).min(blank_since + self.patience());
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
        }
        loop {
            ready!(timer.as_mut().poll(cx));
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }

    /// Whether the timer, which was polled before, will wake this task after `now`. It then need not be polled, and
    /// whether it has to be reset is found out when it does.
    fn will_wake_after(&self, now: Instant, cx: &Context<'_>) -> bool {
        let is_set = self.timer.as_ref().is_some_and(|timer| now < timer.deadline());
        is_set && self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    async fn wait(idle: &mut Idle) {
        poll_fn(|cx| idle.poll(cx)).await;
    }

    /// Waits for the timeout, and returns whether it comes within this time.
    async fn is_idle_within(idle: &mut Idle, time: Duration) -> bool {
        tokio::time::timeout(time, wait(idle)).await.is_ok()
    }

    #[tokio::test]
    async fn poll_measures_from_the_last_bytes() {
        let mut idle = Idle::new(LIMIT);
        for _ in 0..5 {
            assert!(!is_idle_within(&mut idle, LIMIT / 4).await);
            idle.bytes_received();
            idle.content_received();
        }
        let begun = Instant::now();
        wait(&mut idle).await;
        assert!(begun.elapsed() >= LIMIT, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn poll_wakes_another_task_that_continues_to_wait() {
        let mut idle = Idle::new(LIMIT);
        assert!(
            poll_fn(|cx| Poll::Ready(idle.poll(cx))).now_or_never().is_some_and(|idle| idle.is_pending())
        );
        idle.bytes_received();
        let waiting = tokio::spawn(async move { wait(&mut idle).await });
        tokio::time::timeout(LIMIT * 20, waiting).await.expect("it is woken").unwrap();
    }

    #[tokio::test]
    async fn shorten_takes_effect_at_once() {
        let mut idle = Idle::new(LIMIT);
        assert!(!is_idle_within(&mut idle, LIMIT / 10).await);
        idle.shorten(LIMIT / 10);
        assert!(is_idle_within(&mut idle, LIMIT / 2).await);
    }
}
