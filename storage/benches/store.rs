//! Throughput of the store: `cargo bench -p storage --bench store [-- part]`. Prints one table.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use storage::accounting;
use storage::journal::{self, JournalEvent};
use storage::records::{Conversation, Message, Part, UsageRecord};
use storage::{Batch, CommitSource, Durability, Error, Scan, Store, StoreOptions, TenantId, new_id};
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(7));
const SPAN: Duration = Duration::from_secs(3);

fn line(what: &str, value: f64, unit: &str) {
    println!("{what:<58} {value:>12.1} {unit}");
}

fn event(seq: u64, bytes: usize) -> JournalEvent {
    JournalEvent { seq, kind: "text.delta".into(), json: Bytes::from(vec![b'x'; bytes]) }
}

fn append(run: Uuid, seq: u64, bytes: usize) -> Batch {
    let mut batch = Batch::new();
    journal::expect_epoch(&mut batch, TENANT, run, 1);
    journal::append(&mut batch, TENANT, run, &[event(seq, bytes)]);
    batch
}

/// Memory of the process in MB, as reported by the kernel.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("0 0");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// CPU seconds that the store's own threads have used, to the hundredth.
fn cpu() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let stats =
        threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    let own = stats.filter(|stat| stat.contains("(committer)") || stat.contains("(sled-io"));
    let ticks = own.flat_map(|stat| {
        let fields: Vec<f64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse().ok())
            .collect();
        fields
    });
    ticks.sum::<f64>() / 100.0
}

/// Prints the rate per second, and the CPU microseconds per operation.
fn rate(what: &str, count: u64, begun: Instant, cpu_before: f64) {
    let each = (cpu() - cpu_before) * 1e6 / count as f64;
    println!(
        "{what:<58} {:>12.1} /s {each:>8.1} us of its threads each",
        count as f64 / begun.elapsed().as_secs_f64()
    );
}

fn options(dir: &std::path::Path) -> StoreOptions {
    StoreOptions::new(dir)
}

fn alone(store: &Store, name: &str) {
    let run = new_id();
    let mut first = Batch::new();
    journal::set_epoch(&mut first, TENANT, run, 1);
    store.commit_blocking(first).unwrap();
    let (begun, before, mut seq) = (Instant::now(), cpu(), 0);
    while begun.elapsed() < SPAN {
        seq += 1;
        store.commit_blocking(append(run, seq, 200)).unwrap();
    }
    rate(name, seq, begun, before);
}

async fn together(store: &Store, writers: usize) {
    let (begun, before) = (Instant::now(), cpu());
    let tasks: Vec<_> = (0..writers)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let run = new_id();
                let mut first = Batch::new();
                journal::set_epoch(&mut first, TENANT, run, 1);
                store.commit(first).await.unwrap();
                let mut seq = 0;
                while begun.elapsed() < SPAN {
                    seq += 1;
                    store.commit(append(run, seq, 200)).await.unwrap();
                }
                seq
            })
        })
        .collect();
    let mut all = 0;
    for task in tasks {
        all += task.await.unwrap();
    }
    rate(&format!("durable appends of 200 B, {writers} writers"), all, begun, before);
}

/// A journal as runs write it: events gather, and the committer takes them.
struct Source {
    run: Uuid,
    gathered: AtomicU64,
    is_waiting: AtomicBool,
    seq: AtomicU64,
    commits: Arc<AtomicU64>,
}

impl CommitSource for Source {
    fn take(&self) -> Option<Batch> {
        self.is_waiting.store(false, Ordering::SeqCst);
        let count = self.gathered.swap(0, Ordering::SeqCst);
        let first = self.seq.fetch_add(count, Ordering::SeqCst);
        let events: Vec<_> = (1..=count).map(|at| event(first + at, 200)).collect();
        let mut batch = Batch::new();
        journal::append(&mut batch, TENANT, self.run, &events);
        (count > 0).then_some(batch)
    }
    fn done(&self, verdict: storage::Result<()>) {
        verdict.unwrap();
        self.commits.fetch_add(1, Ordering::SeqCst);
    }
}

/// Streams at a given pace, to measure the CPU time per event.
async fn streams(store: &Store, streams: usize, each_per_second: u64) {
    let commits = Arc::new(AtomicU64::new(0));
    let sources: Vec<_> = (0..streams)
        .map(|_| {
            let (run, commits) = (new_id(), commits.clone());
            Arc::new(Source { run, gathered: 0.into(), is_waiting: false.into(), seq: 0.into(), commits })
        })
        .collect();
    let (begun, before, mut events) = (Instant::now(), cpu(), 0u64);
    let all = streams as u64 * each_per_second;
    while begun.elapsed() < SPAN {
        let due = (begun.elapsed().as_secs_f64() * all as f64) as u64;
        while events < due {
            let source = &sources[events as usize % streams];
            source.gathered.fetch_add(1, Ordering::SeqCst);
            if !source.is_waiting.swap(true, Ordering::SeqCst) {
                store.commit_soon(source.clone()).unwrap();
            }
            events += 1;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    rate(&format!("events of 200 B, {streams} streams x {each_per_second}/s"), events, begun, before);
    line("    batches of one journal each", commits.load(Ordering::SeqCst) as f64 / SPAN.as_secs_f64(), "/s");
}

async fn rows(store: &Store) {
    let body = Message { parts: vec![Part::Text { text: "y".repeat(2_000) }], ..Message::default() };
    let conversation = new_id();
    store.run(move |tx| tx.insert(TENANT, conversation, Conversation::default())).await.unwrap();
    for writers in [1, 64] {
        let (begun, before) = (Instant::now(), cpu());
        let tasks: Vec<_> = (0..writers)
            .map(|_| {
                let (store, body) = (store.clone(), body.clone());
                tokio::spawn(async move {
                    let mut count = 0;
                    while begun.elapsed() < SPAN {
                        let (id, body) = ((conversation, new_id()), body.clone());
                        store
                            .run(move |tx| {
                                tx.require::<Conversation>(TENANT, &conversation)?;
                                tx.insert(TENANT, id, body.clone())
                            })
                            .await
                            .unwrap();
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        let mut all = 0;
        for task in tasks {
            all += task.await.unwrap();
        }
        let what = format!("transactions that insert a message of 2 KB, {writers} callers");
        rate(&what, all, begun, before);
    }
    let (begun, before, mut count) = (Instant::now(), cpu(), 0);
    while begun.elapsed() < SPAN {
        store.read_now(|reader| reader.require::<Conversation>(TENANT, &conversation)).unwrap();
        count += 1;
    }
    rate("rows read, on the spot", count, begun, before);
    let (begun, before, mut count) = (Instant::now(), cpu(), 0);
    while begun.elapsed() < SPAN {
        store.read(move |reader| reader.require::<Conversation>(TENANT, &conversation)).await.unwrap();
        count += 1;
    }
    rate("rows read, on the blocking pool, one by one", count, begun, before);
    let (begun, before, mut count) = (Instant::now(), cpu(), 0);
    while begun.elapsed() < SPAN {
        let scan = Scan::table().prefix(*conversation.as_bytes()).limit(200);
        let page = store.read_now(|reader| reader.scan::<Message>(TENANT, scan)).unwrap();
        count += page.items.len() as u64;
    }
    rate("rows of 2 KB scanned in pages of 200", count, begun, before);
}

/// Rows that are overwritten repeatedly, and journals that are created and deleted, to measure the growth of the file.
fn churn(store: &Store, file: &std::path::Path) {
    let size = || std::fs::metadata(file).map(|file| file.len() as f64 / 1e6).unwrap_or_default();
    let value = Bytes::from(vec![7; 1_000]);
    let (begun, before, mut count) = (Instant::now(), cpu(), 0u64);
    let mut report = SPAN;
    while begun.elapsed() < SPAN * 6 {
        let told: Vec<_> = (0..100)
            .map(|_| {
                count += 1;
                let mut batch = Batch::new();
                let key = |number: u64| {
                    [b"xy", &number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[..]].concat()
                };
                batch.put(key(count % 10_007), value.clone());
                batch.put([b"xz", &count.to_be_bytes()[..]].concat(), value.clone());
                batch.delete([b"xz", &count.wrapping_sub(10_000).to_be_bytes()[..]].concat());
                store.commit_begin(batch).unwrap()
            })
            .collect();
        for told in told {
            told.blocking_recv().unwrap().unwrap();
        }
        if begun.elapsed() > report {
            line(&format!("    file after {} MB written to 20 MB", 2 * count / 1_000), size(), "MB");
            report += SPAN;
        }
    }
    rate("two rows of 1 KB written, one deleted", count, begun, before);
}

fn replay(store: &Store, run: Uuid, what: &str) {
    let (begun, mut bytes) = (Instant::now(), 0);
    while begun.elapsed() < SPAN {
        let mut after = 0;
        loop {
            let events = store.journal_read(TENANT, run, after, 256 << 10).unwrap();
            let Some(last) = events.last() else { break };
            after = last.seq;
            bytes += events.iter().map(|event| event.json.len()).sum::<usize>();
        }
    }
    line(what, bytes as f64 / 1e6 / begun.elapsed().as_secs_f64(), "MB/s");
}

fn large(store: &Store) {
    let begun = Instant::now();
    let value = Bytes::from(vec![7; 1 << 20]);
    for number in 0..64u32 {
        let mut batch = Batch::new();
        batch.put([b"xx", &number.to_be_bytes()[..]].concat(), value.clone());
        store.commit_blocking(batch).unwrap();
    }
    line("values of 1 MiB written", 64.0 * 1.048 / begun.elapsed().as_secs_f64(), "MB/s");
}

/// The cost of recording a use of a model: its usage record, and the sums and the ledger entry that include it.
async fn books(store: &Store) {
    for (name, booked) in [("records of uses alone, 64 writers", false), ("uses booked, 64 writers", true)] {
        let (begun, before) = (Instant::now(), cpu());
        let writers = (0..64).map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut all = 0;
                while begun.elapsed() < SPAN {
                    let record = UsageRecord {
                        ts: storage::Timestamp::now(),
                        user: Uuid::from_u128(writer % 16),
                        model: "acme/large".into(),
                        kind: "chat".into(),
                        cost_nanos: 1_000,
                        billable: true,
                        ..UsageRecord::default()
                    };
                    let write = move |tx: &mut storage::Tx| match booked {
                        true => accounting::book(tx, TENANT, record.clone()),
                        false => tx.insert(TENANT, new_id(), record.clone()).map(drop),
                    };
                    store.run::<_, Error>(write).await.unwrap();
                    all += 1;
                }
                all
            })
        });
        let mut all = 0;
        for writer in writers.collect::<Vec<_>>() {
            all += writer.await.unwrap();
        }
        rate(name, all, begun, before);
    }
}

fn main() {
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| part.is_empty() || part == name;
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let before = resident();
    let store = Store::open(options(dir.path())).unwrap();
    line("memory of an empty store, beside the process's own", resident() - before, "MB");
    if wanted("commit") {
        alone(&store, "durable append of 200 B, one after the other");
        for writers in [8, 64, 512] {
            runtime.block_on(together(&store, writers));
        }
    }
    if wanted("streams") {
        for (count, each) in [(50, 100), (500, 100), (500, 200)] {
            runtime.block_on(streams(&store, count, each));
        }
    }
    if wanted("power") {
        let dir = tempfile::tempdir().unwrap();
        let store =
            Store::open(StoreOptions { durability: Durability::Power, ..options(dir.path()) }).unwrap();
        alone(&store, "durable append of 200 B, one after the other, power-safe");
    }
    if wanted("rows") {
        runtime.block_on(rows(&store));
    }
    if wanted("books") {
        runtime.block_on(books(&store));
    }
    if wanted("large") {
        large(&store);
    }
    if wanted("churn") {
        churn(&store, &dir.path().join("engine/db"));
    }
    let run = new_id();
    for part in 0..2_000 {
        let events: Vec<_> = (1..=40).map(|seq| event(part * 40 + seq, 200)).collect();
        let mut batch = Batch::new();
        journal::append(&mut batch, TENANT, run, &events);
        store.commit_blocking(batch).unwrap();
    }
    if wanted("replay") {
        replay(&store, run, "journal of 16 MB replayed, from the page cache");
    }
    line("memory at the end", resident(), "MB");
    let size: u64 =
        std::fs::metadata(dir.path().join("engine/db")).map(|file| file.len()).unwrap_or_default();
    line("database file", size as f64 / 1e6, "MB");
    drop(store);
    let begun = Instant::now();
    let store = Store::open(options(dir.path())).unwrap();
    line("opening it again", begun.elapsed().as_millis() as f64, "ms");
    store.read_now::<_, Error>(|_| Ok(())).unwrap();
    if wanted("replay") {
        replay(&store, run, "journal of 16 MB replayed, after opening");
    }
    drop(store);
    let begun = Instant::now();
    drop(Store::open(options(dir.path())).unwrap());
    line("opening and closing it once more", begun.elapsed().as_millis() as f64, "ms");
}
