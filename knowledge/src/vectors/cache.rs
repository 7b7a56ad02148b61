//! The matrices in use, within a memory budget.
//!
//! A matrix is loaded on first use. Changes that occur while it is being loaded are recorded and applied afterwards: a
//! change that the loaded data already contains has no effect when applied again, and a change that it does not contain
//! is not lost. Callers must therefore store a change before they report it to this cache.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::Mutex as Gate;
use uuid::Uuid;

use super::{Matrix, Quantized};
use crate::hit::{DocKey, Hit};

/// Matrices by knowledge base and version of its index. Cheap to clone.
#[derive(Clone)]
pub struct VectorCache {
    shared: Arc<Shared>,
}

struct Shared {
    /// The total memory limit of all matrices in bytes.
    limit: usize,
    cached: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    slots: HashMap<(Uuid, u32), Slot>,
    /// Incremented with every use.
    clock: u64,
}

#[derive(Clone)]
struct Slot {
    inner: Arc<Inner>,
    used: u64,
}

#[derive(Default)]
struct Inner {
    /// Held by the caller that loads the matrix.
    gate: Gate<()>,
    state: Mutex<State>,
    /// The size of the matrix, which can be read without waiting.
    bytes: AtomicUsize,
}

#[derive(Default)]
enum State {
    #[default]
    Unread,
    /// The changes since loading began.
    Reading(Vec<Update>),
    Ready(Arc<Vectors>),
}

/// A matrix that can change concurrently. Cheap to share.
pub struct Vectors {
    matrix: RwLock<Matrix>,
}

/// A change of a matrix. Changes are idempotent.
enum Update {
    Add(DocKey, Vec<(u32, Quantized)>),
    Remove(DocKey),
}

impl Vectors {
    /// Searches like [`Matrix::search`].
    pub fn search(&self, query: &[f32], limit: usize, accept: impl Fn(&DocKey) -> bool) -> Vec<Hit> {
        self.matrix.read().search(query, limit, accept)
    }

    /// The number of passages.
    pub fn len(&self) -> usize {
        self.matrix.read().len()
    }

    /// Whether the matrix contains no passages.
    pub fn is_empty(&self) -> bool {
        self.matrix.read().is_empty()
    }

    fn bytes(&self) -> usize {
        self.matrix.read().bytes()
    }

    fn make(&self, update: &Update) {
        let mut matrix = self.matrix.write();
        match update {
            Update::Add(document, vectors) => {
                let held: HashSet<u32> = matrix.numbers(document).collect();
                for (number, vector) in vectors.iter().filter(|(number, _)| !held.contains(number)) {
                    matrix.push(*document, *number, vector);
                }
            }
            Update::Remove(document) => matrix.remove(document),
        }
    }
}

impl VectorCache {
    /// Creates an empty cache that holds matrices of at most `limit` bytes in total. A larger matrix is loaded again
    /// for each caller.
    pub fn new(limit: usize) -> Self {
        Self { shared: Arc::new(Shared { limit, cached: Mutex::default() }) }
    }

    /// Returns the matrix of a version of a knowledge base. If it is not cached, `load` loads it. Of concurrent
    /// callers, one loads the matrix and all receive it. If that caller is dropped or fails, another waiting caller
    /// loads it.
    ///
    /// # Errors
    /// The errors of `load`.
    pub async fn get<E, F>(&self, base: Uuid, version: u32, load: F) -> Result<Arc<Vectors>, E>
    where
        F: Future<Output = Result<Matrix, E>>,
    {
        let key = (base, version);
        let inner = self.shared.cached.lock().used(key);
        if let Some(vectors) = inner.ready() {
            return Ok(vectors);
        }
        let gate = inner.gate.lock().await;
        if let Some(vectors) = inner.ready() {
            return Ok(vectors);
        }
        let reading = Reading::begin(&inner);
        let read = load.await.map(|matrix| reading.end(matrix));
        drop(gate);
        match &read {
            Ok(_) => self.shared.cached.lock().make_room(key, self.shared.limit),
            Err(_) => self.shared.cached.lock().drop_unread(&key, inner),
        }
        read
    }

    /// Adds passages of a document to a matrix if it is cached or being loaded. A passage that is already present
    /// remains unchanged.
    pub fn add(&self, base: Uuid, version: u32, document: DocKey, vectors: Vec<(u32, Quantized)>) {
        let key = (base, version);
        let slot = self.shared.cached.lock().slots.get(&key).cloned();
        if let Some(slot) = slot {
            slot.inner.make(Update::Add(document, vectors));
            self.shared.cached.lock().make_room(key, self.shared.limit);
        }
    }

    /// Removes one generation of a document from all matrices of a knowledge base.
    pub fn remove(&self, base: Uuid, document: DocKey) {
        let of = |((of, _), slot): (&(Uuid, u32), &Slot)| (*of == base).then(|| Arc::clone(&slot.inner));
        let slots: Vec<Arc<Inner>> = self.shared.cached.lock().slots.iter().filter_map(of).collect();
        slots.iter().for_each(|inner| inner.make(Update::Remove(document)));
    }

    /// Evicts all matrices of a knowledge base. Callers that hold one can continue to use it.
    pub fn forget(&self, base: Uuid) {
        self.shared.cached.lock().slots.retain(|(of, _), _| *of != base);
    }

    /// The total size of the matrices in bytes.
    pub fn bytes(&self) -> usize {
        self.shared.cached.lock().bytes()
    }
}

impl Slots {
    /// Returns the slot of a key, and marks it as the most recently used.
    fn used(&mut self, key: (Uuid, u32)) -> Arc<Inner> {
        self.clock += 1;
        let slot = self.slots.entry(key).or_insert_with(|| Slot { inner: Arc::default(), used: 0 });
        slot.used = self.clock;
        Arc::clone(&slot.inner)
    }

    fn bytes(&self) -> usize {
        self.slots.values().map(|slot| slot.inner.bytes.load(Ordering::Relaxed)).sum()
    }

    /// Evicts the least recently used matrices, and the current one last.
    fn make_room(&mut self, current: (Uuid, u32), limit: usize) {
        while self.bytes() > limit {
            let read = self.slots.iter().filter(|(_, slot)| slot.inner.bytes.load(Ordering::Relaxed) > 0);
            let oldest = read.min_by_key(|(key, slot)| (**key == current, slot.used));
            let Some(key) = oldest.map(|(key, _)| *key) else {
                return;
            };
            self.slots.remove(&key);
        }
    }

    /// Removes a slot whose load failed and that has no other waiter.
    fn drop_unread(&mut self, key: &(Uuid, u32), inner: Arc<Inner>) {
        let ours = self.slots.get(key).is_some_and(|slot| Arc::ptr_eq(&slot.inner, &inner));
        // The references of the map and of the caller.
        if ours && Arc::strong_count(&inner) <= 2 {
            self.slots.remove(key);
        }
    }
}

impl Inner {
    fn ready(&self) -> Option<Arc<Vectors>> {
        match &*self.state.lock() {
            State::Ready(vectors) => Some(Arc::clone(vectors)),
            State::Unread | State::Reading(_) => None,
        }
    }

    /// Applies a change now, or records it until the matrix has been loaded.
    fn make(&self, update: Update) {
        let vectors = match &mut *self.state.lock() {
            State::Unread => return,
            State::Reading(noted) => return noted.push(update),
            State::Ready(vectors) => Arc::clone(vectors),
        };
        // Outside of the lock, because it waits for running searches.
        vectors.make(&update);
        self.bytes.store(vectors.bytes(), Ordering::Relaxed);
    }
}

/// A caller that loads a matrix. Dropping it before its end resets the slot.
struct Reading<'a>(&'a Inner);

impl<'a> Reading<'a> {
    fn begin(inner: &'a Inner) -> Self {
        *inner.state.lock() = State::Reading(Vec::new());
        Self(inner)
    }

    /// Applies the changes that were recorded while loading.
    fn end(self, mut matrix: Matrix) -> Arc<Vectors> {
        matrix.shrink();
        let vectors = Arc::new(Vectors { matrix: RwLock::new(matrix) });
        let mut state = self.0.state.lock();
        if let State::Reading(noted) = &mut *state {
            noted.iter().for_each(|update| vectors.make(update));
        }
        self.0.bytes.store(vectors.bytes(), Ordering::Relaxed);
        *state = State::Ready(Arc::clone(&vectors));
        drop(state);
        vectors
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        if matches!(*state, State::Reading(_)) {
            *state = State::Unread;
        }
    }
}
