//! Nothing is shown that a crash can un-say: readers wait until what they read is durable.

use crate::error::{Error, Result};
use crate::waiting::wait_here;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// Counts commits as they begin and as they become durable. A reader takes a [`Ticket`] after
/// its last read and waits for it: whatever it saw had begun by then.
pub(crate) struct Gate {
    begun: AtomicU64,
    durable: watch::Sender<u64>,
    broken: AtomicBool,
}

/// The newest commit that a reader can have seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(u64);

impl Gate {
    pub fn new() -> Self {
        Self { begun: AtomicU64::new(0), durable: watch::Sender::new(0), broken: AtomicBool::new(false) }
    }

    /// Called by the committer before a group can become visible.
    pub fn begin(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// Called by the committer when everything begun is durable.
    pub fn settle(&self) {
        self.durable.send_replace(self.begun.load(Ordering::SeqCst));
    }

    /// Called when the engine has failed: what was begun may never become durable.
    pub fn fail(&self) {
        self.broken.store(true, Ordering::SeqCst);
        self.durable.send_replace(u64::MAX);
    }

    /// Whether the engine has failed.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::SeqCst)
    }

    /// To be taken after the last read.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.begun.load(Ordering::SeqCst))
    }

    /// Returns at once if everything up to the ticket is durable already.
    pub async fn wait(&self, ticket: Ticket) -> Result<()> {
        if *self.durable.borrow() < ticket.0 {
            let mut durable = self.durable.subscribe();
            durable.wait_for(|reached| *reached >= ticket.0).await.map_err(|_| Error::Closed)?;
        }
        self.healthy()
    }

    /// [`wait`](Self::wait) for synchronous callers.
    pub fn wait_blocking(&self, ticket: Ticket) -> Result<()> {
        if *self.durable.borrow() < ticket.0 {
            return wait_here(self.wait(ticket));
        }
        self.healthy()
    }

    fn healthy(&self) -> Result<()> {
        if self.is_broken() {
            return Err(Error::Engine("an earlier write failed; start the server again".into()));
        }
        Ok(())
    }
}
