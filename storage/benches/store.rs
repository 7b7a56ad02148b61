//! What the store carries: `cargo bench -p storage --bench store [-- part]`. Prints one table.

use bytes::Bytes;
use std::time::{Duration, Instant};
use storage::journal::{self, JournalEvent};
use storage::records::{Conversation, Message, Part};
use storage::{Batch, Durability, Error, Scan, Store, StoreOptions, TenantId, new_id};
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

/// Memory of the process in MB, as the kernel counts it.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("0 0");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

fn options(dir: &std::path::Path) -> StoreOptions {
    StoreOptions::new(dir)
}

fn alone(store: &Store, name: &str) {
    let run = new_id();
    let mut first = Batch::new();
    journal::set_epoch(&mut first, TENANT, run, 1);
    store.commit_blocking(first).unwrap();
    let (begun, mut seq) = (Instant::now(), 0);
    while begun.elapsed() < SPAN {
        seq += 1;
        store.commit_blocking(append(run, seq, 200)).unwrap();
    }
    line(name, begun.elapsed().as_micros() as f64 / seq as f64, "us a step");
}

async fn together(store: &Store, writers: usize) {
    let begun = Instant::now();
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
    line(
        &format!("durable appends of 200 B, {writers} writers"),
        all as f64 / begun.elapsed().as_secs_f64(),
        "/s",
    );
}

async fn rows(store: &Store) {
    let body = Message { parts: vec![Part::Text { text: "y".repeat(2_000) }], ..Message::default() };
    let conversation = new_id();
    store.run(move |tx| tx.insert(TENANT, conversation, Conversation::default())).await.unwrap();
    for writers in [1, 64] {
        let begun = Instant::now();
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
        line(&what, f64::from(all) / begun.elapsed().as_secs_f64(), "/s");
    }
    let (begun, mut count) = (Instant::now(), 0u64);
    while begun.elapsed() < SPAN {
        store.read_now(|reader| reader.require::<Conversation>(TENANT, &conversation)).unwrap();
        count += 1;
    }
    line("rows read, on the spot", count as f64 / begun.elapsed().as_secs_f64(), "/s");
    let (begun, mut count) = (Instant::now(), 0u64);
    while begun.elapsed() < SPAN {
        store.read(move |reader| reader.require::<Conversation>(TENANT, &conversation)).await.unwrap();
        count += 1;
    }
    line("rows read, on the blocking pool, one by one", count as f64 / begun.elapsed().as_secs_f64(), "/s");
    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < SPAN {
        let scan = Scan::table().prefix(*conversation.as_bytes()).limit(200);
        let page = store.read_now(|reader| reader.scan::<Message>(TENANT, scan)).unwrap();
        count += page.items.len();
    }
    line("rows of 2 KB scanned in pages of 200", count as f64 / begun.elapsed().as_secs_f64(), "/s");
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
    if wanted("power") {
        let dir = tempfile::tempdir().unwrap();
        let store =
            Store::open(StoreOptions { durability: Durability::Power, ..options(dir.path()) }).unwrap();
        alone(&store, "durable append of 200 B, one after the other, power-safe");
    }
    if wanted("rows") {
        runtime.block_on(rows(&store));
    }
    if wanted("large") {
        large(&store);
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
