use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use knowledge::{DocKey, Matrix, Quantized, VectorCache};
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

use super::doc;

const BASE: Uuid = Uuid::from_u128(1);
const PLENTY: usize = 1 << 30;
const VECTOR: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

fn one() -> Vec<(u32, Quantized)> {
    vec![(0, Quantized::new(&VECTOR))]
}

fn holding(documents: &[DocKey]) -> Matrix {
    let mut matrix = Matrix::new(4);
    documents.iter().for_each(|document| matrix.push(*document, 0, &Quantized::new(&VECTOR)));
    matrix
}

async fn read(matrix: Matrix) -> Result<Matrix, Infallible> {
    Ok(matrix)
}

/// The cached documents, without loading; `None` if nothing is cached.
async fn held(cache: &VectorCache, base: Uuid) -> Option<Vec<DocKey>> {
    let vectors = cache.get(base, 1, async { Err(()) }).await.ok()?;
    Some(vectors.search(&VECTOR, 100, |_| true).iter().map(|hit| hit.document).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn get_loads_once_for_concurrent_callers() {
    let cache = VectorCache::new(PLENTY);
    let (reads, begun) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let ask = || {
        let (cache, reads, begun) = (cache.clone(), Arc::clone(&reads), Arc::clone(&begun));
        tokio::spawn(async move {
            let load = async {
                reads.fetch_add(1, Ordering::SeqCst);
                begun.notified().await;
                read(holding(&[doc(1)])).await
            };
            cache.get(BASE, 1, load).await.unwrap().len()
        })
    };
    let callers: Vec<_> = (0..20).map(|_| ask()).collect();
    begun.notify_one();
    for caller in callers {
        assert_eq!(caller.await.unwrap(), 1);
    }
    assert_eq!(reads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn get_lets_another_caller_load_after_a_failure() {
    let cache = VectorCache::new(PLENTY);
    assert_eq!(held(&cache, BASE).await, None);
    {
        let mut leaving = Box::pin(cache.get(BASE, 1, std::future::pending::<Result<Matrix, Infallible>>()));
        assert!(futures::poll!(&mut leaving).is_pending());
        cache.add(BASE, 1, doc(9), one());
        let mut waiting = Box::pin(cache.get(BASE, 1, read(holding(&[doc(1)]))));
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(leaving);
        // The change preceded this load, so the loaded data is expected to contain it.
        assert_eq!(waiting.await.unwrap().len(), 1);
    }
    assert_eq!(held(&cache, BASE).await, Some(vec![doc(1)]));
}

#[tokio::test]
async fn get_applies_changes_made_while_loading() {
    let cache = VectorCache::new(PLENTY);
    let (send, received) = oneshot::channel::<Matrix>();
    let mut reading = Box::pin(cache.get(BASE, 1, received));
    assert!(futures::poll!(&mut reading).is_pending());
    // The loaded data already contains the first change and the removal, but not the others.
    cache.add(BASE, 1, doc(2), one());
    cache.remove(BASE, doc(1));
    cache.add(BASE, 1, doc(3), one());
    cache.remove(BASE, doc(4));
    send.send(holding(&[doc(2), doc(4), doc(5)])).unwrap();
    let vectors = reading.await.unwrap();
    let found: Vec<DocKey> = vectors.search(&VECTOR, 9, |_| true).iter().map(|hit| hit.document).collect();
    assert_eq!(found, [doc(2), doc(3), doc(5)]);
    cache.add(BASE, 1, doc(5), one());
    cache.add(BASE, 2, doc(6), one());
    cache.remove(BASE, doc(2));
    assert_eq!(held(&cache, BASE).await, Some(vec![doc(3), doc(5)]));
}

#[tokio::test]
async fn forget_evicts_matrices_and_versions_are_separate() {
    let cache = VectorCache::new(PLENTY);
    cache.get(BASE, 1, read(holding(&[doc(1)]))).await.unwrap();
    let second = cache.get(BASE, 2, read(holding(&[doc(1), doc(2)]))).await.unwrap();
    assert_eq!((held(&cache, BASE).await, second.len()), (Some(vec![doc(1)]), 2));
    cache.forget(BASE);
    assert_eq!((held(&cache, BASE).await, cache.bytes()), (None, 0));
    assert_eq!(second.len(), 2, "a matrix in use stays valid");
    // Evicted while it is being loaded: the caller receives the matrix, but it is not cached.
    let (send, received) = oneshot::channel::<Matrix>();
    let mut reading = Box::pin(cache.get(BASE, 1, received));
    assert!(futures::poll!(&mut reading).is_pending());
    cache.forget(BASE);
    send.send(holding(&[doc(1)])).unwrap();
    assert_eq!(reading.await.unwrap().len(), 1);
    assert_eq!(held(&cache, BASE).await, None);
}

#[tokio::test]
async fn cache_evicts_the_least_recently_used() {
    let documents: Vec<DocKey> = (0..100).map(doc).collect();
    let bytes = {
        let cache = VectorCache::new(PLENTY);
        cache.get(BASE, 1, read(holding(&documents))).await.unwrap();
        cache.bytes()
    };
    assert!(bytes >= 100 * 4);
    let cache = VectorCache::new(bytes * 2);
    let bases: Vec<Uuid> = (1..=3).map(Uuid::from_u128).collect();
    for base in &bases[..2] {
        cache.get(*base, 1, read(holding(&documents))).await.unwrap();
    }
    assert!(held(&cache, bases[0]).await.is_some());
    cache.get(bases[2], 1, read(holding(&documents))).await.unwrap();
    assert!(held(&cache, bases[1]).await.is_none(), "the second was used least lately");
    assert!(held(&cache, bases[0]).await.is_some() && held(&cache, bases[2]).await.is_some());
    assert!(cache.bytes() <= bytes * 2);
    // A matrix that grows beyond the budget evicts the others, and finally itself.
    for number in 100..2_000 {
        cache.add(bases[0], 1, doc(number), one());
    }
    assert!(cache.bytes() <= bytes * 2);
    let small = VectorCache::new(1);
    assert_eq!(small.get(BASE, 1, read(holding(&documents))).await.unwrap().len(), 100);
    assert_eq!((held(&small, BASE).await, small.bytes()), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cache_converges_after_concurrent_changes() {
    let cache = VectorCache::new(PLENTY);
    // The stored documents. The cache is informed after each change, as it requires.
    let written = Arc::new(parking_lot::Mutex::new(std::collections::BTreeSet::<DocKey>::new()));
    let workers = (0..8u128).map(|worker| {
        let (cache, written) = (cache.clone(), Arc::clone(&written));
        tokio::spawn(async move {
            for round in 0..50u128 {
                let document = doc(worker * 1000 + round);
                written.lock().insert(document);
                cache.add(BASE, 1, document, one());
                let load = async {
                    let documents: Vec<DocKey> = written.lock().iter().copied().collect();
                    tokio::task::yield_now().await;
                    read(holding(&documents)).await
                };
                cache.get(BASE, 1, load).await.unwrap();
                if round % 3 == 0 {
                    written.lock().remove(&document);
                    cache.remove(BASE, document);
                }
                if worker == 0 && round % 10 == 5 {
                    cache.forget(BASE);
                }
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    let vectors = cache.get(BASE, 1, read(Matrix::new(4))).await.unwrap();
    let mut found: Vec<DocKey> =
        vectors.search(&VECTOR, 9_999, |_| true).iter().map(|hit| hit.document).collect();
    found.sort_unstable();
    assert_eq!(found, written.lock().iter().copied().collect::<Vec<_>>());
}
