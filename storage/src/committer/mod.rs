//! Group commit: batches that arrive during a commit join the next one.
//!
//! Where a commit is a write to the page cache ([`Placement::Caller`]), the caller commits the whole queue on its own
//! thread and does not wait for another thread to wake up. The committer thread takes over when a commit might take
//! long: when it waits for the disk ([`Placement::Thread`]), the engine is behind, or commits keep arriving.

mod queue;
mod worker;

use crate::change_notifications::ChangeNotifications;
use crate::disk_space::DiskSpace;
use crate::engine::range_reads::RecentWrites;
use crate::engine::{Batch, Engine};
use crate::error::Result;
use crate::waiting::is_waiting_here;
use bytes::Bytes;
use parking_lot::Mutex;
use queue::{Queue, Reply, Wakeup, Work};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
pub use worker::CommitCounts;
use worker::{Worker, Written};

/// Groups that a caller commits on its own thread before it leaves the rest to the committer thread.
const GROUPS_HERE: usize = 16;

/// A source that gathers writes while a commit is in progress, such as a run's journal.
pub trait CommitSource: Send + Sync {
    /// Called by the committing thread. Returns the writes gathered since the last call; `None` if there are none.
    fn take(&self) -> Option<Batch>;

    /// Called by the committing thread once the writes are durable or have been refused. It must not block.
    fn done(&self, verdict: Result<()>);
}

/// Which thread makes the commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The committer thread, which leaves at least `pace` between two commits unless a caller asks for an immediate
    /// one.
    Thread {
        /// From the start of one commit to the start of the next.
        pace: Duration,
    },
    /// The thread of the caller. Sources are committed after the tasks that are ready on that thread have run, so that
    /// they share a commit.
    Caller,
}

/// The keys written while the store is being copied. Commits hold the lock, so holding it also halts them.
pub(crate) type Recorder = Mutex<Option<HashSet<Bytes>>>;

/// The queue, and the worker that commits it.
struct Shared {
    queue: Queue,
    worker: Mutex<Worker>,
    recorder: Arc<Recorder>,
    /// Whether anything was committed since the engine last did its chores.
    is_active: AtomicBool,
    /// Groups committed so far by callers. The thread compares this number to decide whether it is time for chores.
    commits: AtomicU64,
    /// For each [`SLOT`], whether a commit task is scheduled.
    scheduled: [AtomicBool; SLOTS],
}

/// Number of threads that schedule commits independently of each other. Further threads share a slot.
const SLOTS: usize = 16;
static NEXT_SLOT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// This thread's number, below [`SLOTS`].
    static SLOT: usize = NEXT_SLOT.fetch_add(1, Ordering::Relaxed) % SLOTS;
    /// The committer whose commits this thread is making.
    static COMMITTING: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
}

/// A task that commits after the tasks that are ready now have run, possibly on a different thread from the one that
/// scheduled it. If its runtime drops it first, it leaves the work to the committer thread.
struct ScheduledCommit {
    shared: Arc<Shared>,
    slot: usize,
    has_run: bool,
}

impl ScheduledCommit {
    fn run(mut self) {
        self.has_run = true;
        // Before the queue is read: work that is added from now on schedules another task.
        self.shared.scheduled[self.slot].store(false, Ordering::SeqCst);
        self.shared.commit_here();
    }
}

impl Drop for ScheduledCommit {
    fn drop(&mut self) {
        if !self.has_run {
            self.shared.scheduled[self.slot].store(false, Ordering::SeqCst);
            self.shared.queue.hand_over();
        }
    }
}

impl Shared {
    /// Commits the whole queue on this thread. Returns at once if another thread is committing, because that thread
    /// reads the queue again before it stops.
    fn commit_here(&self) {
        let mut groups = 0;
        // The thread that holds the lock may have read the queue just before work was added. It therefore reads the
        // queue again after it has released the lock.
        while !self.queue.is_empty() {
            let Some(mut worker) = self.worker.try_lock() else { return };
            // A commit would block: for a copy of the store or for the engine.
            if self.recorder.is_locked() || worker.engine.is_behind() {
                return self.queue.hand_over();
            }
            let mut work = self.queue.take();
            while !work.is_empty() {
                if groups == GROUPS_HERE {
                    self.queue.put_back(work);
                    return self.queue.hand_over();
                }
                COMMITTING.set(self);
                worker.commit_group(&mut work);
                COMMITTING.set(std::ptr::null());
                self.commits.fetch_add(1, Ordering::Relaxed);
                groups += 1;
            }
            drop(worker);
            if !self.is_active.swap(true, Ordering::AcqRel) {
                // The thread sleeps until there are chores again, so wake it up.
                self.queue.hand_over();
            }
        }
    }

    /// Calls [`commit_here`](Self::commit_here) after the tasks that are ready on this thread have run.
    fn commit_soon(self: &Arc<Self>) {
        let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| !is_waiting_here()) else {
            return self.commit_here();
        };
        let slot = SLOT.with(|slot| *slot);
        if !self.scheduled[slot].swap(true, Ordering::SeqCst) {
            let scheduled = ScheduledCommit { shared: self.clone(), slot, has_run: false };
            runtime.spawn(async move {
                // Yield once more so that the runtime polls its sockets: under load, requests that arrived by now join
                // this commit.
                tokio::task::yield_now().await;
                scheduled.run();
            });
        }
    }

    /// The loop of the committer thread for [`Placement::Thread`].
    fn commit_loop(&self, pace: Duration) {
        let mut begun = Instant::now();
        while let Some(mut waiting) = self.queue.next(begun + pace, self.is_active.load(Ordering::Acquire)) {
            begun = Instant::now();
            let mut worker = self.worker.lock();
            if waiting.is_empty() {
                self.chores(&mut worker);
            }
            while !waiting.is_empty() {
                self.is_active.store(true, Ordering::Release);
                worker.commit_group(&mut waiting);
            }
        }
    }

    /// The loop of the committer thread for [`Placement::Caller`].
    fn handover_loop(&self) {
        let mut commits = 0;
        loop {
            let wakeup = self.queue.wait_for_handover(self.is_active.load(Ordering::Acquire));
            let now = self.commits.load(Ordering::Relaxed);
            if wakeup == Wakeup::Idle
                && now == commits
                && let Some(mut worker) = self.worker.try_lock()
            {
                self.chores(&mut worker);
            }
            commits = now;
            // Callers that found the lock taken during the chores left their work in the queue.
            self.commit_all();
            if wakeup == Wakeup::Closed {
                return;
            }
        }
    }

    /// Commits until the queue is empty.
    fn commit_all(&self) {
        while !self.queue.is_empty() {
            let mut worker = self.worker.lock();
            let mut work = self.queue.take();
            while !work.is_empty() {
                self.is_active.store(true, Ordering::Release);
                worker.commit_group(&mut work);
            }
        }
    }

    /// Gives the engine time for its idle-time work, but not while a commit would have to wait for it.
    fn chores(&self, worker: &mut Worker) {
        if !worker.engine.is_behind() {
            self.is_active.store(false, Ordering::Release);
            worker.commit(&[]);
        }
    }
}

/// Owns the committer thread. Dropping it commits the queue and then ends the thread.
pub(crate) struct Committer {
    shared: Arc<Shared>,
    placement: Placement,
    thread: Mutex<Option<JoinHandle<()>>>,
    broken: Arc<OnceLock<String>>,
    recent: Arc<RecentWrites>,
    written: Arc<Written>,
}

impl Committer {
    /// Starts the thread.
    pub fn start(
        engine: Arc<dyn Engine>,
        placement: Placement,
        room: Arc<DiskSpace>,
    ) -> std::io::Result<Self> {
        let recorder = Arc::new(Recorder::default());
        let broken = Arc::<OnceLock<String>>::default();
        let recent = Arc::<RecentWrites>::default();
        let written = Arc::<Written>::default();
        let worker = Worker {
            engine,
            recorder: recorder.clone(),
            broken: broken.clone(),
            recent: recent.clone(),
            room,
            written: written.clone(),
        };
        let shared = Arc::new(Shared {
            queue: Queue::default(),
            worker: Mutex::new(worker),
            recorder,
            is_active: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            scheduled: Default::default(),
        });
        let work = shared.clone();
        let thread = std::thread::Builder::new().name("committer".into()).spawn(move || match placement {
            Placement::Thread { pace } => work.commit_loop(pace),
            Placement::Caller => work.handover_loop(),
        })?;
        Ok(Self { shared, placement, thread: Mutex::new(Some(thread)), broken, recent, written })
    }

    /// Commits the queue at once, without waiting for more work.
    pub fn commit_now(&self) {
        match self.placement {
            Placement::Thread { .. } => self.shared.queue.commit_now(),
            Placement::Caller => self.shared.commit_soon(),
        }
    }

    /// The message of the engine failure, if there was one.
    pub fn failure(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// The keys that commits write, while recording is on. No commit takes place while the lock is held.
    pub fn recorder(&self) -> &Recorder {
        &self.shared.recorder
    }

    /// Enqueues a source. It must not be enqueued again before its `take` is called.
    pub fn soon(&self, source: Arc<dyn CommitSource>) -> Result<()> {
        self.shared.queue.push(Work::Source(source), self.placement)?;
        if self.placement == Placement::Caller {
            self.shared.commit_soon();
        }
        Ok(())
    }

    /// Enqueues a batch. The receiver gets the outcome. The notifications are sent once the batch is committed, even if
    /// the receiver has been dropped.
    pub fn one(
        &self,
        batch: Batch,
        notifications: Option<ChangeNotifications>,
    ) -> Result<oneshot::Receiver<Result<()>>> {
        let (verdict, receiver) = oneshot::channel();
        self.shared
            .queue
            .push(Work::One(Box::new(batch), Reply { notifications, verdict }), self.placement)?;
        if self.placement == Placement::Caller {
            self.shared.commit_soon();
        }
        Ok(receiver)
    }

    /// The recent writes, for transactions that read ranges.
    pub fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }

    /// Numbers of batches and keys committed.
    pub fn written(&self) -> CommitCounts {
        self.written.read()
    }

    /// Number of items in the queue.
    pub fn waiting(&self) -> usize {
        self.shared.queue.len()
    }

    /// Commits the queue and then ends the thread. Later calls of the other methods fail with `Closed`.
    pub fn close(&self) {
        self.shared.queue.close();
        let thread = self.thread.lock().take();
        // Dropping the data of a commit may drop the last reference to the store on this very thread.
        let is_committing = COMMITTING.get() == Arc::as_ptr(&self.shared);
        if let Some(thread) = thread
            && !is_committing
            && thread.thread().id() != std::thread::current().id()
        {
            // The thread catches panics, so its result carries no information.
            let _ = thread.join();
            // A caller may still be making the last commit.
            drop(self.shared.worker.lock());
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.close();
    }
}
