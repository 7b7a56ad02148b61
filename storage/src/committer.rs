//! Commits in groups: what gathers during a commit joins the next one.
//!
//! Where a commit is a write to the page cache ([`Placement::Caller`]), the caller makes it on its own thread,
//! together with all that waits, and does not wait for another thread to wake up. A thread of its own takes over when a commit
//! might take long: it waits for the disk ([`Placement::Thread`]), the engine is behind, or commits keep arriving.

use crate::change_notifications::ChangeNotifications;
use crate::engine::range_reads::{RecentWrites, created_or_deleted};
use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::room::DiskSpace;
use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use telemetry::metrics::table;
use tokio::sync::oneshot;

/// Waiting items beyond which callers are told `Busy`.
const WAITING_MAX: usize = 65_536;
/// Batches in one commit, at most.
const GROUP_BATCHES: usize = 512;
/// Bytes in one commit, roughly at most.
const GROUP_BYTES: usize = 1 << 20;
/// Groups that a caller commits on its own thread before it leaves the rest to the committer thread.
const GROUPS_HERE: usize = 16;
/// When nothing has come for this long, the engine gets time for its chores.
const IDLE: Duration = Duration::from_secs(1);

/// Something that gathers writes while a commit is under way, such as a run's journal.
pub trait CommitSource: Send + Sync {
    /// Called by the one that commits: what has gathered since the last call; `None` when there
    /// is nothing.
    fn take(&self) -> Option<Batch>;

    /// Called by the one that commits, once what was taken is durable, or was refused. It must not wait.
    fn done(&self, verdict: Result<()>);
}

enum Work {
    Source(Arc<dyn CommitSource>),
    One(Box<Batch>, Reply),
    /// One that was taken before and has to be checked again after the commits before it.
    Again(Box<Batch>, CommitWaiter),
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

#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    /// Whether someone waits for the verdict, so that there is no time to gather more.
    urgent: bool,
    /// Whether the thread sleeps until anything comes. Otherwise it works, or sleeps until it is
    /// time for the next commit, and only who is in a hurry wakes it.
    dozing: bool,
    /// Whether the thread is to commit what waits, although callers do so themselves.
    handed_over: bool,
    closed: bool,
}

/// The line before the committer thread.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl Queue {
    fn push(&self, work: Work, placement: Placement) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(Error::Closed);
        }
        if waiting.work.len() >= WAITING_MAX {
            return Err(Error::Busy);
        }
        let is_urgent = matches!(work, Work::One(..));
        waiting.work.push_back(work);
        if placement == Placement::Caller {
            return Ok(());
        }
        if waiting.dozing || (is_urgent && !waiting.urgent) {
            waiting.dozing = false;
            self.arrived.notify_one();
        }
        waiting.urgent |= is_urgent;
        Ok(())
    }

    /// Waits for work and takes all of it, but not before `ready` unless someone is in a hurry.
    /// With `chores`, `Some` of nothing after a while without work; `None` when closed and empty.
    fn next(&self, ready: Instant, chores: bool) -> Option<VecDeque<Work>> {
        let mut waiting = self.waiting.lock();
        loop {
            let is_time = Instant::now() >= ready;
            match waiting.work.is_empty() {
                true if waiting.closed => return None,
                false if waiting.closed || waiting.urgent || is_time => break,
                _ if !is_time => drop(self.arrived.wait_until(&mut waiting, ready)),
                _ => {
                    waiting.dozing = true;
                    if !chores {
                        self.arrived.wait(&mut waiting);
                    } else if self.arrived.wait_for(&mut waiting, IDLE).timed_out() && waiting.work.is_empty()
                    {
                        break;
                    }
                }
            }
        }
        waiting.dozing = false;
        waiting.urgent = false;
        Some(std::mem::take(&mut waiting.work))
    }

    /// For [`Placement::Caller`]: waits until a caller leaves something to the thread. With `chores`, `true` of nothing
    /// after a while; `false` when closed.
    fn wait_for_handover(&self, chores: bool) -> bool {
        let mut waiting = self.waiting.lock();
        while !waiting.closed && !std::mem::take(&mut waiting.handed_over) {
            if !chores {
                self.arrived.wait(&mut waiting);
            } else if self.arrived.wait_for(&mut waiting, IDLE).timed_out() {
                return true;
            }
        }
        !waiting.closed
    }

    /// Leaves what waits to the thread.
    fn hand_over(&self) {
        self.waiting.lock().handed_over = true;
        self.arrived.notify_one();
    }

    fn take(&self) -> VecDeque<Work> {
        std::mem::take(&mut self.waiting.lock().work)
    }

    /// Puts back what was taken, before what came since.
    fn put_back(&self, mut work: VecDeque<Work>) {
        let mut waiting = self.waiting.lock();
        work.append(&mut waiting.work);
        waiting.work = work;
    }

    fn is_empty(&self) -> bool {
        self.waiting.lock().work.is_empty()
    }

    fn hurry(&self) {
        let mut waiting = self.waiting.lock();
        waiting.urgent = !waiting.work.is_empty();
        self.arrived.notify_one();
    }

    fn close(&self) {
        self.waiting.lock().closed = true;
        self.arrived.notify_all();
    }
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
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return self.commit_here() };
        let slot = SLOT.with(|slot| *slot);
        if !self.scheduled[slot].swap(true, Ordering::SeqCst) {
            let scheduled = ScheduledCommit { shared: self.clone(), slot, has_run: false };
            runtime.spawn(async move { scheduled.run() });
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
        loop {
            let is_open = self.queue.wait_for_handover(self.is_active.load(Ordering::Acquire));
            if !self.commit_all()
                && is_open
                && let Some(mut worker) = self.worker.try_lock()
            {
                self.chores(&mut worker);
            }
            // Callers that met the lock during the chores left theirs in the queue.
            self.commit_all();
            if !is_open {
                return;
            }
        }
    }

    /// Commits until nothing waits. Tells whether anything did.
    fn commit_all(&self) -> bool {
        let mut has_work = false;
        while !self.queue.is_empty() {
            has_work = true;
            let mut worker = self.worker.lock();
            let mut work = self.queue.take();
            while !work.is_empty() {
                self.is_active.store(true, Ordering::Release);
                worker.commit_group(&mut work);
            }
        }
        has_work
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
        let worker = Worker {
            engine,
            recorder: recorder.clone(),
            broken: broken.clone(),
            recent: recent.clone(),
            room,
        };
        let shared = Arc::new(Shared {
            queue: Queue::default(),
            worker: Mutex::new(worker),
            recorder,
            is_active: AtomicBool::new(false),
            scheduled: Default::default(),
        });
        let work = shared.clone();
        let thread = std::thread::Builder::new().name("committer".into()).spawn(move || match placement {
            Placement::Thread { pace } => work.commit_loop(pace),
            Placement::Caller => work.handover_loop(),
        })?;
        Ok(Self { shared, placement, thread: Mutex::new(Some(thread)), broken, recent })
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
            self.shared.commit_here();
        }
        Ok(receiver)
    }

    /// What was written lately, for transactions that read ranges.
    pub fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }

    /// How many items wait.
    pub fn waiting(&self) -> usize {
        self.shared.queue.waiting.lock().work.len()
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

/// What follows the commit of one batch.
struct Reply {
    notifications: Option<ChangeNotifications>,
    verdict: oneshot::Sender<Result<()>>,
}

impl Reply {
    fn send(self, verdict: Result<()>) {
        match (&verdict, self.notifications) {
            (_, None) | (Err(Error::Conflict), _) => {}
            (Ok(()), Some(notifications)) => notifications.send(),
            // It may have taken place.
            (Err(_), Some(notifications)) => notifications.notify_rights(),
        }
        // The caller may be gone.
        let _ = self.verdict.send(verdict);
    }
}

enum CommitWaiter {
    Source(Arc<dyn CommitSource>),
    One(Reply),
}

impl CommitWaiter {
    fn complete(self, verdict: Result<()>) {
        match self {
            Self::Source(source) => {
                if catch_unwind(AssertUnwindSafe(|| source.done(verdict))).is_err() {
                    tracing::error!("a commit source panicked when notified of its commit");
                }
            }
            Self::One(reply) => reply.send(verdict),
        }
    }
}

/// What a commit works with.
struct Worker {
    engine: Arc<dyn Engine>,
    recorder: Arc<Recorder>,
    broken: Arc<OnceLock<String>>,
    recent: Arc<RecentWrites>,
    room: Arc<DiskSpace>,
}

impl Worker {
    fn commit_group(&mut self, work: &mut VecDeque<Work>) {
        let (mut group, mut waiters, mut bytes) = (Vec::<Batch>::new(), Vec::new(), 0);
        // Keys that the group creates and deletes, as far as it was looked at.
        let (mut touched, mut seen) = (BTreeSet::new(), 0);
        while group.len() < GROUP_BATCHES
            && bytes < GROUP_BYTES
            && let Some(item) = work.pop_front()
        {
            let (batch, waiter) = match item {
                Work::One(batch, reply) => (*batch, CommitWaiter::One(reply)),
                Work::Again(batch, waiter) => (*batch, waiter),
                Work::Source(source) => match catch_unwind(AssertUnwindSafe(|| source.take())) {
                    Ok(Some(batch)) => (batch, CommitWaiter::Source(source)),
                    Ok(None) => continue,
                    Err(_) => {
                        tracing::error!("a commit source panicked when asked for its writes");
                        CommitWaiter::Source(source)
                            .complete(Err(Error::Engine("the source panicked".into())));
                        continue;
                    }
                },
            };
            if !batch.reads.is_empty() {
                if !self.recent.unchanged(&batch.reads) {
                    waiter.complete(Err(Error::Conflict));
                    continue;
                }
                touched.extend(group[seen..].iter().flat_map(created_or_deleted));
                seen = group.len();
                if batch.reads.iter().any(|reads| reads.touches(&touched)) {
                    // Whether it conflicts depends on the verdicts on those before it.
                    work.push_front(Work::Again(Box::new(batch), waiter));
                    break;
                }
            }
            bytes += batch.size();
            group.push(batch);
            waiters.push(waiter);
        }
        if group.is_empty() {
            return;
        }
        let verdicts = self.commit(&group);
        let landed = group.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_ok());
        self.recent.committed(landed.map(|(batch, _)| batch));
        for (waiter, verdict) in waiters.into_iter().zip(verdicts) {
            waiter.complete(verdict);
        }
    }

    /// What a full disk leaves: what was read is checked, and writes are refused before the engine meets the disk's end.
    fn commit_reads(&self, group: &[Batch]) -> Vec<Result<()>> {
        let one = |batch: &Batch| match batch.ops.is_empty() {
            true => self.engine.commit(std::slice::from_ref(batch)).pop().unwrap_or(Ok(())),
            false => Err(Error::Full),
        };
        group.iter().map(one).collect()
    }

    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        if self.broken.get().is_some() {
            return group.iter().map(|_| Err(Error::Closed)).collect();
        }
        let mut recorded = self.recorder.lock();
        if let Some(keys) = recorded.as_mut() {
            keys.extend(group.iter().flat_map(|batch| &batch.ops).map(|op| op.key().clone()));
        }
        let begun = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| match self.room.state().is_exhausted {
            true => self.commit_reads(group),
            false => self.engine.commit(group),
        }));
        let mut verdicts = outcome.unwrap_or_else(|_| vec![Err(Error::Engine("the engine panicked".into()))]);
        let fatal = verdicts.iter().find_map(|verdict| match verdict {
            Ok(()) | Err(Error::Conflict | Error::Full) => None,
            Err(error) => Some(error.of_engine()),
        });
        if let Some(error) = fatal {
            tracing::error!(%error, "the storage engine failed; writes are refused");
            let _ = self.broken.set(error.clone());
            return group.iter().map(|_| Err(Error::Engine(error.clone()))).collect();
        }
        verdicts.resize_with(group.len(), || Err(Error::Engine("no verdict".into())));
        if !group.is_empty() {
            table::COMMIT_DURATION.record([], begun.elapsed().as_secs_f64());
            table::COMMIT_BATCHES.record([], group.len() as f64);
        }
        verdicts
    }
}
