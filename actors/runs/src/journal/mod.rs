//! A run's journal while the run is live: what waits to be written, what is durable, and the bell
//! that tells readers of it.
//!
//! Writers [`Writer::push`] events and go on; the store's committer takes what has gathered,
//! writes it together with everything else that waits, and only then do readers see it. So no writer
//! waits for the disk once a token, and nothing is shown that a crash can take back.

mod budget;
mod chunk;
mod cursor;
mod fence;
mod loaded;
mod outline;
mod pending;
mod pieces;
mod rate;
mod tail;
mod view;
mod write_error;
mod writer;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use storage::{CommitSource, Store, TenantId};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

pub use chunk::{Chunk, Event};
pub use cursor::Cursor;
pub use fence::{EpochStore, Fence};
pub use outline::NOT_UNDONE;
pub use pending::JournalPreview;
pub use view::MaySeeAll;
pub use write_error::{SealError, WriteError};
pub use writer::{PendingCommit, Writer};

use budget::TailBudget;
use loaded::LoadedJournals;
use pending::{Call, InFlight, Pace, Pending};
use pieces::RecentPieces;
use rate::CommitRate;
use tail::Tail;

/// Limits of a journal in memory.
#[derive(Clone, Copy, Debug)]
pub struct JournalLimits {
    /// Bytes of durable events that stay in memory for readers; older ones are read from disk.
    pub tail_bytes: usize,
    /// Bytes of events that may wait for the disk before a writer has to.
    pub pending_bytes: usize,
    /// How long events may wait for the disk while no reader waits for them; none for no longer than while one does.
    pub unfollowed: Option<Duration>,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self { tail_bytes: 256 * 1024, pending_bytes: 512 * 1024, unfollowed: None }
    }
}

impl JournalLimits {
    /// How soon events are committed that nothing waits for.
    fn pace(&self, followers: usize) -> Pace {
        match self.unfollowed {
            Some(delay) if followers == 0 => Pace::Unfollowed(delay),
            _ => Pace::Followed,
        }
    }
}

/// How far a journal is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Sequence number of the last durable event.
    pub seq: u64,
    /// Whether that event is the run's last.
    pub ended: bool,
    /// Whether the run was unloaded: it continues in another journal, once it is loaded.
    pub unloaded: bool,
}

impl Mark {
    /// Whether nothing more comes in this journal.
    pub fn is_over(self) -> bool {
        self.ended || self.unloaded
    }
}

/// What all journals of a process share.
pub(crate) struct Journals {
    tails: TailBudget,
    loaded: LoadedJournals,
    rate: Arc<CommitRate>,
    pieces: RecentPieces,
}

impl Journals {
    /// Journals whose tails may take so many bytes together.
    pub fn new(tail_bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            tails: TailBudget::new(tail_bytes),
            loaded: LoadedJournals::default(),
            rate: Arc::new(CommitRate::new()),
            pieces: RecentPieces::default(),
        })
    }

    /// Bytes of durable events that are in memory.
    pub fn memory(&self) -> usize {
        self.tails.used()
    }

    /// Runs that were loaded, or whose readers wait for that.
    #[cfg(test)]
    fn waiting(&self) -> usize {
        self.loaded.len()
    }
}

/// The journal of one live run.
pub struct RunJournal {
    pub(crate) tenant: TenantId,
    pub(crate) run: Uuid,
    store: Store,
    limits: JournalLimits,
    pending: Mutex<Pending>,
    tail: RwLock<Tail>,
    /// What the tails of all journals may take together, and where readers wait for this one,
    journals: Arc<Journals>,
    /// whether they were told of it,
    is_announced: AtomicBool,
    /// and whether this one had new events since it was last asked to give back what it takes.
    is_busy: AtomicBool,
    /// Whether its run was at work when the process before ended, and has not written yet how it goes on.
    is_restarting: AtomicBool,
    mark: watch::Sender<Mark>,
    room: Notify,
    /// How many read along,
    seats: AtomicUsize,
    /// and who waits for one of them to leave.
    left: Notify,
    /// How many of them wait for the next event as it comes.
    followers: AtomicUsize,
    myself: Weak<RunJournal>,
    runtime: tokio::runtime::Handle,
}

impl RunJournal {
    /// Opens the journal of a live run whose durable end is `end`, for writers of `epoch`. Must be
    /// called within a tokio runtime, which serves its retries.
    pub fn open(
        store: Store,
        tenant: TenantId,
        run: Uuid,
        epoch: u32,
        end: u64,
        limits: JournalLimits,
    ) -> Arc<Self> {
        Self::open_within(Journals::new(usize::MAX), store, (tenant, run), epoch, end, limits)
    }

    /// [`open`](Self::open) as one of many of a process.
    pub(crate) fn open_within(
        journals: Arc<Journals>,
        store: Store,
        (tenant, run): (TenantId, Uuid),
        epoch: u32,
        end: u64,
        limits: JournalLimits,
    ) -> Arc<Self> {
        let runtime = tokio::runtime::Handle::current();
        let journal = Arc::new_cyclic(|myself| Self {
            tenant,
            run,
            store,
            limits,
            pending: Mutex::new(Pending::new(epoch, end + 1, limits.pace(0), journals.rate.clone())),
            tail: RwLock::new(Tail::starting_after(end)),
            journals,
            is_announced: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            is_restarting: AtomicBool::new(false),
            mark: watch::Sender::new(Mark { seq: end, ended: false, unloaded: false }),
            room: Notify::new(),
            seats: AtomicUsize::new(0),
            left: Notify::new(),
            followers: AtomicUsize::new(0),
            myself: myself.clone(),
            runtime,
        });
        journal.journals.tails.enter(&journal);
        journal
    }

    /// Hands this journal to readers that wait for the run to be loaded.
    pub(crate) fn announce(self: &Arc<Self>) {
        self.is_announced.store(true, Ordering::Release);
        self.journals.loaded.announce(self);
    }

    /// Drops what is in memory, unless it had new events since this was last asked. Tells whether anything was dropped.
    fn forget_tail(&self) -> bool {
        if self.is_busy.swap(false, Ordering::AcqRel) {
            return false;
        }
        let freed = self.tail.write().forget();
        self.journals.tails.give_back(freed);
        freed > 0
    }

    /// Says that the next event tells how the run goes on after a crash: with what is in the journal, or without it.
    pub fn expect_restart(&self) {
        self.is_restarting.store(true, Ordering::Release);
    }

    /// How far the journal is durable now.
    pub fn mark(&self) -> Mark {
        *self.mark.borrow()
    }

    /// Waits until the run's last event is durable.
    pub async fn ended(&self) {
        let mut mark = self.mark.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = mark.wait_for(|mark| mark.ended).await;
    }

    /// Waits until nothing more comes in this journal: its run has ended, or was unloaded.
    pub(crate) async fn over(&self) -> Mark {
        let mut mark = self.mark.subscribe();
        let over = mark.wait_for(|mark| mark.is_over()).await;
        // The sender lives as long as `self`, so waiting cannot fail.
        over.map_or_else(|_| self.mark(), |mark| *mark)
    }

    /// A reader of everything after `after`.
    pub fn read(self: &Arc<Self>, after: u64) -> Cursor {
        Cursor::live(self.clone(), self.store.clone(), after)
    }

    /// How many read along at present.
    pub fn readers(&self) -> usize {
        self.seats.load(Ordering::Acquire)
    }

    /// Waits until at most so many read along.
    pub async fn readers_down_to(&self, most: usize) {
        loop {
            let departure = self.left.notified();
            tokio::pin!(departure);
            departure.as_mut().enable();
            if self.readers() <= most {
                return;
            }
            departure.await;
        }
    }

    /// Counts a reader that waits for the next event, or one that has stopped waiting.
    fn follow(&self, more: bool) {
        // Under the lock, so that the last change of the number determines the pace.
        let mut pending = self.pending.lock();
        let followers = match more {
            true => self.followers.fetch_add(1, Ordering::AcqRel) + 1,
            false => self.followers.fetch_sub(1, Ordering::AcqRel) - 1,
        };
        let call = pending.set_pace(self.limits.pace(followers));
        drop(pending);
        self.call(call);
    }

    /// The hand that writes for `epoch`; it is refused as soon as a later epoch begins.
    pub fn writer(self: &Arc<Self>, epoch: u32) -> Writer {
        Writer::new(self.clone(), epoch)
    }

    /// Bytes that wait for the disk.
    pub fn lag(&self) -> usize {
        self.pending.lock().bytes
    }

    /// Lets writers of `epoch` in and refuses all earlier ones, once the committer has nothing of
    /// theirs in hand. What they had not yet written is dropped: no reader has seen it.
    pub(crate) async fn begin_epoch(&self, epoch: u32) {
        loop {
            let settled = self.room.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.pending.lock().succeed(epoch) {
                self.mark.send_modify(|mark| mark.unloaded = false);
                self.room.notify_waiters();
                return;
            }
            settled.await;
        }
    }

    /// Appends something that is not the work's to tell, in whatever epoch; nothing where the run has
    /// ended.
    pub(crate) fn note(&self, data: crate::event::EventData) {
        let mut pending = self.pending.lock();
        let call = match pending.closed {
            true => Call::None,
            false => {
                let call = pending.push(pending::Item::Event(data.into(), storage::Timestamp::now()));
                // Not only once a reader follows: a cancel that was accepted holds after a crash.
                if pending.end_delay() { Call::Now } else { call }
            }
        };
        drop(pending);
        self.call(call);
    }

    /// Calls the committer now or later.
    fn call(&self, call: Call) {
        match call {
            Call::None => {}
            Call::Now => self.schedule(),
            Call::At(at) => {
                // A journal that has ended by then need not stay in memory for it.
                let myself = self.myself.clone();
                self.runtime.spawn(async move {
                    tokio::time::sleep_until(at.into()).await;
                    let Some(myself) = myself.upgrade() else { return };
                    let is_delayed = myself.pending.lock().end_delay();
                    if is_delayed {
                        myself.journals.rate.note_delay(at, Instant::now());
                        myself.schedule();
                    }
                });
            }
        }
    }

    /// Asks the committer to come by; again in a moment if its queue is full.
    fn schedule(&self) {
        let Some(myself) = self.myself.upgrade() else { return };
        if self.store.commit_soon(myself.clone()).is_err() {
            self.runtime.spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                myself.schedule();
            });
        }
    }

    fn publish(&self, landed: InFlight) {
        let InFlight { chunk, sealed, flushes, ends, unloads, .. } = landed;
        if let Some(chunk) = chunk {
            let seq = chunk.last_seq();
            self.is_busy.store(true, Ordering::Release);
            self.journals.tails.add(chunk.weight());
            let freed = self.tail.write().push(Arc::new(chunk), self.limits.tail_bytes);
            self.journals.tails.give_back(freed);
            // Before anyone learns of the commit: memory is within the limit whenever a writer goes on.
            self.journals.tails.trim();
            self.is_restarting.store(false, Ordering::Release);
            self.mark.send_replace(Mark { seq, ended: ends, unloaded: unloads });
        } else if unloads {
            self.is_restarting.store(false, Ordering::Release);
            self.mark.send_modify(|mark| mark.unloaded = true);
        }
        if let Some(sealed) = sealed {
            sealed.rings.send();
            let _ = sealed.reply.send(Ok(()));
        }
        for flush in flushes {
            let _ = flush.send(());
        }
        self.room.notify_waiters();
    }
}

impl Drop for RunJournal {
    fn drop(&mut self) {
        let freed = self.tail.get_mut().forget();
        self.journals.tails.give_back(freed);
        if self.is_announced.load(Ordering::Acquire) {
            self.journals.loaded.forget(self.run, &self.myself);
        }
    }
}

impl CommitSource for RunJournal {
    fn take(&self) -> Option<storage::Batch> {
        self.pending.lock().take(self.tenant, self.run)
    }

    fn done(&self, verdict: storage::Result<()>) {
        let mut pending = self.pending.lock();
        let Some(in_flight) = pending.in_flight.take() else { return };
        match verdict {
            Ok(()) => {
                pending.landed(&in_flight, self.followers.load(Ordering::Acquire) > 0);
                let (call, awaited) = (pending.next_call(), pending.is_awaited());
                drop(pending);
                self.publish(in_flight);
                self.call(call);
                if awaited {
                    self.store.hurry();
                }
            }
            Err(storage::Error::Conflict) => {
                let call = pending.refused(in_flight, self.tenant, self.run);
                drop(pending);
                self.room.notify_waiters();
                self.call(call);
            }
            Err(why) => {
                // A full disk is reported once for all, by the server.
                if !matches!(why, storage::Error::Full) {
                    tracing::error!(run = %self.run, %why, "the journal could not be written; trying again");
                }
                telemetry::metrics::table::JOURNAL_FAILURES.add([], 1);
                pending.put_back(in_flight);
                drop(pending);
                self.room.notify_waiters();
                if let Some(myself) = self.myself.upgrade() {
                    self.runtime.spawn(async move {
                        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
                        myself.schedule();
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
