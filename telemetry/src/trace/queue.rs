//! The queue of spans to be exported.

use tokio::sync::mpsc;

use super::Finished;
use crate::metrics::table::TELEMETRY_DROPPED;

/// The sending half: accepts a span, or drops and counts it. Never waits.
#[derive(Clone, Debug)]
pub(crate) struct Queue(mpsc::Sender<Finished>);

impl Queue {
    /// Creates a queue with a capacity of `spans`.
    pub fn with_room(spans: usize) -> (Self, mpsc::Receiver<Finished>) {
        let (sender, receiver) = mpsc::channel(spans);
        (Self(sender), receiver)
    }

    /// Queues a span if there is room.
    pub fn put(&self, span: Finished) {
        if self.0.try_send(span).is_err() {
            TELEMETRY_DROPPED.add(["spans"], 1);
        }
    }
}
