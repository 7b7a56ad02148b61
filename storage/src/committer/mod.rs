//! Commits in groups: what gathers during a commit joins the next one.
//!
//! Where a commit is a write to the page cache ([`Placement::Caller`]), the caller makes it on its own thread,
//! together with all that waits, and does not wait for another thread to wake up. A thread of its own takes over when a commit
//! might take long: it waits for the disk ([`Placement::Thread`]), the engine is behind, or commits keep arriving.

mod queue;
mod worker;

use crate::change_notifications::ChangeNotifications;
use crate::engine::range_reads::RecentWrites;
use crate::engine::{Batch, Engine};
use crate::error::Result;
use crate::room::DiskSpace;
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

/// Something that gathers writes while a commit is under way, such as a run's journal.
pub trait CommitSource: Send + Sync {
    /// Called by the one that commits: what has gathered since the last call; `None` when there
    /// is nothing.
    fn take(&self) -> Option<Batch>;

    /// Called by the one that commits, once what was taken is durable, or was refused. It must not wait.
    fn done(&self, verdict: Result<()>);
}

/// Where commits take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// On the committer thread, at most one in so much time unless a caller asks for an immediate one.
    Thread {
        /// From the start of one commit to the next.
        pace: Duration,
    },
    /// On the thread of the caller. Sources are committed once the tasks that are ready on that thread have run, so
    /// that they share a commit.
    Caller,
}

/// Keys written while someone copies the store. Also what halts the commits: they hold the lock.
pub(crate) type Recorder = Mutex<Option<HashSet<Bytes>>>;

/// The line of what waits, and the one place where it is committed.
struct Shared {
    queue: Queue,
    worker: Mutex<Worker>,
    recorder: Arc<Recorder>,
    /// Whether anything was committed since the engine last did its chores.
    is_active: AtomicBool,
    /// Groups that callers committed, by which the thread tells whether it is time for chores.
    commits: AtomicU64,
    /// For each [`SLOT`], whether a task is scheduled that is going to commit.
    scheduled: [AtomicBool; SLOTS],
}

/// Threads that schedule commits independently of each other. More than that share.
const SLOTS: usize = 16;
static NEXT_SLOT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// This thread's number, below [`SLOTS`].
    static SLOT: usize = NEXT_SLOT.fetch_add(1, Ordering::Relaxed) % SLOTS;
    /// The committer whose commits this thread is making.
    static COMMITTING: Cell<*const Shared> = const { Cell::new(std::ptr::null()) };
}

/// A task that commits once the tasks that are ready now have run; possibly on another thread than the one that scheduled
/// it. If its runtime drops it before, it leaves the work to the committer thread.
struct ScheduledCommit {
    shared: Arc<Shared>,
    slot: usize,
    has_run: bool,
}

impl ScheduledCommit {
    fn run(mut self) {
        self.has_run = true;
        // Before the queue is looked at: what is added from now on schedules another task.
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
    /// Commits all that waits on this thread. Returns at once if another thread is doing that: it sees what waits
    /// before it stops.
    fn commit_here(&self) {
        let mut groups = 0;
        // The one that holds the lock may have looked at the queue just before something was added, so it looks again
        // once the lock is free.
        while !self.queue.is_empty() {
            let Some(mut worker) = self.worker.try_lock() else { return };
            // A commit would wait, for someone who copies the store or for the engine.
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
                // The thread sleeps until there are chores again.
                self.queue.hand_over();
            }
        }
    }

    /// [`commit_here`](Self::commit_here) once the tasks that are ready on this thread have run.
    fn commit_soon(self: &Arc<Self>) {
        let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| !is_waiting_here()) else {
            return self.commit_here();
        };
        let slot = SLOT.with(|slot| *slot);
        if !self.scheduled[slot].swap(true, Ordering::SeqCst) {
            let scheduled = ScheduledCommit { shared: self.clone(), slot, has_run: false };
            runtime.spawn(async move {
                // Once more to the sockets: under load, what came in by now joins this commit.
                tokio::task::yield_now().await;
                scheduled.run();
            });
        }
    }

    /// What the thread does for [`Placement::Thread`].
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

    /// What the thread does for [`Placement::Caller`].
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
            // Callers that met the lock during the chores left theirs in the queue.
            self.commit_all();
            if wakeup == Wakeup::Closed {
                return;
            }
        }
    }

    /// Commits until nothing waits.
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

    /// Gives the engine time for what it does when nothing is committed; not while a commit would have to wait for that.
    fn chores(&self, worker: &mut Worker) {
        if !worker.engine.is_behind() {
            self.is_active.store(false, Ordering::Release);
            worker.commit(&[]);
        }
    }
}

/// Owns the thread. Dropping it commits what waits, then ends the thread.
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

    /// Commits what waits without gathering more.
    pub fn hurry(&self) {
        match self.placement {
            Placement::Thread { .. } => self.shared.queue.hurry(),
            Placement::Caller => self.shared.commit_soon(),
        }
    }

    /// How the engine has failed, if it has.
    pub fn failure(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// The keys that commits write, once someone asks for them. No commit takes place while the
    /// lock is held.
    pub fn recorder(&self) -> &Recorder {
        &self.shared.recorder
    }

    /// Enqueues a source; it must not be enqueued again before its `take`.
    pub fn soon(&self, source: Arc<dyn CommitSource>) -> Result<()> {
        self.shared.queue.push(Work::Source(source), self.placement)?;
        if self.placement == Placement::Caller {
            self.shared.commit_soon();
        }
        Ok(())
    }

    /// Enqueues a batch; the receiver gets the outcome. The notifications are sent once it is committed, whether or not anyone
    /// still waits for the outcome.
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

    /// What was written lately, for transactions that read ranges.
    pub fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }

    /// How much was committed.
    pub fn written(&self) -> CommitCounts {
        self.written.read()
    }

    /// How many items wait.
    pub fn waiting(&self) -> usize {
        self.shared.queue.len()
    }

    /// Commits what waits, then ends the thread. Later calls of the others fail with `Closed`.
    pub fn close(&self) {
        self.shared.queue.close();
        let thread = self.thread.lock().take();
        // What a commit releases may hold the last reference to the store.
        let is_committing = COMMITTING.get() == Arc::as_ptr(&self.shared);
        if let Some(thread) = thread
            && !is_committing
            && thread.thread().id() != std::thread::current().id()
        {
            // The thread catches panics, so there is nothing to learn from the result.
            let _ = thread.join();
            // A caller may be making the last commit.
            drop(self.shared.worker.lock());
        }
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.close();
    }
}
