use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// Measures silence: the time we have waited for the server, not the time our reader took. The
/// timer is set once and put off only when it rings, so a busy stream never touches it.
pub(super) struct Idle {
    limit: Duration,
    since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None, timer: None }
    }

    pub(super) fn heard(&mut self) {
        self.since = None;
    }

    pub(super) fn shorten(&mut self, limit: Duration) {
        if limit < self.limit {
            self.limit = limit;
            self.timer = None;
        }
    }

    /// Ready when nothing was heard for too long.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = *self.since.get_or_insert_with(Instant::now) + self.limit;
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
