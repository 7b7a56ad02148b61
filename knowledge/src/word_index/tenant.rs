//! The open index of one tenant.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex as Lock;
use tantivy::{IndexWriter, TantivyError};
use tokio::sync::{Mutex, OnceCell, oneshot};

use super::folder::{self, Open};
use super::write::write;
use super::{IndexError, Layout, fault};

/// The time for which a writer, which takes memory and two threads, is kept after its last commit.
const IDLE: Duration = Duration::from_secs(5);

/// Changes waiting for a commit, with the sender of their result.
struct Waiting<L: Layout> {
    changes: Vec<L::Change>,
    done: oneshot::Sender<Result<(), IndexError>>,
}

/// The index of one tenant, opened on first use.
pub(super) struct Tenant<L: Layout> {
    folder: PathBuf,
    open: OnceCell<Arc<Open<L>>>,
    waiting: Lock<Vec<Waiting<L>>>,
    writer: Arc<Mutex<Option<IndexWriter>>>,
    /// Incremented with every commit.
    commits: AtomicU64,
    /// Whether an error requires that this instance is no longer used.
    given_up: AtomicBool,
}

impl<L: Layout> Tenant<L> {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            open: OnceCell::new(),
            waiting: Lock::default(),
            writer: Arc::default(),
            commits: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
        }
    }

    /// Returns the open index; `lost` is called if its previous content had to be deleted.
    pub(super) async fn open(&self, lost: impl FnOnce()) -> Result<Arc<Open<L>>, IndexError> {
        let begin = || async {
            let folder = self.folder.clone();
            let opening = tasks::blocking(move || folder::open(&folder));
            let (open, is_recreated) = opening.await.map_err(fault)??;
            if is_recreated {
                lost();
            }
            Ok(Arc::new(open))
        };
        self.open.get_or_try_init(begin).await.cloned()
    }

    /// Applies changes, together with other waiting changes.
    pub(super) async fn apply(
        self: Arc<Self>,
        open: Arc<Open<L>>,
        changes: Vec<L::Change>,
    ) -> Result<(), IndexError> {
        let (done, result) = oneshot::channel();
        self.waiting.lock().push(Waiting { changes, done });
        // Run in a separate task: a caller that drops its future must not cancel the changes of others.
        tasks::spawn(self.commit(open));
        result.await.unwrap_or_else(|_| Err(IndexError("a commit failed".to_owned())))
    }

    async fn commit(self: Arc<Self>, open: Arc<Open<L>>) {
        let mut writer = Arc::clone(&self.writer).lock_owned().await;
        let waiting = std::mem::take(&mut *self.waiting.lock());
        if waiting.is_empty() {
            return;
        }
        let (mut changes, mut callers) = (Vec::new(), Vec::new());
        for one in waiting {
            changes.extend(one.changes);
            callers.push(one.done);
        }
        let result = if self.given_up.load(Ordering::Acquire) {
            Err(IndexError("it was damaged and is being rebuilt; try again".to_owned()))
        } else {
            let work = tasks::blocking(move || write(&open, &mut writer, &changes));
            match work.await {
                Ok(Ok(())) => Ok(()),
                // A lock held by another writing process is not damage.
                Ok(Err(error @ TantivyError::LockFailure(..))) => Err(fault(error)),
                Ok(Err(error)) => self.fail(fault(error)),
                Err(broken) => self.fail(fault(broken)),
            }
        };
        for caller in callers {
            let _ = caller.send(result.clone());
        }
        let commits = self.commits.fetch_add(1, Ordering::AcqRel) + 1;
        tasks::spawn(close_when_idle(Arc::downgrade(&self), commits));
    }

    /// Requires the index to be checked before it is used again. The writer has been dropped.
    fn fail(&self, error: IndexError) -> Result<(), IndexError> {
        self.given_up.store(true, Ordering::Release);
        Err(error)
    }

    /// Closes the writer permanently. The index has to be opened again by another instance.
    pub(super) async fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
        let mut writer = Arc::clone(&self.writer).lock_owned().await;
        let closing = tasks::blocking(move || drop(writer.take()));
        if let Err(broken) = closing.await {
            tracing::warn!(%broken, "the writer of a word index failed while it was closed");
        }
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Acquire)
    }
}

/// Closes the writer unless there is another commit within the idle time.
async fn close_when_idle<L: Layout>(tenant: std::sync::Weak<Tenant<L>>, commits: u64) {
    tokio::time::sleep(IDLE).await;
    let Some(tenant) = tenant.upgrade().filter(|t| t.commits.load(Ordering::Acquire) == commits) else {
        return;
    };
    let mut writer = Arc::clone(&tenant.writer).lock_owned().await;
    if tenant.commits.load(Ordering::Acquire) != commits {
        return;
    }
    let open = tenant.open.get().cloned();
    let closing = tasks::blocking(move || {
        if let Some(writer) = writer.take() {
            writer.wait_merging_threads()?;
        }
        // Releases the files that were merged.
        open.map_or(Ok(()), |open| open.reader.reload())
    });
    if let Ok(Err(error)) = closing.await {
        tracing::warn!(%error, "a word index was not closed cleanly");
    }
}
