//! A reader of a journal: from the tail in memory, else from disk, then the next as it comes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use storage::{Store, TenantId};
use tokio::sync::watch;
use uuid::Uuid;

use super::loaded::LoadWait;
use super::tail::Lookup;
use super::view::{MaySeeAll, View};
use super::{Chunk, Journals, Mark, RunJournal};

/// How much a reader takes from disk at once, in bytes.
const DISK_READ: usize = 256 * 1024;

/// A place in a run's journal. Backlog and live events are one path: a cursor is pulled, keeps no
/// queue, and can be as slow as its client.
pub struct Cursor {
    tenant: TenantId,
    run: Uuid,
    store: Store,
    journals: Arc<Journals>,
    source: Source,
    after: u64,
    view: View,
    /// Whether it counts among the readers.
    is_counted: bool,
}

/// Where the events come from.
enum Source {
    /// The journal of a run in memory; counted among its readers while the guard is there.
    Live(Arc<RunJournal>, watch::Receiver<Mark>, Option<ReaderGuard>),
    /// The disk, until the run is loaded.
    Unloaded(LoadWait),
    /// The disk.
    Ended,
}

impl Source {
    fn live(journal: Arc<RunJournal>, is_counted: bool) -> Self {
        let (bell, seat) = (journal.mark.subscribe(), is_counted.then(|| ReaderGuard::new(&journal)));
        Self::Live(journal, bell, seat)
    }
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
        let (tenant, run) = (journal.tenant, journal.run);
        let journals = journal.journals.clone();
        let source = Source::live(journal, true);
        Self { tenant, run, store, journals, source, after, view: View::default(), is_counted: true }
    }

    /// A reader of a run that has ended.
    pub(crate) fn ended(
        journals: Arc<Journals>,
        store: Store,
        (tenant, run): (TenantId, Uuid),
        after: u64,
    ) -> Self {
        Self {
            tenant,
            run,
            store,
            journals,
            source: Source::Ended,
            after,
            view: View::default(),
            is_counted: true,
        }
    }

    /// A reader of a run that is unloaded.
    pub(crate) fn unloaded(
        journals: Arc<Journals>,
        store: Store,
        (tenant, run): (TenantId, Uuid),
        after: u64,
    ) -> Self {
        let source = Source::Unloaded(LoadWait::new(journals.clone(), run));
        Self { tenant, run, store, journals, source, after, view: View::default(), is_counted: true }
    }

    /// A reader that is part of the server, and does not count where people are looked for that read along.
    pub fn uncounted(mut self) -> Self {
        self.is_counted = false;
        if let Source::Live(_, _, seat) = &mut self.source {
            *seat = None;
        }
        self
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
        match &self.source {
            Source::Live(journal, ..) => !journal.mark().ended,
            Source::Unloaded(_) => true,
            Source::Ended => false,
        }
    }

    /// Waits until the run has ended. While all of its readers wait this way, its events need not be durable before its
    /// end is, which saves commits.
    pub async fn until_end(&mut self) {
        if let Source::Live(_, bell, _) = &mut self.source {
            // Cannot fail, as in `pull`.
            drop(bell.wait_for(|mark| mark.ended || mark.unloaded).await);
        }
    }

    /// Waits while a run that was at work when the process before ended has not written whether it goes on with what is in
    /// its journal or begins again. Returns the sequence number of the last event that is durable then; 0 for a run
    /// that is not in memory.
    pub async fn until_restarted(&mut self) -> u64 {
        let Source::Live(journal, bell, _) = &mut self.source else { return 0 };
        let journal = journal.clone();
        // Cannot fail, as in `pull`.
        drop(bell.wait_for(|_| !journal.is_restarting.load(Ordering::Acquire)).await);
        journal.mark().seq
    }

    /// The same reader once more from the first event.
    pub fn from_start(self) -> Self {
        Self { after: 0, ..self }
    }

    /// What is in memory right now, without waiting; none where there is nothing new or the disk
    /// would have to be asked.
    pub fn try_next(&mut self) -> Option<Arc<Chunk>> {
        let Source::Live(journal, ..) = &self.source else { return None };
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
            match &mut self.source {
                Source::Live(journal, bell, seat) => {
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
                        Lookup::Nothing if mark.unloaded => {
                            let wait = LoadWait::new(journal.journals.clone(), self.run);
                            self.source = Source::Unloaded(wait);
                        }
                        Lookup::Nothing => {
                            if let Some(seat) = seat {
                                seat.follow();
                            }
                            // Cannot fail while the journal, which holds the sender, is held here.
                            drop(bell.changed().await);
                        }
                    }
                }
                Source::Unloaded(_) => {
                    if let Some(chunk) = self.pull_unloaded().await? {
                        return Ok(Some(chunk));
                    }
                }
                Source::Ended => return self.read_disk().await,
            }
        }
    }

    /// What the disk has, or nothing once the run was loaded or has ended.
    async fn pull_unloaded(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        let (tenant, run, after) = (self.tenant, self.run, self.after);
        let Source::Unloaded(wait) = &self.source else { return Ok(None) };
        let loaded = wait.loaded();
        tokio::pin!(loaded);
        // From here on no loading is missed, so that what is neither in memory nor on disk is yet to come.
        loaded.as_mut().enable();
        if let Some(journal) = wait.journal() {
            self.source = Source::live(journal, self.is_counted);
            return Ok(None);
        }
        let read = self.store.read(move |reader| {
            let has_ended = reader.terminal(tenant, run)?.is_some();
            let events = reader.journal_read(tenant, run, after, DISK_READ)?;
            Ok::<_, storage::Error>((has_ended, events))
        });
        let (has_ended, events) = read.await?;
        if let Some(last) = events.last() {
            self.after = last.seq;
            return Ok(Some(Arc::new(Chunk::new(events))));
        }
        match has_ended {
            true => self.source = Source::Ended,
            false => loaded.await,
        }
        Ok(None)
    }

    async fn read_disk(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        let (tenant, run, after) = (self.tenant, self.run, self.after);
        let piece = match self.journals.pieces.get((tenant, run, after)) {
            Some(piece) => piece,
            None => {
                let read = self.store.read(move |reader| reader.journal_read(tenant, run, after, DISK_READ));
                let events = read.await?;
                if events.is_empty() {
                    return Ok(None);
                }
                let piece = Arc::new(Chunk::new(events));
                // A smaller one is the end of what is there, and seldom read again.
                if piece.json_bytes() >= DISK_READ / 2 {
                    self.journals.pieces.add((tenant, run, after), &piece);
                }
                piece
            }
        };
        self.after = piece.last_seq();
        Ok(Some(piece))
    }
}
