//! Checks repeatedly whether an attached reader may still read.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use storage::RightsListener;
use tokio::sync::watch;

/// The interval at which an open connection sends a sign of life.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The rights are checked at every fourth heartbeat, that is, once a minute.
pub const ASKED_EACH: u32 = 4;

/// The recurring check of whether a reader may continue.
pub struct Rights {
    ask: Box<dyn Fn() -> LocalBoxFuture<'static, bool>>,
    beats: u32,
    /// The check that has begun.
    pending: Option<LocalBoxFuture<'static, bool>>,
    /// Reports changes of rights by others that may concern the reader.
    listener: Option<RightsListener>,
    /// Waits for the listener or the shutdown of the server. Reused until either happens.
    change: Option<LocalBoxFuture<'static, ()>>,
    /// Whether the listener reported a change that has not been checked yet.
    heard: bool,
    /// Ends every reader regardless of its rights.
    closing: Option<watch::Receiver<bool>>,
}

impl Rights {
    /// `ask` returns whether the reader may continue.
    pub fn new(ask: impl Fn() -> LocalBoxFuture<'static, bool> + 'static) -> Self {
        Self {
            ask: Box::new(ask),
            beats: 0,
            pending: None,
            listener: None,
            change: None,
            heard: false,
            closing: None,
        }
    }

    /// Checks the rights also at each change that the listener reports.
    pub fn at_each(self, listener: RightsListener) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Ends the reader once this value becomes true: an open stream would delay the shutdown of the server.
    pub fn until(self, closing: watch::Receiver<bool>) -> Self {
        Self { closing: Some(closing), ..self }
    }

    /// Returns when the rights have to be checked again before the next heartbeat.
    pub async fn changed(&mut self) {
        poll_fn(|cx| self.poll_changed(cx)).await;
    }

    /// Polls whether the rights have to be checked again before the next heartbeat.
    pub fn poll_changed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.listener.is_none() && self.closing.is_none() {
            return Poll::Pending;
        }
        let (listener, closing) = (&self.listener, &self.closing);
        let change = self.change.get_or_insert_with(|| Box::pin(change(listener.clone(), closing.clone())));
        ready!(change.as_mut().poll(cx));
        self.change = None;
        self.ask_again();
        Poll::Ready(())
    }

    /// Lets the next check ask again.
    pub fn ask_again(&mut self) {
        self.heard = true;
    }

    /// Called before anything is sent: returns false if the reader may no longer read. Can be cancelled; the next call
    /// then continues the check.
    pub async fn check(&mut self) -> bool {
        poll_fn(|cx| self.poll_check(cx)).await
    }

    /// Polls [`check`](Self::check).
    pub fn poll_check(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.closing.as_ref().is_some_and(|closing| *closing.borrow()) {
            return Poll::Ready(false);
        }
        let rang = self.listener.as_mut().is_some_and(RightsListener::has_changed);
        if rang {
            // It waits for the change that was just received.
            self.change = None;
        }
        if std::mem::take(&mut self.heard) || rang {
            self.pending = Some((self.ask)());
        }
        let Some(check) = &mut self.pending else { return Poll::Ready(true) };
        let holds = ready!(check.as_mut().poll(cx));
        self.pending = None;
        Poll::Ready(holds)
    }

    /// Called at every heartbeat: lets the next check ask if that is due.
    pub fn beat(&mut self) {
        self.beats += 1;
        if self.beats.is_multiple_of(ASKED_EACH) {
            self.pending = Some((self.ask)());
        }
    }

    /// Called at every heartbeat: returns false if the reader may no longer read.
    pub async fn check_at_heartbeat(&mut self) -> bool {
        self.beat();
        self.check().await
    }
}

/// Returns after the next report of the listener, or once the server is shutting down.
async fn change(listener: Option<RightsListener>, closing: Option<watch::Receiver<bool>>) {
    let reported = async {
        match listener {
            Some(mut listener) => listener.changed().await,
            None => std::future::pending().await,
        }
    };
    let closed = async {
        match closing {
            Some(mut closing) => closed(&mut closing).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = reported => {}
        () = closed => {}
    }
}

/// Returns once the value becomes true, that is, once the server is shutting down.
pub async fn closed(closing: &mut watch::Receiver<bool>) {
    // The sender is dropped together with the server.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// An interval that ticks at every heartbeat, first after one interval.
pub fn heartbeats() -> tokio::time::Interval {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    ticks
}
