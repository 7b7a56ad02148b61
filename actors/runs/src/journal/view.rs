//! How much of a run's events a reader may see.

use std::sync::Arc;

use futures::future::BoxFuture;
use storage::Store;

use super::Chunk;

/// Checks whether the reader may see the full events at this moment.
pub type FullAccessCheck = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// How much of each event a cursor returns.
#[derive(Clone, Default)]
pub(super) enum View {
    /// The part that every reader of a run may see. Access to more must be granted explicitly.
    #[default]
    Outline,
    /// All events in full, without a permission check.
    Whole,
    /// All events in full for as long as the reader has the permission.
    CachedRight(CachedRight),
}

/// A cached permission that is checked again whenever any permissions may have changed.
#[derive(Clone)]
pub(super) struct CachedRight {
    ask: FullAccessCheck,
    /// The result, and the permission epoch for which it is valid.
    answer: Option<(u64, bool)>,
}

impl View {
    pub fn checked(ask: FullAccessCheck, answer: Option<(u64, bool)>) -> Self {
        Self::CachedRight(CachedRight { ask, answer })
    }

    /// Whether the next chunk may be returned without a new permission check.
    pub fn is_current(&self, store: &Store) -> bool {
        match self {
            Self::Outline | Self::Whole => true,
            Self::CachedRight(checked) => {
                checked.answer.is_some_and(|(epoch, _)| epoch == store.rights_epoch())
            }
        }
    }

    /// Renews the cached permission, if there is one.
    pub async fn check(&mut self, store: &Store) {
        if let Self::CachedRight(CachedRight { ask, answer }) = self {
            // Read before the check: a permission change during the check causes another one.
            let epoch = store.rights_epoch();
            *answer = Some((epoch, ask().await));
        }
    }

    /// Returns the part of the chunk that this reader may see.
    pub fn shown(&self, chunk: Arc<Chunk>) -> Arc<Chunk> {
        match self {
            Self::Whole | Self::CachedRight(CachedRight { answer: Some((_, true)), .. }) => chunk,
            Self::Outline | Self::CachedRight(_) => chunk.outlined(),
        }
    }
}
