use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// For how many silences a server may keep the line open with what means nothing, such as comments.
const PATIENCE: u32 = 10;

/// Measures silence: the time we have waited for the server, not the time our reader took. The
/// timer is set once and put off only when it rings, so a busy stream never touches it.
pub(super) struct Idle {
    limit: Duration,
    since: Option<Instant>,
    /// When we began to wait for something that means something.
    blank_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None, blank_since: None, timer: None }
    }

    /// Some bytes have come, whatever they are.
    pub(super) fn heard(&mut self) {
        self.since = None;
    }

    /// Something has come that means something.
    pub(super) fn told(&mut self) {
        self.blank_since = None;
    }

    /// How long bytes alone put off the end.
    pub(super) fn patience(&self) -> Duration {
        self.limit.saturating_mul(PATIENCE)
    }

    /// Whether bytes came for too long that mean nothing. Who is never waited for can be found so alone.
    pub(super) fn babbled(&mut self) -> bool {
        let since = *self.blank_since.get_or_insert_with(Instant::now);
        since.elapsed() >= self.patience()
    }

    pub(super) fn shorten(&mut self, limit: Duration) {
        if limit < self.limit {
            self.limit = limit;
            self.timer = None;
        }
    }

    /// Ready when nothing was heard for too long.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let blank_since = *self.blank_since.get_or_insert(since);
        let deadline = (since + self.limit).min(blank_since + self.patience());
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        loop {
            ready!(timer.as_mut().poll(cx));
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }
}
