//! A reader of a journal: reads from the tail in memory or from disk, then waits for new events.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use storage::{Store, TenantId};
use uuid::Uuid;

use super::loaded::LoadWait;
use super::mark_signal::Listener;
use super::tail::Lookup;
use super::view::{FullAccessCheck, View};
use super::{Chunk, Journals, Mark, RunJournal};

/// Maximum number of bytes read from disk at once.
const DISK_READ: usize = 256 * 1024;

/// A position in a run's journal. Backlog and live events take the same path: the reader pulls from the cursor, which
/// has no queue, so a client may be arbitrarily slow.
pub struct Cursor {
    tenant: TenantId,
    run: Uuid,
    store: Store,
    journals: Arc<Journals>,
    source: Source,
    after: u64,
    view: View,
    /// Whether this cursor counts as a reader of the journal.
    is_counted: bool,
}

/// What a cursor can return without waiting for anything but new events.
pub enum InMemory {
    /// The next events.
    Chunk(Arc<Chunk>),
    /// The run has ended, and all events were read.
    Ended,
    /// [`Cursor::next`] has to be called: it reads the disk, checks a permission, or waits for the run to be loaded.
    Elsewhere,
}

/// Where the cursor gets its events from.
enum Source {
    /// The journal of a run in memory. The cursor counts as a reader while the guard exists.
    Live(Arc<RunJournal>, Listener, Option<ReaderGuard>),
    /// The disk, until the run is loaded.
    Unloaded(LoadWait),
    /// The disk: the run has ended.
    Ended,
}

impl Source {
    fn live(journal: Arc<RunJournal>, is_counted: bool) -> Self {
        let (listener, seat) = (journal.signal.listen(), is_counted.then(|| ReaderGuard::new(&journal)));
        Self::Live(journal, listener, seat)
    }
}

/// Counts one reader of a journal for as long as the guard is held.
struct ReaderGuard {
    journal: Arc<RunJournal>,
    /// Whether the reader has waited for an event and will wait for the next one.
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

    /// Excludes the cursor from the number of readers. For readers within the server, where only human readers count.
    pub fn uncounted(mut self) -> Self {
        self.is_counted = false;
        if let Source::Live(_, _, seat) = &mut self.source {
            *seat = None;
        }
        self
    }

    /// Gives a reader within the server access to all events in full.
    pub fn whole(self) -> Self {
        Self { view: View::Whole, ..self }
    }

    /// Returns full events for as long as `ask` returns true, and the outline otherwise. `ask` is called before the
    /// first event, and again before the next event after any permissions may have changed. `known` is an earlier
    /// result, with the permission epoch for which it is valid. Without this call, a reader receives the outline.
    pub fn whole_while(self, ask: FullAccessCheck, known: Option<(u64, bool)>) -> Self {
        Self { view: View::checked(ask, known), ..self }
    }

    /// The ID of the run that this cursor reads.
    pub fn run(&self) -> Uuid {
        self.run
    }

    /// Sequence number of the last event that was read.
    pub fn position(&self) -> u64 {
        self.after
    }

    /// Whether the run was live at the time of this call, so that waiting for more events makes sense.
    pub fn is_live(&self) -> bool {
        match &self.source {
            Source::Live(journal, ..) => !journal.mark().ended,
            Source::Unloaded(_) => true,
            Source::Ended => false,
        }
    }

    /// Waits until the run has ended. While all readers wait this way, the run's events need not become durable before its
    /// end does, which saves commits.
    pub async fn until_end(&mut self) {
        if let Source::Live(_, listener, _) = &mut self.source {
            listener.until(Mark::is_over).await;
        }
    }

    /// Waits while a run that was working when the previous process ended has not yet recorded whether it continues
    /// with the contents of its journal or starts over. Returns the sequence number of the last event that is durable
    /// at that point, or 0 if the run is not in memory.
    pub async fn until_restarted(&mut self) -> u64 {
        let Source::Live(journal, listener, _) = &mut self.source else { return 0 };
        // The mark changes after `is_restarting`.
        listener.until(|_| !journal.is_restarting.load(Ordering::Acquire)).await;
        journal.mark().seq
    }

    /// Moves the reader back to the first event.
    pub fn from_start(self) -> Self {
        Self { after: 0, ..self }
    }

    /// Returns the next events that are in memory, without waiting. Returns `None` if there are no new events or they
    /// would have to be read from disk.
    pub fn try_next(&mut self) -> Option<Arc<Chunk>> {
        let Source::Live(journal, ..) = &self.source else { return None };
        let (_, Lookup::Chunk(chunk)) = journal.look(self.after) else { return None };
        if !self.view.is_current(&self.store) {
            return None;
        }
        self.after = chunk.last_seq();
        Some(self.view.shown(chunk))
    }

    /// Polls for the next events in memory. If there are none yet, the task is woken once there are, or once the run has ended.
    pub fn poll_memory(&mut self, cx: &mut Context<'_>) -> Poll<InMemory> {
        let Source::Live(journal, listener, seat) = &mut self.source else {
            return Poll::Ready(InMemory::Elsewhere);
        };
        loop {
            let (mark, found) = journal.look(self.after);
            match found {
                Lookup::Chunk(chunk) if self.view.is_current(&self.store) => {
                    self.after = chunk.last_seq();
                    return Poll::Ready(InMemory::Chunk(self.view.shown(chunk)));
                }
                Lookup::Nothing if mark.ended => return Poll::Ready(InMemory::Ended),
                Lookup::Nothing if !mark.unloaded => {
                    if let Some(seat) = seat {
                        seat.follow();
                    }
                    ready!(listener.poll_until(cx, |now| now != mark));
                }
                Lookup::Chunk(_) | Lookup::OnDisk | Lookup::Nothing => {
                    return Poll::Ready(InMemory::Elsewhere);
                }
            }
        }
    }

    /// Returns the next events as soon as there are any, or `None` once the run has ended and all events were read.
    /// Cancel-safe: if the future is dropped, no events are skipped.
    pub async fn next(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        loop {
            let before = self.after;
            let Some(chunk) = self.pull().await? else { return Ok(None) };
            if self.view.is_current(&self.store) {
                return Ok(Some(self.view.shown(chunk)));
            }
            // Restore the position, so that no event is skipped if this future is dropped while it waits.
            self.after = before;
            self.view.check(&self.store).await;
        }
    }

    async fn pull(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        loop {
            match &mut self.source {
                Source::Live(journal, listener, seat) => {
                    let (mark, found) = journal.look(self.after);
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
                            listener.until(|now| now != mark).await;
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

    /// Returns the next events on disk, or `None` if the run was loaded or has ended.
    async fn pull_unloaded(&mut self) -> storage::Result<Option<Arc<Chunk>>> {
        let (tenant, run, after) = (self.tenant, self.run, self.after);
        let Source::Unloaded(wait) = &self.source else { return Ok(None) };
        let loaded = wait.loaded();
        tokio::pin!(loaded);
        // From here on no load is missed, so events that are neither in memory nor on disk have not been written yet.
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
                // A smaller piece is the end of the journal so far, and is rarely read again.
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
