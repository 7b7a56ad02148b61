//! How much of a run a reader is shown.

use std::sync::Arc;

use futures::future::BoxFuture;
use storage::Store;

use super::Chunk;

/// Asks whether the reader may see everything at this moment.
pub type MaySeeAll = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// What a cursor gives of each event.
#[derive(Clone, Default)]
pub(super) enum View {
    /// What every reader of a run may see. A reader of more has to be given it explicitly.
    #[default]
    Outline,
    /// Everything.
    Whole,
    /// Everything for as long as the reader may see it.
    CachedRight(CachedRight),
}

/// A right that is checked again whenever anyone's rights may have changed.
#[derive(Clone)]
pub(super) struct CachedRight {
    ask: MaySeeAll,
    /// The answer, and the epoch of rights that it holds for.
    answer: Option<(u64, bool)>,
}

impl View {
    pub fn checked(ask: MaySeeAll, answer: Option<(u64, bool)>) -> Self {
        Self::CachedRight(CachedRight { ask, answer })
    }

    /// Whether nothing has to be asked before the next chunk is given.
    pub fn is_current(&self, store: &Store) -> bool {
        match self {
            Self::Outline | Self::Whole => true,
            Self::CachedRight(checked) => {
                checked.answer.is_some_and(|(epoch, _)| epoch == store.rights_epoch())
            }
        }
    }

    /// Asks what has to be asked.
    pub async fn check(&mut self, store: &Store) {
        if let Self::CachedRight(CachedRight { ask, answer }) = self {
            // Read before the question: a change in between is asked about again.
            let epoch = store.rights_epoch();
            *answer = Some((epoch, ask().await));
        }
    }

    /// The chunk as this reader sees it.
    pub fn shown(&self, chunk: Arc<Chunk>) -> Arc<Chunk> {
        match self {
            Self::Whole | Self::CachedRight(CachedRight { answer: Some((_, true)), .. }) => chunk,
            Self::Outline | Self::CachedRight(_) => chunk.outlined(),
        }
    }
}
