//! A reader of a journal: from the tail in memory, else from disk, then the next as it comes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use storage::{Store, TenantId};
use tokio::sync::watch;
use uuid::Uuid;

use super::tail::Lookup;
use super::view::{MaySeeAll, View};
use super::{Chunk, Mark, RunJournal};

/// How much a reader takes from disk at once, in bytes.
const DISK_READ: usize = 256 * 1024;

/// A place in a run's journal. Backlog and live events are one path: a cursor is pulled, keeps no
/// queue, and can be as slow as its client.
pub struct Cursor {
    tenant: TenantId,
    run: Uuid,
    store: Store,
    live: Option<(Arc<RunJournal>, watch::Receiver<Mark>)>,
    after: u64,
    view: View,
    /// Counts it among the readers.
    seat: Option<ReaderGuard>,
}

/// One of those who read a journal, for as long as it is held.
struct ReaderGuard {
    journal: Arc<RunJournal>,
    /// Whether it has waited for an event, and is going to wait for the next.
    follows: bool,
}

impl ReaderGuard {
    fn new(journal: &Arc<RunJournal>) -> Self {
        journal.seats.fetch_add(1, Ordering::AcqRel);
        Self { journal: journal.clone(), follows: false }
    }

    fn follow(&mut self) {
        if !std::mem::replace(&mut self.follows, true) {
            self.journal.follow(true);
        }
    }
}

impl Drop for ReaderGuard {
    fn drop(&mut self) {
        if self.follows {
            self.journal.follow(false);
        }
        self.journal.seats.fetch_sub(1, Ordering::AcqRel);
        self.journal.left.notify_waiters();
    }
}

impl Cursor {
    pub(super) fn live(journal: Arc<RunJournal>, store: Store, after: u64) -> Self {
        let (tenant, run, bell) = (journal.tenant, journal.run, journal.mark.subscribe());
        let seat = Some(ReaderGuard::new(&journal));
        Self { tenant, run, store, live: Some((journal, bell)), after, view: View::default(), seat }
    }

    /// A reader of a run that has ended.
    pub(crate) fn ended(store: Store, tenant: TenantId, run: Uuid, after: u64) -> Self {
        Self { tenant, run, store, live: None, after, view: View::default(), seat: None }
    }

    /// A reader that is part of the server and is given everything.
    pub fn whole(self) -> Self {
        Self { view: View::Whole, ..self }
    }

    /// A reader that is given everything for as long as `ask` answers true. It is asked before the first event, and
    /// before the next one whenever anyone's rights may have changed. `known` is an answer found before, with the epoch of
    /// rights that it holds for. Without this, a reader is given the outline.
    pub fn whole_while(self, ask: MaySeeAll, known: Option<(u64, bool)>) -> Self {
        Self { view: View::checked(ask, known), ..self }
    }

    /// The run that is read.
    pub fn run(&self) -> Uuid {
        self.run
    }

    /// Sequence number of the last event that was read.
    pub fn position(&self) -> u64 {
        self.after
    }

    /// Whether the run was live when this was asked, so that waiting for more makes sense.
    pub fn is_live(&self) -> bool {
        self.live.as_ref().is_some_and(|(journal, _)| !journal.mark().ended)
    }

    /// Waits until the run has ended. While all of its readers wait this way, its events need not be durable before its
    /// end is, which saves commits.
    pub async fn until_end(&mut self) {
        if let Some((_, bell)) = &mut self.live {
            // Cannot fail, as in `pull`.
            drop(bell.wait_for(|mark| mark.ended).await);
        }
    }

    /// The same reader once more from the first event.
    pub fn from_start(self) -> Self {
        Self { after: 0, ..self }
    }

    /// What is in memory right now, without waiting; none where there is nothing new or the disk
    /// would have to be asked.
    pub fn try_next(&mut self) -> Option<Arc<Chunk>> {
        let (journal, _) = self.live.as_ref()?;
        let found = journal.tail.read().after(self.after);
        if !self.view.is_current(&self.store) {
            return None;
        }
        match found {
            Lookup::Chunk(chunk) => {
                self.after = chunk.last_seq();
                Some(self.view.shown(chunk))
            }
            Lookup::OnDisk | Lookup::Nothing => None,
        }
    }

    /// The next events, as soon as there are any; none when the run has ended and all was read.
    /// Cancel-safe: what is not returned is not passed over.
    pub async fn next(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        loop {
            let before = self.after;
            let Some(chunk) = self.pull().await? else { return Ok(None) };
            if self.view.is_current(&self.store) {
                return Ok(Some(self.view.shown(chunk)));
            }
            // Back to where it was first, so that nothing is passed over if this is dropped while it waits.
            self.after = before;
            self.view.check(&self.store).await;
        }
    }

    async fn pull(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        loop {
            let Some((journal, bell)) = self.live.as_mut() else {
                return self.read_disk().await;
            };
            // The mark is looked at before the tail: whatever came by then is in the tail.
            let mark = *bell.borrow_and_update();
            let found = journal.tail.read().after(self.after);
            match found {
                Lookup::Chunk(chunk) => {
                    self.after = chunk.last_seq();
                    return Ok(Some(chunk));
                }
                Lookup::OnDisk => return self.read_disk().await,
                Lookup::Nothing if mark.ended => return Ok(None),
                Lookup::Nothing => {
                    if let Some(seat) = &mut self.seat {
                        seat.follow();
                    }
                    // Cannot fail while the journal, which holds the sender, is held here.
                    drop(bell.changed().await);
                }
            }
        }
    }

    async fn read_disk(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        let (tenant, run, after) = (self.tenant, self.run, self.after);
        let events =
            self.store.read(move |reader| reader.journal_read(tenant, run, after, DISK_READ)).await?;
        let Some(last) = events.last() else { return Ok(None) };
        self.after = last.seq;
        Ok(Some(Arc::new(Chunk::new(events))))
    }
}
