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
    /// Bytes have come of which we do not know yet what they mean.
    fresh: bool,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None, blank_since: None, fresh: false, timer: None }
    }

    /// Some bytes have come, whatever they are.
    pub(super) fn bytes_received(&mut self) {
        self.since = None;
        self.fresh = true;
    }

    /// Something has come that means something.
    pub(super) fn content_received(&mut self) {
        self.blank_since = None;
        self.fresh = false;
    }

    /// How long bytes alone put off the end.
    pub(super) fn patience(&self) -> Duration {
        self.limit.saturating_mul(PATIENCE)
    }

    /// Whether the bytes that came last, and all for too long, meant nothing. The timer does not tell where they
    /// come without a pause.
    pub(super) fn babbled(&mut self) -> bool {
        std::mem::take(&mut self.fresh) && {
            self.blank_since.get_or_insert_with(Instant::now);
            self.is_spent()
        }
    }

    /// Whether nothing came for too long that means something.
    pub(super) fn is_spent(&self) -> bool {
        self.blank_since.is_some_and(|since| since.elapsed() >= self.patience())
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
