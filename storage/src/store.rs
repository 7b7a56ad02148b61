//! The store: the one door to everything that stays.

use crate::blobs::Blobs;
use crate::bounded::BoundedReads;
use crate::change_notifications::{ChangeListener, ChangeNotifications, ChangeNotifier, RightsListener};
use crate::closure::{Closure, Returned, Running, Transaction, blocking};
use crate::committer::{CommitCounts, CommitSource, Committer, Placement};
use crate::engine::{Batch, Engine, EngineStatus, PowerLoss};
use crate::error::{Error, Result};
use crate::files::{FileSystem, SystemFiles};
use crate::ids::TenantId;
use crate::limits::StoredLimits;
use crate::reader::Reader;
use crate::room::{DiskSpace, RoomOptions, RoomState};
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

/// How often a transaction is run before its caller is told `Busy`.
const ATTEMPTS: u32 = 32;
/// From this attempt on, transactions that met conflicts take turns.
const TURNS_FROM: u32 = 3;

/// An open data folder. Cheap to clone; the last clone closes it.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    // Fields are dropped in this order: the committer finishes before the engine closes, and
    // the folder is unlocked last.
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
    /// Reads that took a thread of the pool.
    pub reads: AtomicU64,
    pub _lock: Option<std::fs::File>,
}

/// What a store is put together from.
pub(crate) struct Parts {
    pub engine: Arc<dyn Engine>,
    pub secrets: SecretsKey,
    pub blobs: Blobs,
    /// What the keys are read from, and backups are written to.
    pub files: Arc<dyn FileSystem>,
    pub dir: PathBuf,
    pub lock: Option<std::fs::File>,
    pub commits: Placement,
    pub room: Arc<DiskSpace>,
    pub set_aside: Vec<PathBuf>,
    pub power_loss: Option<PowerLoss>,
}

impl Parts {
    /// Without a lock, a pace and a limit of the room.
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

/// What one run of a transaction's closure wrote.
struct Attempt {
    batch: Batch,
    rings: ChangeNotifications,
    /// Whether the closure returned a value, and no refusal.
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

    /// Runs a transaction on the blocking pool and commits what it wrote. When something it read
    /// has changed by then, it is run again, so it must have no effects of its own.
    ///
    /// Errors: what the closure returns (nothing is written then), `Busy`, `Engine`, `Closed`.
    pub fn run<T, E>(&self, f: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Running<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let returned = Returned::default();
        Running::new(self.start(Box::new(Closure { f, returned: returned.clone() })), returned)
    }

    // Boxed here, like a read: the crate that polls a future without a box compiles it, with all that it awaits.
    fn start(&self, work: Box<dyn Transaction + Send>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.run_erased(work))
    }

    async fn run_erased(&self, mut work: Box<dyn Transaction + Send>) -> Result<()> {
        let mut turn = None;
        // The threads of the pool do not know for whom they work.
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

    /// [`run`](Self::run) on the calling thread, which must not be one that serves others.
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

    /// After an engine failure, what was read may be half of a commit.
    fn sound(&self) -> Result<()> {
        match self.inner.committer.failure().is_some() {
            true => Err(Error::Engine("an earlier write failed; start the server again".into())),
            false => Ok(()),
        }
    }

    /// Runs a transaction's closure on the calling thread, which serves others; none if it takes longer than they may
    /// be kept waiting. Most transactions read a few rows that are in memory, and a thread of the pool takes longer to
    /// wake up than they take.
    fn attempt_here(&self, work: &mut dyn Transaction, origin: Option<SpanContext>) -> Option<Attempt> {
        let bounded = BoundedReads::new(self.inner.engine.clone());
        let attempt = self.attempt_on(bounded.clone(), work, self.limits(), origin);
        (!bounded.is_exhausted()).then_some(attempt)
    }

    /// Runs a transaction's closure once. A refusal carries what it was read from.
    /// With `limits`, one that would exceed any becomes a refusal.
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

    /// Commits an attempt; none when what it had read has changed in the meantime. That is asked of a
    /// refusal as well: one that rests on two moments would be wrong.
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

    /// Runs a transaction without committing it: what it returns, the batch to commit, and the
    /// notifications to send afterwards. The batch may be joined with others and then holds for all of
    /// them. Limits on stored data do not refuse it: what is committed this way completes work that was
    /// accepted before.
    ///
    /// What the closure refuses is returned only if everything it had read still holds; a refusal that rests on two
    /// moments makes it run again. That waits for the committer, on the calling thread.
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
                // The refusal stands, and the closure's value is returned in place of this.
                Ok(()) => return Ok((Batch::default(), rings)),
                Err(Error::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::Busy)
    }

    /// Sets the limits on stored data; they hold for transactions that begin after it.
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

    /// Reads on the blocking pool. What is returned is durable.
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

    /// How many times [`read`](Self::read) was called since the store was opened: each takes a thread of the pool.
    pub fn reads(&self) -> u64 {
        self.inner.reads.load(Ordering::Relaxed)
    }

    /// How much was committed since the store was opened.
    pub fn committed(&self) -> CommitCounts {
        self.inner.committer.written()
    }

    /// [`read`](Self::read) on the calling thread. Takes microseconds when the pages are in the
    /// cache, but may wait for the disk.
    pub fn read_now<T, E: From<Error>>(&self, f: impl FnOnce(&Reader) -> Result<T, E>) -> Result<T, E> {
        let value = f(&self.reader());
        self.sound()?;
        value
    }

    /// Commits a batch. `Err(Conflict)` when a precondition fails, `Err(Busy)` when too much
    /// waits.
    pub fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.commit_with(batch, None))
    }

    /// The notifications are sent on the committer thread, so that none is lost when the caller goes away during the
    /// commit.
    async fn commit_with(&self, batch: Batch, rings: Option<ChangeNotifications>) -> Result<()> {
        if batch.is_empty() {
            if let Some(rings) = rings {
                rings.send();
            }
            return Ok(());
        }
        self.inner.committer.one(batch, rings)?.await.unwrap_or(Err(Error::Closed))
    }

    /// [`commit`](Self::commit) for synchronous callers.
    pub fn commit_blocking(&self, batch: Batch) -> Result<()> {
        wait_here(self.commit(batch))
    }

    /// Enqueues a batch; the verdict comes through the receiver.
    pub fn commit_begin(&self, batch: Batch) -> Result<oneshot::Receiver<Result<()>>> {
        self.inner.committer.one(batch, None)
    }

    /// Enqueues a source: the committer will take what it has gathered, at its own pace (see
    /// [`StoreOptions::pace`](crate::StoreOptions)). A source enqueues itself at most once until
    /// its `take` is called. `Err(Busy)` when too much waits.
    pub fn commit_soon(&self, source: Arc<dyn CommitSource>) -> Result<()> {
        self.inner.committer.soon(source)
    }

    /// Lets the committer take what waits at once; for those who wait for their source's commit.
    pub fn hurry(&self) {
        self.inner.committer.hurry();
    }

    /// A listener for every commit that changes the conversation.
    pub fn subscribe(&self, tenant: TenantId, conversation: Uuid) -> ChangeListener {
        self.inner.notifier.subscribe(tenant, conversation)
    }

    /// Notifies the listeners of a conversation without a commit: for changes of what is not stored.
    pub fn notify(&self, tenant: TenantId, conversation: Uuid) {
        let mut rings = ChangeNotifications::new(self.inner.notifier.clone());
        rings.add(tenant, conversation);
        rings.send();
    }

    /// A number that grows whenever anyone's rights may have changed. What was found out about a caller holds as
    /// long as it is the same; it is to be read before the rows.
    pub fn rights_epoch(&self) -> u64 {
        self.inner.notifier.rights()
    }

    /// A listener that is notified whenever [`rights_epoch`](Self::rights_epoch) grows, and once at first.
    pub fn subscribe_rights(&self) -> RightsListener {
        self.inner.notifier.subscribe_rights()
    }

    /// Has everyone's rights looked up again.
    pub fn change_rights(&self) {
        self.inner.notifier.change_rights();
    }

    /// The store of files, beside the database.
    pub fn blobs(&self) -> &Blobs {
        &self.inner.blobs
    }

    /// The data folder that the store is open in.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// Whether writes are taken; after an engine failure they are not until the next start.
    pub fn is_healthy(&self) -> bool {
        self.failure().is_none() && !self.inner.engine.status().has_failed
    }

    /// Why no more writes are taken, in words, once the engine has failed.
    pub fn failure(&self) -> Option<&str> {
        self.inner.committer.failure()
    }

    /// How much room there is on the disk of the data folder, looked at now.
    pub fn room(&self) -> RoomState {
        self.inner.room.measure()
    }

    /// Refuses what would add much to the data folder, such as an upload or a new run, while its disk has little room.
    /// What is under way goes on.
    ///
    /// # Errors
    /// `Full`, below the low-water mark.
    pub fn has_room(&self) -> Result<()> {
        match self.inner.room.state() {
            RoomState { is_low: true, .. } => Err(Error::Full),
            _ => Ok(()),
        }
    }

    /// Logs with commits that were set aside because commits before them were missing; they are listed until the files
    /// are moved away and the store is opened again.
    pub fn set_aside(&self) -> &[PathBuf] {
        &self.inner.set_aside
    }

    /// What a power loss has taken before this start. `None` where commits are durable one by one, and where the folder was
    /// closed properly or the machine did not lose power.
    pub fn power_loss(&self) -> Option<&PowerLoss> {
        self.inner.power_loss.as_ref()
    }

    /// How far the engine is behind with what it does for earlier commits in the background.
    pub fn engine_status(&self) -> EngineStatus {
        self.inner.engine.status()
    }

    /// How many commits wait in line; for metrics.
    pub fn commits_waiting(&self) -> usize {
        self.inner.committer.waiting()
    }

    /// Commits what waits and takes no more writes. Reads go on.
    pub fn close(&self) {
        self.inner.committer.close();
    }
}
