//! Blobs that a sweep spares although no row refers to them.

use super::BlobId;
use crate::ids::TenantId;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a blob may exist before a row refers to it.
pub(super) const GRACE: Duration = Duration::from_secs(3600);
/// Number of recently stored blobs that are remembered.
const RECENT_MAX: usize = 50_000;

/// Blobs that were stored within the last hour.
#[derive(Default)]
pub(super) struct Recent {
    put: HashMap<(TenantId, BlobId), Instant>,
    /// The time until which all blobs are spared, because more were stored than can be remembered.
    all_until: Option<Instant>,
    copies: Copies,
}

impl Recent {
    /// Shares the count of copies that are in progress.
    pub fn new(copies: Copies) -> Self {
        Self { copies, ..Self::default() }
    }

    pub fn note(&mut self, name: (TenantId, BlobId)) {
        if self.put.len() >= RECENT_MAX {
            self.forget();
        }
        if self.put.len() >= RECENT_MAX {
            self.put.clear();
            self.all_until = Some(Instant::now() + GRACE);
        }
        self.put.insert(name, Instant::now());
    }

    fn forget(&mut self) {
        self.put.retain(|_, put| put.elapsed() < GRACE);
        self.all_until = self.all_until.filter(|until| *until > Instant::now());
    }

    pub fn spares(&mut self, name: &(TenantId, BlobId)) -> bool {
        self.forget();
        self.copies.any() || self.all_until.is_some() || self.put.contains_key(name)
    }
}

/// Counts the copies of all blobs that are in progress. During a copy, no sweep deletes a blob: rows that were copied
/// earlier may refer to blobs that no row needs any more.
#[derive(Clone, Default)]
pub(super) struct Copies(Arc<AtomicUsize>);

impl Copies {
    pub fn begin(&self) -> CopyGuard {
        self.0.fetch_add(1, Ordering::SeqCst);
        CopyGuard(self.clone())
    }

    fn any(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

/// Prevents sweeps from deleting anything until it is dropped.
pub(crate) struct CopyGuard(Copies);

impl Drop for CopyGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blobs;
    use uuid::Uuid;

    fn name(number: usize) -> (TenantId, BlobId) {
        (TenantId(Uuid::from_u128(1)), Blobs::id_of(&number.to_be_bytes()))
    }

    #[test]
    fn recent_remembers_blobs_up_to_a_limit_and_spares_all_above_it() {
        let mut recent = Recent::default();
        for number in 0..RECENT_MAX {
            recent.note(name(number));
        }
        assert!(recent.spares(&name(0)) && !recent.spares(&name(RECENT_MAX)));
        recent.note(name(RECENT_MAX));
        assert!(recent.put.len() <= RECENT_MAX);
        assert!(recent.spares(&name(0)) && recent.spares(&name(usize::MAX)));
    }

    #[test]
    fn recent_spares_all_blobs_during_a_copy() {
        let copies = Copies::default();
        let mut recent = Recent::new(copies.clone());
        let (first, second) = (copies.begin(), copies.begin());
        drop(first);
        assert!(recent.spares(&name(1)));
        drop(second);
        assert!(!recent.spares(&name(1)));
    }
}
