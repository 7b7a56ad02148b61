//! Whether a reader may still read: asked again while it is attached.

use std::time::Duration;

use futures::future::LocalBoxFuture;
use storage::RightsListener;
use tokio::sync::watch;

/// How often an open connection shows that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The rights are asked for at every fourth heartbeat, that is each minute.
const ASKED_EACH: u32 = 4;

/// A question put again and again: may this reader go on?
pub struct Rights {
    ask: Box<dyn Fn() -> LocalBoxFuture<'static, bool>>,
    beats: u32,
    /// Where others decide whether the reader may read.
    bell: Option<RightsListener>,
    /// Whether the bell was heard, and nothing was asked since.
    heard: bool,
    /// Ends every reader, whatever their rights.
    closing: Option<watch::Receiver<bool>>,
}

impl Rights {
    /// `ask` answers whether the reader may go on.
    pub fn new(ask: impl Fn() -> LocalBoxFuture<'static, bool> + 'static) -> Self {
        Self { ask: Box::new(ask), beats: 0, bell: None, heard: false, closing: None }
    }

    /// The question is put at each ring, too.
    pub fn at_each(self, bell: RightsListener) -> Self {
        Self { bell: Some(bell), ..self }
    }

    /// Ends the reader once this turns true: an open stream would delay the server's stop.
    pub fn until(self, closing: watch::Receiver<bool>) -> Self {
        Self { closing: Some(closing), ..self }
    }

    /// The bell, for those who wait for it by themselves.
    pub fn bell(&self) -> Option<RightsListener> {
        self.bell.clone()
    }

    /// The question.
    pub fn question(&self) -> LocalBoxFuture<'static, bool> {
        (self.ask)()
    }

    /// Returns when the question is to be put again, whatever the clock says.
    pub async fn changed(&mut self) {
        let rung = async {
            match &mut self.bell {
                Some(bell) => bell.changed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = rung => {}
            () = closed(&mut self.closing) => {}
        }
        self.heard = true;
    }

    /// Called before anything is told: false when the reader may no longer read.
    pub async fn stand(&mut self) -> bool {
        if self.closing.as_ref().is_some_and(|closing| *closing.borrow()) {
            return false;
        }
        let Some(bell) = &mut self.bell else { return true };
        let rang = bell.has_changed();
        match std::mem::take(&mut self.heard) || rang {
            true => (self.ask)().await,
            false => true,
        }
    }

    /// Called at every heartbeat: the question, if it is time for it.
    pub fn beat(&mut self) -> Option<LocalBoxFuture<'static, bool>> {
        self.beats += 1;
        self.beats.is_multiple_of(ASKED_EACH).then(|| (self.ask)())
    }

    /// Called at every heartbeat: false when the reader may no longer read.
    pub async fn hold(&mut self) -> bool {
        match self.beat() {
            Some(question) => question.await,
            None => true,
        }
    }
}

async fn closed(closing: &mut Option<watch::Receiver<bool>>) {
    let Some(closing) = closing else { return std::future::pending().await };
    // The sender is gone when the server is.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// A clock that ticks at every heartbeat, first after one interval.
pub fn heartbeats() -> tokio::time::Interval {
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rights_are_asked_for_each_minute() {
        let mut rights = Rights::new(|| Box::pin(async { false }));
        for minute in 0..3 {
            for _ in 1..ASKED_EACH {
                assert!(rights.hold().await, "not asked yet in minute {minute}");
            }
            assert!(!rights.hold().await, "asked in minute {minute}");
        }
        assert_eq!(HEARTBEAT * ASKED_EACH, Duration::from_secs(60));
    }
}
