//! A cache of journal pieces that were recently read from disk.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use storage::TenantId;
use uuid::Uuid;

use super::Chunk;

/// Maximum size of all pieces in bytes: their events, and the same amount again for one encoding.
const LIMIT: usize = 8 * 1024 * 1024;

/// Several readers of one run often follow each other through its journal: each piece is read, parsed and encoded only for the
/// first of them.
pub(super) struct RecentPieces(Mutex<Pieces>);

/// A tenant, a run, and the sequence number of the event before the piece.
type Place = (TenantId, Uuid, u64);

struct Pieces {
    pieces: LruCache<Place, Arc<Chunk>>,
    bytes: usize,
}

impl Default for RecentPieces {
    fn default() -> Self {
        Self(Mutex::new(Pieces { pieces: LruCache::unbounded(), bytes: 0 }))
    }
}

impl RecentPieces {
    pub fn get(&self, place: Place) -> Option<Arc<Chunk>> {
        self.0.lock().pieces.get(&place).cloned()
    }

    /// Adds a piece whose events are durable. They do not change for as long as the run exists.
    pub fn add(&self, place: Place, piece: &Arc<Chunk>) {
        let mut guard = self.0.lock();
        let Pieces { pieces, bytes } = &mut *guard;
        *bytes += piece.weight();
        let replaced = pieces.put(place, piece.clone());
        *bytes -= replaced.map_or(0, |piece| piece.weight());
        while *bytes > LIMIT
            && let Some((_, oldest)) = pieces.pop_lru()
        {
            *bytes -= oldest.weight();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Event;
    use super::*;

    #[test]
    fn pieces_stay_within_their_limit() {
        let recent = RecentPieces::default();
        let (tenant, run) = (TenantId(Uuid::now_v7()), Uuid::now_v7());
        let event = Event { seq: 1, kind: "text.delta".into(), json: vec![b'x'; 1 << 20].into() };
        let piece = Arc::new(Chunk::new(vec![event]));
        for after in 0..10 {
            recent.add((tenant, run, after), &piece);
            recent.add((tenant, run, after), &piece);
            assert!(recent.0.lock().bytes <= LIMIT);
        }
        assert!(recent.get((tenant, run, 9)).is_some());
        assert!(recent.get((tenant, run, 0)).is_none());
        assert!(recent.get((TenantId(Uuid::now_v7()), run, 9)).is_none());
    }
}
