//! One thread commits everything: what gathers during a commit joins the next one.

use crate::change_notifications::ChangeNotifications;
use crate::engine::range_reads::{RecentWrites, created_or_deleted};
use crate::engine::{Batch, Engine};
use crate::error::{Error, Result};
use crate::room::DiskSpace;
use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
/// When nothing has come for this long, the engine gets time for its chores.
const IDLE: Duration = Duration::from_secs(1);

/// Something that gathers writes while a commit is under way, such as a run's journal.
pub trait CommitSource: Send + Sync {
    /// Called on the committer thread: what has gathered since the last call; `None` when there
    /// is nothing.
    fn take(&self) -> Option<Batch>;

    /// Called on the committer thread once what was taken is durable, or was refused.
    fn done(&self, verdict: Result<()>);
}

enum Work {
    Source(Arc<dyn CommitSource>),
    One(Box<Batch>, Reply),
    /// One that was taken before and has to be checked again after the commits before it.
    Again(Box<Batch>, CommitWaiter),
}

#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    /// Whether someone waits for the verdict, so that there is no time to gather more.
    urgent: bool,
    /// Whether the thread sleeps until anything comes. Otherwise it works, or sleeps until it is
    /// time for the next commit, and only who is in a hurry wakes it.
    dozing: bool,
    closed: bool,
}

/// The line before the committer thread.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl Queue {
    fn push(&self, work: Work) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(Error::Closed);
        }
        if waiting.work.len() >= WAITING_MAX {
            return Err(Error::Busy);
        }
        let is_urgent = matches!(work, Work::One(..));
        waiting.work.push_back(work);
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

/// Owns the thread. Dropping it commits what waits, then ends the thread.
pub(crate) struct Committer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    recorder: Arc<Recorder>,
    broken: Arc<OnceLock<String>>,
    recent: Arc<RecentWrites>,
}

impl Committer {
    /// Starts the thread. `pace` is the time from one commit to the next when no caller asks for an immediate
    /// one.
    pub fn start(engine: Arc<dyn Engine>, pace: Duration, room: Arc<DiskSpace>) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let recorder = Arc::new(Recorder::default());
        let broken = Arc::<OnceLock<String>>::default();
        let recent = Arc::<RecentWrites>::default();
        let mut work = Worker {
            engine,
            recorder: recorder.clone(),
            broken: broken.clone(),
            recent: recent.clone(),
            room,
            is_idle: true,
        };
        let line = queue.clone();
        let thread = std::thread::Builder::new().name("committer".into()).spawn(move || {
            let mut begun = Instant::now();
            while let Some(mut waiting) = line.next(begun + pace, !work.is_idle) {
                begun = Instant::now();
                if waiting.is_empty() {
                    work.chores();
                }
                while !waiting.is_empty() {
                    work.commit_group(&mut waiting);
                }
            }
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), recorder, broken, recent })
    }

    /// Commits what waits without gathering more.
    pub fn hurry(&self) {
        self.queue.hurry();
    }

    /// How the engine has failed, if it has.
    pub fn failure(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// The keys that commits write, once someone asks for them. No commit takes place while the
    /// lock is held.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Enqueues a source; it must not be enqueued again before its `take`.
    pub fn soon(&self, source: Arc<dyn CommitSource>) -> Result<()> {
        self.queue.push(Work::Source(source))
    }

    /// Enqueues a batch; the receiver gets the outcome. The notifications are sent once it is committed, whether or not anyone
    /// still waits for the outcome.
    pub fn one(
        &self,
        batch: Batch,
        notifications: Option<ChangeNotifications>,
    ) -> Result<oneshot::Receiver<Result<()>>> {
        let (verdict, told) = oneshot::channel();
        self.queue.push(Work::One(Box::new(batch), Reply { notifications, verdict }))?;
        Ok(told)
    }

    /// What was written lately, for transactions that read ranges.
    pub fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }

    /// How many items wait.
    pub fn waiting(&self) -> usize {
        self.queue.waiting.lock().work.len()
    }

    /// Commits what waits, then ends the thread. Later calls of the others fail with `Closed`.
    pub fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // The thread catches panics, so there is nothing to learn from the result.
            let _ = thread.join();
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

/// What the thread works with.
struct Worker {
    engine: Arc<dyn Engine>,
    recorder: Arc<Recorder>,
    broken: Arc<OnceLock<String>>,
    recent: Arc<RecentWrites>,
    room: Arc<DiskSpace>,
    /// Whether nothing was committed since the last chores.
    is_idle: bool,
}

impl Worker {
    fn chores(&mut self) {
        self.is_idle = true;
        self.commit(&[]);
    }

    fn commit_group(&mut self, work: &mut VecDeque<Work>) {
        let (mut group, mut tell, mut bytes) = (Vec::<Batch>::new(), Vec::new(), 0);
        // Keys that the group creates and deletes, as far as it was looked at.
        let (mut touched, mut seen) = (BTreeSet::new(), 0);
        while group.len() < GROUP_BATCHES
            && bytes < GROUP_BYTES
            && let Some(item) = work.pop_front()
        {
            let (batch, told) = match item {
                Work::One(batch, reply) => (*batch, CommitWaiter::One(reply)),
                Work::Again(batch, told) => (*batch, told),
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
                    told.complete(Err(Error::Conflict));
                    continue;
                }
                touched.extend(group[seen..].iter().flat_map(created_or_deleted));
                seen = group.len();
                if batch.reads.iter().any(|reads| reads.touches(&touched)) {
                    // Whether it conflicts depends on the verdicts on those before it.
                    work.push_front(Work::Again(Box::new(batch), told));
                    break;
                }
            }
            bytes += batch.size();
            group.push(batch);
            tell.push(told);
        }
        if group.is_empty() {
            return;
        }
        self.is_idle = false;
        let verdicts = self.commit(&group);
        let landed = group.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_ok());
        self.recent.committed(landed.map(|(batch, _)| batch));
        for (told, verdict) in tell.into_iter().zip(verdicts) {
            told.complete(verdict);
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
