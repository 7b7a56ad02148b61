use super::{Memory, store, store_on};
use crate::committer::Placement;
use crate::engine::{Batch, Direction, Engine, KeyRange};
use crate::{CommitSource, Durability, Error, OpenError, Result, Store, StoreOptions, TenantId};
use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// An engine whose commits become visible at once, but durable only when released.
#[derive(Default)]
struct PausedEngine {
    memory: Memory,
    applied: AtomicUsize,
    released: Mutex<bool>,
    changed: Condvar,
    fail: AtomicBool,
}

impl PausedEngine {
    fn release(&self) {
        *self.released.lock() = true;
        self.changed.notify_all();
    }
    async fn has_applied(&self, count: usize) {
        while self.applied.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Engine for PausedEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        self.memory.scan(range, direction, limit)
    }
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        let verdicts = self.memory.commit(group);
        self.applied.fetch_add(1, Ordering::SeqCst);
        let mut released = self.released.lock();
        while !*released {
            self.changed.wait(&mut released);
        }
        if self.fail.load(Ordering::SeqCst) {
            return group.iter().map(|_| Err(Error::Engine("disk full".into()))).collect();
        }
        verdicts
    }
}

fn paused_store() -> (tempfile::TempDir, Arc<PausedEngine>, Store) {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(PausedEngine::default());
    let store = store_on(engine.clone(), dir.path());
    (dir, engine, store)
}

fn put(key: &'static str) -> Batch {
    let mut batch = Batch::new();
    batch.put(key, "v");
    batch
}

/// A store on an engine, with this placement of commits.
fn placed(engine: Arc<dyn Engine>, commits: Placement) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let blobs = crate::Blobs::open(&crate::BlobConfig::Files, dir.path()).unwrap();
    let secrets = crate::secrets_key::SecretsKey::new(&[7; 32]).unwrap();
    let mut parts = crate::store::Parts::new(engine, secrets, blobs, dir.path().to_owned());
    parts.commits = commits;
    let store = Store::assemble(parts).unwrap();
    (dir, store)
}

fn counter(name: &str) -> Arc<Counter> {
    Arc::new(Counter { name: name.into(), ..Counter::default() })
}

/// A store whose journals are committed at this pace, and a journal.
fn paced(pace: Duration) -> (tempfile::TempDir, Store, Arc<Counter>) {
    let (dir, store) = placed(Arc::new(Memory::default()), Placement::Thread { pace });
    (dir, store, counter("source"))
}

fn soon(store: &Store, source: &Arc<Counter>, number: u64) {
    source.gathered.lock().push(number);
    store.commit_soon(source.clone()).unwrap();
}

async fn done(source: &Counter, count: usize) {
    let done = async {
        while source.done.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), done).await.expect("it is committed");
}

#[tokio::test]
async fn journals_are_committed_at_their_pace() {
    let pace = Duration::from_secs(2);
    let (_dir, store, source) = paced(pace);
    // The first commit after a pause is immediate; one soon after another is delayed.
    tokio::time::sleep(pace).await;
    let begun = std::time::Instant::now();
    soon(&store, &source, 1);
    done(&source, 1).await;
    let first = begun.elapsed();
    soon(&store, &source, 2);
    done(&source, 2).await;
    let second = begun.elapsed();
    assert!(first < pace && second >= pace, "{first:?} {second:?}");
}

#[tokio::test]
async fn urgent_commits_do_not_wait_for_the_pace_of_journals() {
    // Longer than any test waits.
    let (_dir, store, source) = paced(Duration::from_secs(3_600));
    soon(&store, &source, 1);
    store.commit_now();
    done(&source, 1).await;
    soon(&store, &source, 2);
    // By now the committer sleeps until the next commit is due.
    tokio::time::sleep(Duration::from_millis(100)).await;
    store.commit(put("a")).await.unwrap();
    assert_eq!(source.done.load(Ordering::SeqCst), 2, "it went along");
    // Without queued work, a call of `commit_now` has no later effect.
    store.commit_now();
    soon(&store, &source, 3);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(source.done.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn batches_that_arrive_during_a_commit_join_the_next_one() {
    let (_dir, engine, store) = paused_store();
    let first = store.commit_begin(put("a")).unwrap();
    engine.has_applied(1).await;
    let others: Vec<_> = (0..50).map(|_| store.commit_begin(put("b")).unwrap()).collect();
    engine.release();
    first.await.unwrap().unwrap();
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(engine.applied.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn refused_batch_does_not_affect_others_of_its_group() {
    let (_dir, engine, store) = paused_store();
    let first = store.commit_begin(put("a")).unwrap();
    engine.has_applied(1).await;
    let mut bad = put("never");
    bad.expect("nowhere", Some("v".into()));
    let group = [store.commit_begin(put("b")), store.commit_begin(bad), store.commit_begin(put("c"))];
    engine.release();
    first.await.unwrap().unwrap();
    let mut verdicts = Vec::new();
    for one in group {
        verdicts.push(one.unwrap().await.unwrap());
    }
    assert!(matches!(verdicts[..], [Ok(()), Err(Error::Conflict), Ok(())]), "{verdicts:?}");
    assert!(engine.get(b"never").unwrap().is_none());
}

#[tokio::test]
async fn engine_failure_stops_reads_and_writes() {
    let (_dir, engine, store) = paused_store();
    engine.fail.store(true, Ordering::SeqCst);
    let first = store.commit_begin(put("a")).unwrap();
    engine.has_applied(1).await;
    engine.release();
    assert!(matches!(first.await.unwrap(), Err(Error::Engine(_))));
    assert!(!store.is_healthy());
    assert!(matches!(store.commit(put("b")).await, Err(Error::Closed)));
    assert!(matches!(store.read(|reader| reader.raw_get(b"a")).await, Err(Error::Engine(_))));
    assert!(matches!(store.read_now(|reader| reader.raw_get(b"a")), Err(Error::Engine(_))));
    let run = store.run(|tx| tx.raw_get(b"a")).await;
    assert!(matches!(run, Err(Error::Engine(_))));
}

#[tokio::test]
async fn commit_queue_is_bounded() {
    let (_dir, engine, store) = paused_store();
    let _first = store.commit_begin(put("a")).unwrap();
    engine.has_applied(1).await;
    let mut waiting = Vec::new();
    let refused = loop {
        match store.commit_begin(put("b")) {
            Ok(receiver) => waiting.push(receiver),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::Busy));
    assert_eq!(waiting.len(), 65_536);
    engine.release();
    for receiver in waiting {
        receiver.await.unwrap().unwrap();
    }
    store.commit(put("c")).await.unwrap();
}

#[tokio::test]
async fn close_commits_the_queue() {
    let (_dir, engine, store) = paused_store();
    let first = store.commit_begin(put("a")).unwrap();
    engine.has_applied(1).await;
    let second = store.commit_begin(put("b")).unwrap();
    let closing = tokio::task::spawn_blocking({
        let store = store.clone();
        move || store.close()
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    engine.release();
    closing.await.unwrap();
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    assert!(matches!(store.commit_begin(put("c")), Err(Error::Closed)));
    assert!(store.read(|reader| reader.raw_get(b"b")).await.unwrap().is_some());
}

/// A counter: each `take` appends what has gathered.
#[derive(Default)]
struct Counter {
    name: String,
    gathered: Mutex<Vec<u64>>,
    enqueued: AtomicBool,
    taken: AtomicUsize,
    done: AtomicUsize,
    /// The name of the thread of the last commit.
    thread: Mutex<Option<String>>,
    panics: bool,
}

impl CommitSource for Counter {
    fn take(&self) -> Option<Batch> {
        self.enqueued.store(false, Ordering::SeqCst);
        assert!(!self.panics, "take");
        let gathered = std::mem::take(&mut *self.gathered.lock());
        self.taken.fetch_add(1, Ordering::SeqCst);
        let mut batch = Batch::new();
        for number in gathered {
            batch.put([self.name.as_bytes(), &number.to_be_bytes()].concat(), "x");
        }
        Some(batch).filter(|batch| !batch.is_empty())
    }
    fn done(&self, verdict: Result<()>) {
        *self.thread.lock() = std::thread::current().name().map(str::to_owned);
        if verdict.is_ok() {
            self.done.fetch_add(1, Ordering::SeqCst);
        }
        assert!(self.name != "sulky", "done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sources_are_taken_and_notified() {
    for commits in [Placement::Thread { pace: Duration::ZERO }, Placement::Caller] {
        let dir = tempfile::tempdir().unwrap();
        let engine = Arc::new(super::engine_at(&dir.path().join("engine")));
        are_taken_and_told(placed(engine, commits).1).await;
    }
}

async fn are_taken_and_told(store: Store) {
    let sources: Vec<_> = (0..8).map(|at| counter(&format!("source{at}"))).collect();
    let mut tasks = Vec::new();
    for source in &sources {
        let (source, store) = (source.clone(), store.clone());
        tasks.push(tokio::spawn(async move {
            for number in 0..2_000u64 {
                source.gathered.lock().push(number);
                if !source.enqueued.swap(true, Ordering::SeqCst) {
                    store.commit_soon(source.clone()).unwrap();
                }
                tokio::task::yield_now().await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    store.close();
    for source in &sources {
        let range = KeyRange::prefix(source.name.as_bytes());
        let count = store
            .read_now::<_, Error>(|reader| Ok(reader.walk(range, Direction::Forward, 64).count()))
            .unwrap();
        assert_eq!(count, 2_000);
        assert!(source.gathered.lock().is_empty());
    }
}

#[tokio::test]
async fn source_that_panics_does_not_affect_others() {
    let (_dir, store) = store();
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    store.commit_soon(Arc::new(Counter { panics: true, ..Counter::default() })).unwrap();
    let sulky =
        Arc::new(Counter { name: "sulky".into(), gathered: Mutex::new(vec![1]), ..Counter::default() });
    store.commit_soon(sulky.clone()).unwrap();
    store.commit(put("a")).await.unwrap();
    std::panic::set_hook(quiet);
    assert_eq!(sulky.done.load(Ordering::SeqCst), 1);
    assert!(store.read(|reader| reader.raw_get(b"a")).await.unwrap().is_some());
}

/// Holds the last handle of the store until it is notified, and then occupies the committing thread until it is released.
struct Keeper {
    store: Mutex<Option<Store>>,
    is_released: AtomicBool,
}

impl Keeper {
    fn of(store: &Store, is_released: bool) -> Arc<Self> {
        let (store, is_released) = (Mutex::new(Some(store.clone())), AtomicBool::new(is_released));
        Arc::new(Self { store, is_released })
    }

    fn has_dropped(&self) -> bool {
        self.store.lock().is_none()
    }
}

impl CommitSource for Keeper {
    fn take(&self) -> Option<Batch> {
        Some(put("a"))
    }
    fn done(&self, verdict: Result<()>) {
        verdict.unwrap();
        // Closes the store on the committer's own thread, which must not wait for itself.
        drop(self.store.lock().take());
        while !self.is_released.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn last_handle_may_be_dropped_on_the_committer_thread() {
    let dir = tempfile::tempdir().unwrap();
    let options = StoreOptions { durability: Durability::Power, ..StoreOptions::new(dir.path()) };
    let store = Store::open(options.clone()).unwrap();
    let keeper = Keeper::of(&store, false);
    store.commit_soon(keeper.clone()).unwrap();
    drop(store);
    let begun = std::time::Instant::now();
    let pause = || {
        assert!(begun.elapsed() < Duration::from_secs(60), "it hangs");
        std::thread::sleep(Duration::from_millis(1));
    };
    while !keeper.has_dropped() {
        pause();
    }
    // The thread still has the engine, and two engines must not use the same files.
    assert!(matches!(Store::open(options.clone()), Err(OpenError::Locked { .. })));
    keeper.is_released.store(true, Ordering::SeqCst);
    let store = loop {
        match Store::open(options.clone()) {
            Ok(store) => break store,
            Err(OpenError::Locked { .. }) => pause(),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(store.read_now(|reader| reader.raw_get(b"a")).unwrap().unwrap(), "v");
}

#[test]
fn last_handle_may_be_dropped_on_the_thread_of_a_caller() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(super::engine_at(&dir.path().join("engine")));
    let (_folder, store) = placed(engine, Placement::Caller);
    let keeper = Keeper::of(&store, true);
    // Commits before it returns, because there is no runtime here.
    store.commit_soon(keeper.clone()).unwrap();
    assert!(keeper.has_dropped());
    store.close();
}

#[tokio::test]
async fn callers_commit_on_their_own_thread() {
    let (_dir, store) = placed(Arc::new(Memory::default()), Placement::Caller);
    let source = counter("source");
    soon(&store, &source, 1);
    done(&source, 1).await;
    assert_eq!(source.thread.lock().as_deref(), std::thread::current().name());
    // Work that is queued by tasks that are ready at the same time shares a commit.
    let (taken, others) = (source.taken.load(Ordering::SeqCst), [counter("a"), counter("b")]);
    others.iter().for_each(|other| soon(&store, other, 1));
    soon(&store, &source, 2);
    source.gathered.lock().push(3);
    done(&source, 2).await;
    assert_eq!(source.taken.load(Ordering::SeqCst), taken + 1);
    assert!(others.iter().all(|other| other.done.load(Ordering::SeqCst) == 1));
}

#[test]
fn commits_dropped_by_a_runtime_are_made_by_the_committer_thread() {
    let (_dir, store) = placed(Arc::new(Memory::default()), Placement::Caller);
    let source = counter("source");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { soon(&store, &source, 1) });
    drop(runtime);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    waiting.block_on(done(&source, 1));
    assert_eq!(source.thread.lock().as_deref(), Some("committer"));
}

/// An engine whose chores take until they are released.
#[derive(Default)]
struct SlowChores {
    memory: Memory,
    has_begun: AtomicBool,
    is_released: AtomicBool,
}

impl Engine for SlowChores {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        self.memory.scan(range, direction, limit)
    }
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        if group.is_empty() {
            self.has_begun.store(true, Ordering::SeqCst);
            while !self.is_released.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.memory.commit(group)
    }
}

#[tokio::test]
async fn batches_that_arrive_during_chores_are_committed_after_them() {
    let engine = Arc::new(SlowChores::default());
    let (_dir, store) = placed(engine.clone(), Placement::Caller);
    store.commit(put("a")).await.unwrap();
    while !engine.has_begun.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let waiting = store.commit_begin(put("b")).unwrap();
    // The scheduled commit finds the engine in use.
    tokio::time::sleep(Duration::from_millis(50)).await;
    engine.is_released.store(true, Ordering::SeqCst);
    let verdict = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    verdict.expect("it is not forgotten").unwrap().unwrap();
}

#[tokio::test]
async fn commit_blocking_works_on_a_thread_whose_tasks_cannot_run() {
    let (_dir, store) = placed(Arc::new(Memory::default()), Placement::Caller);
    // No task of this thread can run while it waits here.
    store.commit_blocking(put("a")).unwrap();
    assert!(store.read_now::<_, Error>(|reader| reader.raw_get(b"a")).unwrap().is_some());
}

#[tokio::test]
async fn only_short_transactions_run_on_the_thread_of_the_caller() {
    let (_dir, store) = placed(Arc::new(Memory::default()), Placement::Caller);
    let mut many = Batch::new();
    (0..1_000u32).for_each(|at| many.put([&b"many"[..], &at.to_be_bytes()].concat(), "x"));
    store.commit(many).await.unwrap();
    let here = std::thread::current().id();
    let threads = Arc::new(Mutex::new(Vec::new()));
    for (prefix, keys, places) in [("few", 0, vec![true]), ("many", 1_000, vec![true, false])] {
        let seen = threads.clone();
        let counted = store.run(move |tx| {
            seen.lock().push(std::thread::current().id() == here);
            // An error in the first attempt is ignored.
            let found = tx.walk(KeyRange::prefix(prefix.as_bytes()), Direction::Forward, 64);
            let count = found.take_while(|pair| pair.is_ok()).count();
            tx.put_secret(TenantId::SYSTEM, prefix, b"seen")?;
            Ok::<_, Error>(count)
        });
        assert_eq!(counted.await.unwrap(), keys);
        assert_eq!(std::mem::take(&mut *threads.lock()), places, "{prefix}");
    }
}
