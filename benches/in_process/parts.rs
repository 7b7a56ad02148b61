//! `cargo bench --bench parts`: the cost of individual components, measured in one process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use runs::{Chunk, EventData, JournalLimits, RunJournal};
use storage::records::Conversation;
use storage::{Batch, JournalEvent, Row, Store, StoreOptions, TenantId, journal, new_id};
use tokio::runtime::Runtime;
use understudy::http::encodings::{Constants, Encoder, Wire};
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
/// Number of events of a long response.
const EVENTS: u64 = 10_000;

/// A store in its own folder, and a runtime with one thread for each of two cores.
struct Ground {
    store: Store,
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

fn ground() -> Ground {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(StoreOptions::new(folder.path())).expect("a store");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    Ground { store, runtime: runtime.expect("a runtime"), _folder: folder }
}

impl Ground {
    /// Returns the time that `callers` concurrent tasks take for `count` operations in total; each
    /// task performs its share sequentially.
    fn shared<F>(&self, callers: u64, count: u64, work: impl Fn(Store, u64, u64) -> F) -> Duration
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let began = Instant::now();
        self.runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for caller in 0..callers {
                let share = count / callers + u64::from(caller < count % callers);
                tasks.spawn(work(self.store.clone(), caller, share));
            }
            while tasks.join_next().await.is_some() {}
        });
        began.elapsed()
    }
}

fn delta(word: u64) -> EventData {
    // Adjacent deltas belong to different parts, so that none is folded into the one before.
    EventData::TextDelta { part: format!("t{}", word % 2), text: "word ".to_owned() }
}

fn event(seq: u64) -> JournalEvent {
    let json = format!(
        r#"{{"seq":{seq},"ts":"2026-01-02T03:04:05.678Z","run_id":"{}","epoch":1,"type":"text.delta","data":{{"part":"t1","text":"word "}}}}"#,
        Uuid::from_u128(2)
    );
    JournalEvent { seq, kind: "text.delta".into(), json: Bytes::from(json) }
}

/// Appends one durable event at a time and waits for each: the cost of a workflow step.
fn append(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("journal append, each waited for");
    group.throughput(Throughput::Elements(1));
    for writers in [1, 64] {
        let ground = ground();
        group.bench_function(BenchmarkId::new("writers", writers), |bench| {
            bench.iter_custom(|count| {
                ground.shared(writers, count, |store, _, share| async move {
                    let run = new_id();
                    for seq in 1..=share {
                        let mut batch = Batch::default();
                        journal::append(&mut batch, TENANT, run, &[event(seq)]);
                        store.commit(batch).await.expect("a commit");
                    }
                })
            });
        });
    }
    group.finish();
}

/// Pushes events as a model produces them, without waiting for each. All are durable at the end.
fn push(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("journal push, flushed at the end");
    group.throughput(Throughput::Elements(1));
    for writers in [1, 64] {
        let ground = ground();
        group.bench_function(BenchmarkId::new("writers", writers), |bench| {
            bench.iter_custom(|count| {
                ground.shared(writers, count, |store, _, share| async move {
                    let writer = open(store, new_id(), 0, JournalLimits::default()).writer(1);
                    for word in 0..share {
                        writer.room().await;
                        writer.push(delta(word)).expect("a push");
                    }
                    writer.flush().await.expect("a flush");
                })
            });
        });
    }
    group.finish();
}

/// Opens a journal and sets the epoch that its entries expect.
fn open(store: Store, run: Uuid, end: u64, limits: JournalLimits) -> Arc<RunJournal> {
    let mut batch = Batch::default();
    journal::set_epoch(&mut batch, TENANT, run, 1);
    let set = store.commit_begin(batch).expect("a queue");
    let journal = RunJournal::open(store, TENANT, run, 1, end, limits);
    tokio::spawn(set);
    journal
}

/// Reads a long response from its first event to its last.
fn replay(criterion: &mut Criterion) {
    let ground = ground();
    let run = new_id();
    let roomy = JournalLimits { tail_bytes: usize::MAX, ..JournalLimits::default() };
    let live = ground.runtime.block_on(async {
        let journal = open(ground.store.clone(), run, 0, roomy);
        let writer = journal.writer(1);
        for word in 0..EVENTS {
            writer.room().await;
            writer.push(delta(word)).expect("a push");
        }
        writer.flush().await.expect("a flush");
        journal
    });
    // A journal that is opened at its end has nothing in memory, so all of it is read from the store.
    let stored = ground.runtime.block_on(async { open(ground.store.clone(), run, EVENTS, roomy) });
    let mut group = criterion.benchmark_group("cursor replay");
    group.throughput(Throughput::Bytes(ground.runtime.block_on(read(&live))));
    for (name, journal) in [("from memory", &live), ("from the store", &stored)] {
        group.bench_function(name, |bench| bench.iter(|| ground.runtime.block_on(read(journal))));
    }
    group.finish();
}

async fn read(journal: &Arc<RunJournal>) -> u64 {
    let (mut cursor, mut bytes) = (journal.read(0), 0);
    while cursor.position() < EVENTS {
        let chunk = cursor.next().await.expect("a read").expect("a chunk");
        bytes += chunk.events.iter().map(|event| event.json.len() as u64).sum::<u64>();
    }
    bytes
}

/// Encodes the events of one commit in each encoding, and requests the same bytes once more.
fn encoding(criterion: &mut Criterion) {
    let events: Vec<JournalEvent> = (1..=64).map(event).collect();
    let run = Constants {
        run_id: Uuid::from_u128(2),
        conversation_id: Some(Uuid::from_u128(3)),
        message_id: Some(Uuid::from_u128(4)),
        model: "builtin/scribe".to_owned(),
        created: 1_767_323_045,
    };
    let mut group = criterion.benchmark_group("wire encoding");
    group.throughput(Throughput::Elements(events.len() as u64));
    for wire in Wire::ALL {
        let mut encoder = Encoder::new(wire, run.clone(), false);
        group.bench_function(format!("{wire:?}"), |bench| bench.iter(|| encoder.events(&events)));
    }
    let (mut encoder, chunk) = (Encoder::new(Wire::Events, run, false), Chunk::new(events));
    group.bench_function("Events, already made for another reader", |bench| {
        bench.iter(|| encoder.chunk(&chunk))
    });
    group.finish();
}

/// Transactions through the asynchronous interface of the store.
fn transactions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("Tx");
    group.throughput(Throughput::Elements(1));
    let ground = ground();
    for callers in [1, 64] {
        group.bench_function(BenchmarkId::new("insert, callers", callers), |bench| {
            bench.iter_custom(|count| {
                ground.shared(callers, count, |store, _, share| async move {
                    for _ in 0..share {
                        insert(&store).await;
                    }
                })
            });
        });
        group.bench_function(BenchmarkId::new("update, callers", callers), |bench| {
            bench.iter_custom(|count| {
                ground.shared(callers, count, |store, _, share| async move {
                    let id = insert(&store).await.id;
                    for _ in 0..share {
                        let update = move |tx: &mut storage::Tx| -> storage::Result<()> {
                            let mut row: Row<Conversation> = tx.require(TENANT, &id)?;
                            row.message_count += 1;
                            tx.update(TENANT, row).map(drop)
                        };
                        store.run(update).await.expect("an update");
                    }
                })
            });
        });
    }
    group.finish();
}

async fn insert(store: &Store) -> Row<Conversation> {
    let new = |tx: &mut storage::Tx| -> storage::Result<_> {
        tx.insert(TENANT, new_id(), Conversation { owner: Uuid::from_u128(5), ..Conversation::default() })
    };
    store.run(new).await.expect("an insert")
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3));
    targets = append, push, replay, encoding, transactions
}
criterion_main!(benches);
