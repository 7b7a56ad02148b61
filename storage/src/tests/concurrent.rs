use super::{HERE, Memory, Thing, name_key, store, store_on};
use crate::engine::{Batch, Direction, Engine, KeyRange};
use crate::{Error, Result, Scan, new_id};
use bytes::Bytes;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

fn thing(name: String, amount: i64) -> Thing {
    Thing { name, amount, ..Thing::default() }
}

fn small(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_transfers_preserve_the_sum() {
    let (_dir, store) = store();
    let ids: Arc<Vec<Uuid>> = Arc::new((0..6).map(|_| new_id()).collect());
    for (at, id) in ids.iter().copied().enumerate() {
        store.run(move |tx| tx.insert(HERE, id, thing(format!("{at}"), 100))).await.unwrap();
    }
    let tasks = (0..16u64).map(|task| {
        let (store, ids) = (store.clone(), ids.clone());
        tokio::spawn(async move {
            let mut seed = task;
            for _ in 0..100 {
                let (from, to) = (ids[small(&mut seed, 6) as usize], ids[small(&mut seed, 6) as usize]);
                let by = small(&mut seed, 20) as i64;
                let moved = store.run(move |tx| {
                    let mut row = tx.require::<Thing>(HERE, &from)?;
                    if row.amount < by {
                        return Err(Error::Invalid("poor".into()));
                    }
                    row.amount -= by;
                    tx.update(HERE, row)?;
                    let mut row = tx.require::<Thing>(HERE, &to)?;
                    row.amount += by;
                    tx.update(HERE, row)
                });
                match moved.await {
                    Ok(_) | Err(Error::Invalid(_)) => {}
                    Err(error) => panic!("{error}"),
                }
                // A transaction that only reads sees a consistent snapshot.
                let seen = store
                    .run(|tx| Ok::<_, Error>(tx.scan::<Thing>(HERE, Scan::table())?.items))
                    .await
                    .unwrap();
                assert_eq!(seen.iter().map(|row| row.amount).sum::<i64>(), 600);
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn increments_of_a_contended_row_are_neither_lost_nor_refused() {
    let (_dir, store) = store();
    let id = new_id();
    store.run(move |tx| tx.insert(HERE, id, thing("hot".into(), 0))).await.unwrap();
    let runs = Arc::new(AtomicU64::new(0));
    let tasks = (0..100).map(|_| {
        let (store, runs) = (store.clone(), runs.clone());
        tokio::spawn(async move {
            store
                .run(move |tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    let mut row = tx.require::<Thing>(HERE, &id)?;
                    row.amount += 1;
                    tx.update(HERE, row)
                })
                .await
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    let row = store.read(move |reader| reader.require::<Thing>(HERE, &id)).await.unwrap();
    assert_eq!((row.amount, row.version), (100, 101));
    assert!(runs.load(Ordering::SeqCst) > 100, "there was no conflict, so this shows nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn unique_name_is_given_to_one_of_many_concurrent_writers() {
    let (_dir, store) = store();
    for round in 0..20 {
        let tasks = (0..16).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                store.run(move |tx| tx.insert(HERE, new_id(), thing(format!("name {round}"), 0))).await
            })
        });
        let (mut won, mut lost) = (0, 0);
        for task in tasks.collect::<Vec<_>>() {
            match task.await.unwrap() {
                Ok(_) => won += 1,
                Err(Error::Taken { record: "thing", index: "name" }) => lost += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((won, lost), (1, 15));
    }
    let rows = store.read(|reader| reader.scan::<Thing>(HERE, Scan::table())).await.unwrap();
    assert_eq!(rows.items.len(), 20);
}

/// Commits an additional batch directly after a scan of the index `by_group`.
#[derive(Default)]
struct Meddling {
    memory: Memory,
    batch: Mutex<Option<Batch>>,
}

impl Engine for Meddling {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.memory.get(key)
    }
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>> {
        let found = self.memory.scan(range.clone(), direction, limit);
        if range.start.starts_with(b"x2")
            && let Some(batch) = self.batch.lock().take()
        {
            self.memory.commit(&[batch]);
        }
        found
    }
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>> {
        self.memory.commit(group)
    }
}

#[tokio::test]
async fn index_scan_returns_only_rows_that_still_match_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Arc::new(Meddling::default());
    let store = store_on(engine.clone(), dir.path());
    let ids: Vec<Uuid> = (0..3).map(|_| new_id()).collect();
    for (at, id) in ids.iter().copied().enumerate() {
        let body = Thing { group: 1, ..thing(format!("{at}"), 0) };
        store.run(move |tx| tx.insert(HERE, id, body.clone())).await.unwrap();
    }
    let (moved, gone) = (ids[0], ids[1]);
    let (_, batch, _rings) = store
        .prepare(|tx| {
            let mut row = tx.require::<Thing>(HERE, &moved)?;
            row.group = 2;
            tx.update(HERE, row)?;
            tx.delete::<Thing>(HERE, &gone)
        })
        .unwrap();
    *engine.batch.lock() = Some(batch);
    let scan = || Scan::index("by_group").prefix([1]);
    let page = store.read(move |reader| reader.scan::<Thing>(HERE, scan())).await.unwrap();
    assert_eq!(page.items.iter().map(|row| row.id).collect::<Vec<_>>(), ids[2..]);
}

#[tokio::test]
async fn prepared_transactions_conflict_when_what_they_read_has_changed() {
    let (_dir, store) = store();
    let id = new_id();
    let insert = || store.prepare(|tx| tx.insert(HERE, id, thing("x".into(), 1)));
    let (_, first, _rings) = insert().unwrap();
    let (_, second, _rings) = insert().unwrap();
    store.commit(first).await.unwrap();
    assert!(matches!(store.commit(second).await, Err(Error::Conflict)));
    // It found no row with that name, and another transaction added one.
    let (found, batch, _rings) = store
        .prepare(|tx| {
            tx.insert(HERE, new_id(), thing("z".into(), 1))?;
            tx.by_unique::<Thing>(HERE, "name", &name_key("y"))
        })
        .unwrap();
    assert!(found.is_none());
    // It scanned rows, one of which was changed.
    let (_, scanned, _rings) = store
        .prepare(|tx| {
            tx.insert(HERE, new_id(), thing("w".into(), 1))?;
            tx.scan::<Thing>(HERE, Scan::table())
        })
        .unwrap();
    store
        .run(move |tx| {
            let row = tx.require::<Thing>(HERE, &id)?;
            tx.update(HERE, row)
        })
        .await
        .unwrap();
    assert!(matches!(store.commit(scanned).await, Err(Error::Conflict)));
    store.run(move |tx| tx.insert(HERE, new_id(), thing("y".into(), 1))).await.unwrap();
    assert!(matches!(store.commit(batch).await, Err(Error::Conflict)));
}
