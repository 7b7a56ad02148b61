//! The journal of a live run: events that wait to be written, durable events, and the notification of readers.
//!
//! Writers call [`Writer::push`] and continue. The store's committer takes the events that have accumulated and writes
//! them together with everything else that waits; only then do readers see them. A writer therefore does not wait for
//! the disk once per token, and readers never see an event that a crash can undo.

mod budget;
mod chunk;
mod cursor;
mod fence;
mod loaded;
mod mark_signal;
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
use tokio::sync::Notify;
use uuid::Uuid;

pub use chunk::{Chunk, Event};
pub use cursor::{Cursor, InMemory};
pub use fence::{EpochStore, Fence};
pub use outline::NOT_UNDONE;
pub use pending::JournalPreview;
pub use view::FullAccessCheck;
pub use write_error::{SealError, WriteError};
pub use writer::{PendingCommit, Writer};

use budget::TailBudget;
use loaded::LoadedJournals;
use mark_signal::MarkSignal;
use pending::{Call, InFlight, Pace, Pending};
use pieces::RecentPieces;
use rate::CommitRate;
use tail::{Lookup, Tail};

/// Limits of a journal in memory.
#[derive(Clone, Copy, Debug)]
pub struct JournalLimits {
    /// Maximum bytes of durable events in memory for readers; older events are read from disk.
    pub tail_bytes: usize,
    /// Maximum bytes of events that wait for the disk before a writer has to wait as well.
    pub pending_bytes: usize,
    /// How long events may wait for the disk while no reader waits for them. `None` applies the same interval as with
    /// readers.
    pub unfollowed: Option<Duration>,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self { tail_bytes: 256 * 1024, pending_bytes: 512 * 1024, unfollowed: None }
    }
}

impl JournalLimits {
    /// How soon events are committed that no writer waits for.
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
    /// Whether the run was unloaded. It continues in another journal once it is loaded.
    pub unloaded: bool,
}

impl Mark {
    /// Whether this journal will receive no more events.
    pub fn is_over(self) -> bool {
        self.ended || self.unloaded
    }
}

/// State that all journals of a process share.
pub(crate) struct Journals {
    tails: TailBudget,
    loaded: LoadedJournals,
    rate: Arc<CommitRate>,
    pieces: RecentPieces,
}

impl Journals {
    /// Creates journals whose tails may hold `tail_bytes` bytes in total.
    pub fn new(tail_bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            tails: TailBudget::new(tail_bytes),
            loaded: LoadedJournals::default(),
            rate: Arc::new(CommitRate::new()),
            pieces: RecentPieces::default(),
        })
    }

    /// Bytes of durable events in memory.
    pub fn memory(&self) -> usize {
        self.tails.used()
    }

    /// Number of runs that were loaded or whose readers wait for a load.
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
    /// State shared with all other journals: the memory budget of the tails, and the readers that wait for a load.
    journals: Arc<Journals>,
    /// Whether the journal was passed to readers that waited for the run to be loaded.
    is_announced: AtomicBool,
    /// Whether the journal received new events since it was last asked to release memory.
    is_busy: AtomicBool,
    /// Whether the run was working when the previous process ended and has not yet recorded how it continues.
    is_restarting: AtomicBool,
    signal: Arc<MarkSignal>,
    room: Notify,
    /// Number of readers.
    seats: AtomicUsize,
    /// Notified when a reader leaves.
    left: Notify,
    /// Number of readers that wait for the next event.
    followers: AtomicUsize,
    myself: Weak<RunJournal>,
    runtime: tokio::runtime::Handle,
}

impl RunJournal {
    /// Opens the journal of a live run for writers of `epoch`. `end` is the sequence number of its last durable event.
    /// Must be called within a Tokio runtime, which runs its retries.
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

    /// Opens a journal like [`open`](Self::open), sharing the state of all journals of the process.
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
            signal: MarkSignal::new(Mark { seq: end, ended: false, unloaded: false }),
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

    /// Passes this journal to readers that wait for the run to be loaded.
    pub(crate) fn announce(self: &Arc<Self>) {
        self.is_announced.store(true, Ordering::Release);
        self.journals.loaded.announce(self);
    }

    /// Drops the events in memory, unless the journal received new events since the last call. Returns whether any were
    /// dropped.
    fn forget_tail(&self) -> bool {
        if self.is_busy.swap(false, Ordering::AcqRel) {
            return false;
        }
        let freed = self.tail.write().forget();
        self.journals.tails.give_back(freed);
        freed > 0
    }

    /// Declares that the next event states how the run continues after a crash: with the contents of the journal or
    /// without them.
    pub fn expect_restart(&self) {
        self.is_restarting.store(true, Ordering::Release);
    }

    /// Returns how far the journal is durable now.
    pub fn mark(&self) -> Mark {
        self.signal.mark()
    }

    /// Looks for the events after sequence number `after` in memory. Also returns the mark, which is read before the tail: all
    /// events up to the mark are in the tail, so there are no events up to it if none is found.
    fn look(&self, after: u64) -> (Mark, Lookup) {
        let mark = self.mark();
        let found = match mark.seq <= after {
            true => Lookup::Nothing,
            false => self.tail.read().after(after),
        };
        (mark, found)
    }

    /// Waits until the run's last event is durable.
    pub async fn ended(&self) {
        self.signal.listen().until(|mark| mark.ended).await;
    }

    /// Waits until the journal will receive no more events: the run has ended or was unloaded.
    pub(crate) async fn over(&self) -> Mark {
        self.signal.listen().until(Mark::is_over).await
    }

    /// Creates a reader of all events after sequence number `after`.
    pub fn read(self: &Arc<Self>, after: u64) -> Cursor {
        Cursor::live(self.clone(), self.store.clone(), after)
    }

    /// Returns the current number of readers.
    pub fn readers(&self) -> usize {
        self.seats.load(Ordering::Acquire)
    }

    /// Waits until at most `most` readers are left.
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

    /// Counts a reader that starts (`more`) or stops waiting for the next event.
    fn follow(&self, more: bool) {
        // Under the lock, so that the last change of the count determines the pace.
        let mut pending = self.pending.lock();
        let followers = match more {
            true => self.followers.fetch_add(1, Ordering::AcqRel) + 1,
            false => self.followers.fetch_sub(1, Ordering::AcqRel) - 1,
        };
        let call = pending.set_pace(self.limits.pace(followers));
        drop(pending);
        self.call(call);
    }

    /// Creates the writer for `epoch`. Its writes are rejected as soon as a later epoch begins.
    pub fn writer(self: &Arc<Self>, epoch: u32) -> Writer {
        Writer::new(self.clone(), epoch)
    }

    /// Bytes of events that wait for the disk.
    pub fn lag(&self) -> usize {
        self.pending.lock().bytes
    }

    /// Admits writers of `epoch` and rejects all earlier ones, after the commit in flight of an earlier epoch has
    /// completed. Events that an earlier epoch has not written yet are dropped: no reader has seen them.
    pub(crate) async fn begin_epoch(&self, epoch: u32) {
        loop {
            let settled = self.room.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.pending.lock().succeed(epoch) {
                self.signal.set_unloaded(false);
                self.room.notify_waiters();
                return;
            }
            settled.await;
        }
    }

    /// Appends an event that does not come from the run's work, in whichever epoch is current. Does nothing if the run
    /// has ended.
    pub(crate) fn note(&self, data: crate::event::EventData) {
        let mut pending = self.pending.lock();
        let call = match pending.closed {
            true => Call::None,
            false => {
                let call = pending.push(pending::Item::Event(data.into(), storage::Timestamp::now()));
                // Commits even without a reader: an accepted cancel must survive a crash.
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
                // The weak reference does not hold a journal in memory that has ended by then.
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

    /// Asks the committer to take the pending events, and retries after 20 ms if its queue is full.
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
            // Before the commit is announced, so that memory is within the limit whenever a writer continues.
            self.journals.tails.trim();
            self.is_restarting.store(false, Ordering::Release);
            self.signal.set(Mark { seq, ended: ends, unloaded: unloads });
        } else if unloads {
            self.is_restarting.store(false, Ordering::Release);
            self.signal.set_unloaded(true);
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
                    self.store.commit_now();
                }
            }
            Err(storage::Error::Conflict) => {
                let call = pending.refused(in_flight, self.tenant, self.run);
                drop(pending);
                self.room.notify_waiters();
                self.call(call);
            }
            Err(why) => {
                // The server reports a full disk once for all journals.
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
