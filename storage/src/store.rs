//! The store: the single entry point to all persistent data.

use crate::blobs::Blobs;
use crate::bounded::BoundedReads;
use crate::change_notifications::{ChangeListener, ChangeNotifications, ChangeNotifier, RightsListener};
use crate::closure::{Closure, Returned, Running, Transaction, blocking};
use crate::committer::{CommitCounts, CommitSource, Committer, Placement};
use crate::data_dir::FolderLock;
use crate::disk_space::{DiskSpace, RoomOptions, RoomState};
use crate::engine::{Batch, Engine, EngineStatus, PowerLoss};
use crate::error::{Error, Result};
use crate::files::{FileSystem, SystemFiles};
use crate::ids::TenantId;
use crate::limits::StoredLimits;
use crate::reader::Reader;
use crate::secrets_key::SecretsKey;
use crate::tx::Tx;
use crate::waiting::wait_here;
use futures::future::BoxFuture;
use parking_lot::RwLock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use telemetry::trace::{self, SpanContext};
use tokio::sync::oneshot;
use uuid::Uuid;

/// How many times a transaction is run before its caller receives `Busy`.
const ATTEMPTS: u32 = 32;
/// From this attempt on, transactions that met conflicts run one at a time.
const TURNS_FROM: u32 = 3;

/// An open data folder. Cheap to clone. Dropping the last clone closes it.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    // Fields are dropped in this order: the committer finishes before the engine closes, and the folder is unlocked
    // last. A commit that drops the last handle, and a read that is still in progress, keep the engine open for longer; the
    // engine then keeps the folder locked.
    pub committer: Committer,
    pub engine: Arc<dyn Engine>,
    pub notifier: Arc<ChangeNotifier>,
    pub turn: tokio::sync::Mutex<()>,
    pub secrets: Arc<SecretsKey>,
    pub blobs: Blobs,
    pub files: Arc<dyn FileSystem>,
    pub dir: PathBuf,
    pub limits: RwLock<StoredLimits>,
    pub commits: Placement,
    pub room: Arc<DiskSpace>,
    pub set_aside: Vec<PathBuf>,
    pub power_loss: Option<PowerLoss>,
    /// Calls of `read`, each of which uses a thread of the blocking pool.
    pub reads: AtomicU64,
    pub _lock: Option<Arc<FolderLock>>,
}

/// The components that a store is assembled from.
pub(crate) struct Parts {
    pub engine: Arc<dyn Engine>,
    pub secrets: SecretsKey,
    pub blobs: Blobs,
    /// The file system from which keys are read and to which backups are written.
    pub files: Arc<dyn FileSystem>,
    pub dir: PathBuf,
    pub lock: Option<Arc<FolderLock>>,
    pub commits: Placement,
    pub room: Arc<DiskSpace>,
    pub set_aside: Vec<PathBuf>,
    pub power_loss: Option<PowerLoss>,
}

impl Parts {
    /// Creates the parts without a lock and with defaults: no pace between commits and no limits on disk space.
    pub fn new(engine: Arc<dyn Engine>, secrets: SecretsKey, blobs: Blobs, dir: PathBuf) -> Self {
        let room = Arc::new(DiskSpace::new(&dir, RoomOptions::default()));
        Self {
            engine,
            secrets,
            blobs,
            files: Arc::new(SystemFiles),
            dir,
            lock: None,
            commits: Placement::Thread { pace: Duration::ZERO },
            room,
            set_aside: Vec::new(),
            power_loss: None,
        }
    }
}

/// The result of running a transaction's closure once.
struct Attempt {
    batch: Batch,
    rings: ChangeNotifications,
    /// Whether the closure returned a value rather than an error.
    is_ok: bool,
}

impl Store {
    pub(crate) fn assemble(parts: Parts) -> Result<Self> {
        let Parts { engine, secrets, blobs, files, dir, lock, commits, room, set_aside, power_loss } = parts;
        let committer = Committer::start(engine.clone(), commits, room.clone())?;
        let inner = Inner {
            committer,
            engine,
            notifier: Arc::default(),
            turn: tokio::sync::Mutex::new(()),
            secrets: Arc::new(secrets),
            blobs,
            files,
            dir,
            limits: RwLock::default(),
            commits,
            room,
            set_aside,
            power_loss,
            reads: AtomicU64::new(0),
            _lock: lock,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs a transaction on the blocking pool and commits its writes. If a concurrent commit changes data that the
    /// transaction read, the closure runs again, so it must have no side effects.
    ///
    /// Errors: the error that the closure returns (nothing is written), `Busy`, `Engine`, `Closed`.
    pub fn run<T, E>(&self, f: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Running<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let returned = Returned::default();
        Running::new(self.start(Box::new(Closure { f, returned: returned.clone() })), returned)
    }

    // The future is boxed here, as for a read. A crate that polls an unboxed future compiles it together with
    // everything that it awaits.
    fn start(&self, work: Box<dyn Transaction + Send>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.run_erased(work))
    }

    async fn run_erased(&self, mut work: Box<dyn Transaction + Send>) -> Result<()> {
        let mut turn = None;
        // Threads of the pool do not know the span that they work for.
        let origin = trace::current();
        if self.inner.commits == Placement::Caller
            && let Some(attempt) = self.attempt_here(&mut *work, origin)
            && let Some(outcome) = self.settle(attempt).await
        {
            return outcome;
        }
        for attempt in 0..ATTEMPTS {
            if attempt == TURNS_FROM {
                turn = Some(self.inner.turn.lock().await);
            }
            let store = self.clone();
            let (back, tried) = blocking(move || {
                let tried = store.attempt(&mut *work, store.limits(), origin);
                (work, tried)
            })
            .await?;
            work = back;
            if let Some(outcome) = self.settle(tried).await {
                return outcome;
            }
        }
        drop(turn);
        Err(Error::Busy)
    }

    /// Like [`run`](Self::run), on the calling thread, which must not be a thread that serves other tasks.
    pub fn run_blocking<T, E: From<Error>>(&self, f: impl FnMut(&mut Tx) -> Result<T, E>) -> Result<T, E> {
        let mut work = Closure::new(f);
        self.run_erased_here(&mut work)?;
        work.returned()
    }

    fn run_erased_here(&self, work: &mut dyn Transaction) -> Result<()> {
        wait_here(async {
            let mut turn = None;
            for attempt in 0..ATTEMPTS {
                if attempt == TURNS_FROM {
                    turn = Some(self.inner.turn.lock().await);
                }
                let tried = self.attempt(work, self.limits(), trace::current());
                if let Some(outcome) = self.settle(tried).await {
                    return outcome;
                }
            }
            drop(turn);
            Err(Error::Busy)
        })
    }

    /// Returns an error after an engine failure, when the data that was read may be half of a commit.
    fn sound(&self) -> Result<()> {
        match self.inner.committer.failure().is_some() {
            true => Err(Error::Engine("an earlier write failed; start the server again".into())),
            false => Ok(()),
        }
    }

    /// Runs a transaction's closure on the calling thread, which serves other tasks. Returns `None` if the closure
    /// takes longer than those tasks may wait. Most transactions read a few rows that are in memory, and waking up a
    /// thread of the pool takes longer than that.
    fn attempt_here(&self, work: &mut dyn Transaction, origin: Option<SpanContext>) -> Option<Attempt> {
        let bounded = BoundedReads::new(self.inner.engine.clone());
        let attempt = self.attempt_on(bounded.clone(), work, self.limits(), origin);
        (!bounded.is_exhausted()).then_some(attempt)
    }

    /// Runs a transaction's closure once. A refusal carries the preconditions that it was read from. With `limits`, a
    /// transaction that would exceed one of them becomes a refusal.
    fn attempt(
        &self,
        work: &mut dyn Transaction,
        limits: Option<StoredLimits>,
        origin: Option<SpanContext>,
    ) -> Attempt {
        self.attempt_on(self.inner.engine.clone(), work, limits, origin)
    }

    fn attempt_on(
        &self,
        engine: Arc<dyn Engine>,
        work: &mut dyn Transaction,
        limits: Option<StoredLimits>,
        origin: Option<SpanContext>,
    ) -> Attempt {
        let inner = &self.inner;
        let recent = inner.committer.recent().clone();
        let counts = inner.limits.read().counts;
        let mut tx = Tx::new(engine, inner.notifier.clone(), inner.secrets.clone(), recent, counts);
        tx.origin = origin;
        let mut is_ok = work.run(&mut tx);
        if is_ok && let Err(refused) = tx.settle_charges(limits) {
            work.refuse(refused);
            is_ok = false;
        }
        let (mut batch, rings) = tx.finish();
        if !is_ok {
            batch.ops.clear();
        }
        Attempt { batch, rings, is_ok }
    }

    /// Commits an attempt. Returns `None` if data that the attempt read has changed since. The check also applies to a
    /// refusal: a refusal based on reads from two different moments could be wrong.
    async fn settle(&self, attempt: Attempt) -> Option<Result<()>> {
        if let Err(broken) = self.sound() {
            return Some(Err(broken));
        }
        let Attempt { batch, rings, is_ok } = attempt;
        match self.commit_with(batch, is_ok.then_some(rings)).await {
            Err(Error::Conflict) => None,
            outcome => Some(outcome),
        }
    }

    /// Runs a transaction without committing it. Returns the value of the closure, the batch to commit, and the
    /// notifications to send after the commit. The batch may be joined with others; its preconditions then apply to all
    /// of them. Limits on stored data do not refuse it, because such a commit completes work that was accepted earlier.
    ///
    /// A refusal of the closure is returned only if everything that the closure read is still valid. If the refusal is
    /// based on reads from two different moments, the closure runs again. This check waits for the committer on the
    /// calling thread.
    pub fn prepare<T, E: From<Error>>(
        &self,
        f: impl FnMut(&mut Tx) -> Result<T, E>,
    ) -> Result<(T, Batch, ChangeNotifications), E> {
        let mut work = Closure::new(f);
        let (batch, rings) = self.prepare_erased(&mut work)?;
        work.returned().map(|value| (value, batch, rings))
    }

    fn prepare_erased(&self, work: &mut dyn Transaction) -> Result<(Batch, ChangeNotifications)> {
        for _ in 0..ATTEMPTS {
            let Attempt { batch, rings, is_ok } = self.attempt(work, None, trace::current());
            if is_ok {
                return Ok((batch, rings));
            }
            self.sound()?;
            match self.commit_blocking(batch) {
                // The refusal is valid. The caller returns the closure's value instead of this one.
                Ok(()) => return Ok((Batch::default(), rings)),
                Err(Error::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::Busy)
    }

    /// Sets the limits on stored data. They apply to transactions that begin after this call.
    pub fn set_limits(&self, limits: StoredLimits) {
        *self.inner.limits.write() = limits;
    }

    fn limits(&self) -> Option<StoredLimits> {
        Some(*self.inner.limits.read())
    }

    fn reader(&self) -> Reader {
        let inner = &self.inner;
        Reader::with_secrets(inner.engine.clone(), inner.secrets.clone(), inner.limits.read().counts)
    }

    /// Reads on the blocking pool. All returned data is durable.
    pub fn read<T, E>(&self, f: impl FnOnce(&Reader) -> Result<T, E> + Send + 'static) -> Running<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let returned = Returned::default();
        let (reader, slot) = (self.reader(), returned.clone());
        let read = Box::new(move || {
            let value = f(&reader);
            *slot.lock() = Some(value);
        });
        Running::new(self.start_read(read), returned)
    }

    fn start_read(&self, f: Box<dyn FnOnce() + Send>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.read_erased(f))
    }

    async fn read_erased(&self, f: Box<dyn FnOnce() + Send>) -> Result<()> {
        self.inner.reads.fetch_add(1, Ordering::Relaxed);
        blocking(f).await?;
        self.sound()
    }

    /// Number of calls of [`read`](Self::read) since the store was opened. Each call uses a thread of the blocking
    /// pool.
    pub fn reads(&self) -> u64 {
        self.inner.reads.load(Ordering::Relaxed)
    }

    /// Number of batches and keys committed since the store was opened.
    pub fn committed(&self) -> CommitCounts {
        self.inner.committer.written()
    }

    /// Like [`read`](Self::read), on the calling thread. Takes microseconds when the pages are in the cache, but may
    /// wait for the disk.
    pub fn read_now<T, E: From<Error>>(&self, f: impl FnOnce(&Reader) -> Result<T, E>) -> Result<T, E> {
        let value = f(&self.reader());
        self.sound()?;
        value
    }

    /// Commits a batch. `Err(Conflict)` if a precondition fails, `Err(Busy)` if the commit queue is full.
    pub fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.commit_with(batch, None))
    }

    /// The committer sends the notifications, so that none is lost if the caller goes away during the commit.
    async fn commit_with(&self, batch: Batch, rings: Option<ChangeNotifications>) -> Result<()> {
        if batch.is_empty() {
            if let Some(rings) = rings {
                rings.send();
            }
            return Ok(());
        }
        self.inner.committer.one(batch, rings)?.await.unwrap_or(Err(Error::Closed))
    }

    /// Like [`commit`](Self::commit), for synchronous callers.
    pub fn commit_blocking(&self, batch: Batch) -> Result<()> {
        wait_here(self.commit(batch))
    }

    /// Enqueues a batch. The receiver gets the outcome of the commit.
    pub fn commit_begin(&self, batch: Batch) -> Result<oneshot::Receiver<Result<()>>> {
        self.inner.committer.one(batch, None)
    }

    /// Enqueues a source. The committer takes the writes that the source has gathered, at its own pace (see
    /// [`StoreOptions::pace`](crate::StoreOptions)). A source enqueues itself at most once until its `take` is called.
    /// `Err(Busy)` if the commit queue is full.
    pub fn commit_soon(&self, source: Arc<dyn CommitSource>) -> Result<()> {
        self.inner.committer.soon(source)
    }

    /// Makes the committer process the queue at once. For callers that wait for the commit of their source.
    pub fn commit_now(&self) {
        self.inner.committer.commit_now();
    }

    /// Returns a listener that is notified after every commit that changes the conversation.
    pub fn subscribe(&self, tenant: TenantId, conversation: Uuid) -> ChangeListener {
        self.inner.notifier.subscribe(tenant, conversation)
    }

    /// Notifies the listeners of a conversation without a commit, for changes to state that is not stored.
    pub fn notify(&self, tenant: TenantId, conversation: Uuid) {
        let mut rings = ChangeNotifications::new(self.inner.notifier.clone());
        rings.add(tenant, conversation);
        rings.send();
    }

    /// A number that increases whenever any caller's rights may have changed. Anything derived about a caller's rights
    /// is valid as long as this number is the same. Read the number before the rows.
    pub fn rights_epoch(&self) -> u64 {
        self.inner.notifier.rights()
    }

    /// Returns a listener that is notified whenever [`rights_epoch`](Self::rights_epoch) increases, and once at the
    /// start.
    pub fn subscribe_rights(&self) -> RightsListener {
        self.inner.notifier.subscribe_rights()
    }

    /// Invalidates the cached rights of all callers.
    pub fn change_rights(&self) {
        self.inner.notifier.change_rights();
    }

    /// The blob store, which holds files outside the database.
    pub fn blobs(&self) -> &Blobs {
        &self.inner.blobs
    }

    /// The data folder of this store.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// Whether the store accepts writes. After an engine failure it refuses them until the next start.
    pub fn is_healthy(&self) -> bool {
        self.failure().is_none() && !self.inner.engine.status().has_failed
    }

    /// A description of the engine failure because of which the store refuses writes, if there was one.
    pub fn failure(&self) -> Option<&str> {
        self.inner.committer.failure()
    }

    /// Measures the free space on the disk of the data folder.
    pub fn room(&self) -> RoomState {
        self.inner.room.measure()
    }

    /// Refuses work that would add much data to the data folder, such as an upload or a new run, while its disk is low
    /// on space. Work that has started continues.
    ///
    /// # Errors
    /// `Full`, if free space is below the low-water mark.
    pub fn has_room(&self) -> Result<()> {
        match self.inner.room.state() {
            RoomState { is_low: true, .. } => Err(Error::Full),
            _ => Ok(()),
        }
    }

    /// Logs with commits that were set aside because earlier commits were missing. They are listed until the files are
    /// moved away and the store is opened again.
    pub fn set_aside(&self) -> &[PathBuf] {
        &self.inner.set_aside
    }

    /// Describes the commits that a power loss destroyed before this start. `None` if every commit waits for the disk,
    /// if the folder was closed properly, or if the machine did not lose power.
    pub fn power_loss(&self) -> Option<&PowerLoss> {
        self.inner.power_loss.as_ref()
    }

    /// How far the engine's background work lags behind the commits.
    pub fn engine_status(&self) -> EngineStatus {
        self.inner.engine.status()
    }

    /// Number of commits in the queue, for metrics.
    pub fn commits_waiting(&self) -> usize {
        self.inner.committer.waiting()
    }

    /// Commits everything in the queue and then refuses further writes. Reads continue to work.
    pub fn close(&self) {
        self.inner.committer.close();
    }
}
