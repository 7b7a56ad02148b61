//! The matrices that are in use, within a budget of memory.
//!
//! A matrix is read from elsewhere when it is first asked for. What changes while it is being read is
//! noted and done to it afterwards: a change that was in what was read already does nothing the second
//! time, and one that was not is not lost. So callers write down a change first and tell it here then.

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
    /// Bytes that all matrices may take.
    limit: usize,
    cached: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    slots: HashMap<(Uuid, u32), Slot>,
    /// Goes up with every use.
    clock: u64,
}

#[derive(Clone)]
struct Slot {
    inner: Arc<Inner>,
    used: u64,
}

#[derive(Default)]
struct Inner {
    /// Held by the one who reads.
    gate: Gate<()>,
    state: Mutex<State>,
    /// What the matrix takes, so that it can be read without waiting.
    bytes: AtomicUsize,
}

#[derive(Default)]
enum State {
    #[default]
    Unread,
    /// With what has changed since the reading began.
    Reading(Vec<Update>),
    Ready(Arc<Vectors>),
}

/// A matrix that others may change. Cheap to share.
pub struct Vectors {
    matrix: RwLock<Matrix>,
}

/// A change of a matrix. Doing it twice is as doing it once.
enum Update {
    Add(DocKey, Vec<(u32, Quantized)>),
    Remove(DocKey),
}

impl Vectors {
    /// Searches as [`Matrix::search`] does.
    pub fn search(&self, query: &[f32], limit: usize, accept: impl Fn(&DocKey) -> bool) -> Vec<Hit> {
        self.matrix.read().search(query, limit, accept)
    }

    /// The number of passages.
    pub fn len(&self) -> usize {
        self.matrix.read().len()
    }

    /// Whether there are none.
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
    /// An empty cache that holds matrices of `limit` bytes together. A larger matrix is read from disk for
    /// each caller.
    pub fn new(limit: usize) -> Self {
        Self { shared: Arc::new(Shared { limit, cached: Mutex::default() }) }
    }

    /// The matrix of a version of a knowledge base. If it is not here, `load` reads it; of those who ask
    /// at once one reads and all get what it read. If the reader gives up or fails, another who
    /// waits reads.
    ///
    /// # Errors
    /// What `load` says.
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

    /// Adds passages of a document to a matrix, if it is here or being read. A passage that is in it
    /// already stays as it is.
    pub fn add(&self, base: Uuid, version: u32, document: DocKey, vectors: Vec<(u32, Quantized)>) {
        let key = (base, version);
        let slot = self.shared.cached.lock().slots.get(&key).cloned();
        if let Some(slot) = slot {
            slot.inner.make(Update::Add(document, vectors));
            self.shared.cached.lock().make_room(key, self.shared.limit);
        }
    }

    /// Takes one building of a document out of all matrices of a knowledge base.
    pub fn remove(&self, base: Uuid, document: DocKey) {
        let of = |((of, _), slot): (&(Uuid, u32), &Slot)| (*of == base).then(|| Arc::clone(&slot.inner));
        let slots: Vec<Arc<Inner>> = self.shared.cached.lock().slots.iter().filter_map(of).collect();
        slots.iter().for_each(|inner| inner.make(Update::Remove(document)));
    }

    /// Lets go of all matrices of a knowledge base. Those who hold one keep it as it is.
    pub fn forget(&self, base: Uuid) {
        self.shared.cached.lock().slots.retain(|(of, _), _| *of != base);
    }

    /// Bytes that the matrices take.
    pub fn bytes(&self) -> usize {
        self.shared.cached.lock().bytes()
    }
}

impl Slots {
    /// The slot of a key, as the one that was used last.
    fn used(&mut self, key: (Uuid, u32)) -> Arc<Inner> {
        self.clock += 1;
        let slot = self.slots.entry(key).or_insert_with(|| Slot { inner: Arc::default(), used: 0 });
        slot.used = self.clock;
        Arc::clone(&slot.inner)
    }

    fn bytes(&self) -> usize {
        self.slots.values().map(|slot| slot.inner.bytes.load(Ordering::Relaxed)).sum()
    }

    /// Lets go of what was not used for longest, and at last of the one that is in use now.
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
        // The map's, and the caller's.
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

    /// Makes a change now, or has it made when the matrix has been read.
    fn make(&self, update: Update) {
        let vectors = match &mut *self.state.lock() {
            State::Unread => return,
            State::Reading(noted) => return noted.push(update),
            State::Ready(vectors) => Arc::clone(vectors),
        };
        // Out of the lock, since it waits for those who search.
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

    /// Makes the changes that came in the meantime.
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
