//! Writes a journal on behalf of one epoch.

use std::sync::Arc;

use storage::{Batch, ChangeNotifications, Timestamp};
use tokio::sync::oneshot;

use super::RunJournal;
use super::fence::Fence;
use super::pending::{Item, JournalPreview, Sealed};
use super::write_error::{SealError, WriteError};
use crate::event::EventBody;

/// A commit of records and events that is in progress.
pub struct PendingCommit(Option<oneshot::Receiver<Result<(), SealError>>>);

impl PendingCommit {
    /// Nothing has to be committed.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Waits until the commit has succeeded or was rejected.
    pub async fn verdict(self) -> Result<(), SealError> {
        match self.0 {
            Some(verdict) => verdict.await.unwrap_or(Err(SealError::Closed)),
            None => Ok(()),
        }
    }
}

/// Writes a run's journal for one epoch.
#[derive(Clone)]
pub struct Writer {
    journal: Arc<RunJournal>,
    epoch: u32,
}

impl Writer {
    pub(super) fn new(journal: Arc<RunJournal>, epoch: u32) -> Self {
        Self { journal, epoch }
    }

    /// The epoch that this writer writes for.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The epoch as a precondition of everything else that its work writes.
    pub fn fence(&self) -> Fence {
        Fence { tenant: self.journal.tenant, run: self.journal.run, epoch: self.epoch }
    }

    /// Appends an event. It becomes durable and visible to readers with the next commit. Deltas that wait together are
    /// folded into one.
    pub fn push(&self, event: impl Into<EventBody>) -> Result<(), WriteError> {
        self.enqueue(Item::Event(event.into(), Timestamp::now()))
    }

    /// Appends events that become durable together: a crash leaves all of them or none.
    pub fn push_all(&self, events: Vec<EventBody>) -> Result<(), WriteError> {
        self.enqueue(Item::Group(events, Timestamp::now()))
    }

    /// Whether not too many bytes wait for the disk, so that [`room`](Self::room) would not wait.
    pub fn has_room(&self) -> bool {
        self.journal.lag() <= self.journal.limits.pending_bytes
    }

    /// Waits while too many bytes wait for the disk.
    pub async fn room(&self) {
        while !self.has_room() {
            let room = self.journal.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            if self.has_room() {
                return;
            }
            room.await;
        }
    }

    /// Waits until everything that was pushed before is durable.
    pub async fn flush(&self) -> Result<(), WriteError> {
        let (reply, durable) = oneshot::channel();
        self.enqueue(Item::Flush(reply))?;
        durable.await.map_err(|_| WriteError)
    }

    /// Sequence number of the next event, provided that everything pushed so far is durable.
    pub fn next_seq(&self) -> u64 {
        self.journal.pending.lock().next_seq()
    }

    /// Returns the contents that the journal will have once everything pushed is durable, without waiting for that.
    pub async fn preview(&self) -> Result<JournalPreview, WriteError> {
        loop {
            {
                let mut pending = self.journal.pending.lock();
                if pending.closed || pending.epoch != self.epoch {
                    return Err(WriteError);
                }
                if let Some(preview) = pending.build_preview(self.journal.run) {
                    return Ok(preview);
                }
            }
            self.flush().await?;
        }
    }

    /// Commits records and events together or not at all; [`PendingCommit::verdict`] returns which. `first_seq` is the
    /// sequence number that the first event must get ([`JournalPreview::next_seq`], or [`Writer::next_seq`] after a
    /// flush), or 0 if it does not matter. With a number, they share the commit of the events pushed before; if they
    /// are rejected, those events are committed without them.
    pub fn seal(
        &self,
        events: impl IntoIterator<Item = impl Into<EventBody>>,
        first_seq: u64,
        batch: Batch,
        rings: ChangeNotifications,
    ) -> Result<PendingCommit, SealError> {
        let events = events.into_iter().map(Into::into).collect();
        self.commit_sealed(events, (first_seq, false), (batch, rings))
    }

    /// Commits the records that unload the run, if the next event would get this sequence number. After that, the
    /// journal accepts nothing more.
    pub(crate) fn seal_unloaded(
        &self,
        next_seq: u64,
        batch: Batch,
        rings: ChangeNotifications,
    ) -> Result<PendingCommit, SealError> {
        self.commit_sealed(Vec::new(), (next_seq, true), (batch, rings))
    }

    fn commit_sealed(
        &self,
        events: Vec<EventBody>,
        (first_seq, unloads): (u64, bool),
        (batch, rings): (Batch, ChangeNotifications),
    ) -> Result<PendingCommit, SealError> {
        let (reply, verdict) = oneshot::channel();
        let sealed = Sealed { events, first_seq, unloads, batch, rings, reply };
        self.enqueue(Item::Sealed(sealed)).map_err(|_| SealError::Closed)?;
        Ok(PendingCommit(Some(verdict)))
    }

    fn enqueue(&self, item: Item) -> Result<(), WriteError> {
        let mut pending = self.journal.pending.lock();
        if pending.closed || pending.epoch != self.epoch {
            return Err(WriteError);
        }
        let awaited = !matches!(item, Item::Event(..) | Item::Group(..));
        let call = pending.push(item);
        drop(pending);
        self.journal.call(call);
        if awaited {
            self.journal.store.commit_now();
        }
        Ok(())
    }
}
