//! The list of groups that a directory offers.

use domain::{Code, Refusal};
use providers::directory::{DirectoryError, DirectoryErrorKind, ListedGroup};
use storage::records::{DirectoryGroup, DirectorySource};
use storage::{Row, Scan, Store, TenantId, Timestamp};
use uuid::Uuid;

use super::directories::Directories;
use super::source;

/// Maximum number of rows that one transaction writes.
const BATCH: usize = 500;

/// The result of fetching the list of groups.
#[derive(Clone, Copy, Debug)]
pub struct Refreshed {
    /// Number of groups that the directory offers.
    pub groups: u64,
    /// The time of the fetch.
    pub at: Timestamp,
}

/// Why the list was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// No directory is configured.
    #[error("there is no directory")]
    NoDirectory,
    /// The list is already being fetched.
    #[error("the list is being fetched")]
    Running,
    /// The directory was replaced during the fetch.
    #[error("the directory was changed during the fetch")]
    Changed,
    /// The directory did not respond, or responded with an error.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Directories {
    /// Fetches the list of groups of a tenant's directory and replaces the old list as a whole. Continues even if the caller is
    /// dropped.
    ///
    /// # Errors
    /// Returns the reason why the old list was not replaced.
    pub async fn refresh(&self, tenant: TenantId) -> Result<Refreshed, RefreshError> {
        let held = self.fetching(tenant).ok_or(RefreshError::Running)?;
        let this = self.clone();
        let fetched = tasks::spawn(async move {
            let fetched = tokio::time::timeout(this.config().time_limit, this.fetch(tenant)).await;
            drop(held);
            fetched
        });
        let late = || {
            let (kind, message) =
                (DirectoryErrorKind::Timeout, "the directory took too long to return its list".into());
            RefreshError::Directory(DirectoryError { kind, message })
        };
        let fetched = fetched.await.map_err(|why| storage::Error::Engine(why.to_string()))?;
        fetched.unwrap_or_else(|_| Err(late()))
    }

    async fn fetch(&self, tenant: TenantId) -> Result<Refreshed, RefreshError> {
        let limits = self.config().limits;
        let opened = self.store().read(move |reader| source::open(reader, tenant, limits)).await?;
        let (source, directory) = opened.ok_or(RefreshError::NoDirectory)?;
        let listed = match directory {
            Ok(directory) => directory.groups().await,
            Err(why) => Err(why),
        };
        let listed = listed.and_then(|groups| match groups.is_empty() {
            // A directory without groups is most likely broken or misconfigured.
            true => Err(empty()),
            false => Ok(groups),
        });
        match listed {
            Ok(groups) => self.replace(tenant, &source, groups).await,
            Err(why) => {
                let message = why.message.clone();
                let noted = move |source: &mut DirectorySource| source.refresh_error = Some(message.clone());
                note(self.store(), tenant, source.set_at, noted).await?;
                Err(why.into())
            }
        }
    }

    async fn replace(
        &self,
        tenant: TenantId,
        source: &Row<DirectorySource>,
        groups: Vec<ListedGroup>,
    ) -> Result<Refreshed, RefreshError> {
        let (offer, count, at) = (Uuid::now_v7(), groups.len() as u64, Timestamp::now());
        let mut groups = groups.into_iter().filter(|group| !group.id.is_empty() && group.id.len() <= 512);
        loop {
            let some: Vec<ListedGroup> = groups.by_ref().take(BATCH).collect();
            if some.is_empty() {
                break;
            }
            self.store()
                .run(move |tx| {
                    for ListedGroup { id, name, description, members } in some.clone() {
                        // A repeated id denotes the same group.
                        if tx.get::<DirectoryGroup>(tenant, &(offer, id.clone()))?.is_none() {
                            let row = DirectoryGroup { name, description, member_count: members };
                            tx.insert(tenant, (offer, id), row)?;
                        }
                    }
                    Ok::<_, storage::Error>(())
                })
                .await?;
        }
        let swapped = move |source: &mut DirectorySource| {
            (source.offer, source.offered) = (Some(offer), count);
            (source.refreshed_at, source.refresh_error) = (Some(at), None);
        };
        let swapped = note(self.store(), tenant, source.set_at, swapped).await?;
        sweep(self.store(), tenant).await?;
        match swapped {
            true => Ok(Refreshed { groups: count, at }),
            false => Err(RefreshError::Changed),
        }
    }
}

fn empty() -> DirectoryError {
    let message = "the directory lists no groups at all, which is not plausible".to_owned();
    DirectoryError { kind: DirectoryErrorKind::Incomplete, message }
}

/// Updates the directory's row. Returns false if the directory was replaced in the meantime.
async fn note(
    store: &Store,
    tenant: TenantId,
    set_at: Timestamp,
    change: impl Fn(&mut DirectorySource) + Send + 'static,
) -> storage::Result<bool> {
    let write = move |tx: &mut storage::Tx| {
        let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
        let Some(mut source) = source.filter(|source| source.set_at == set_at) else { return Ok(false) };
        change(&mut source.body);
        tx.update(tenant, source)?;
        Ok::<_, storage::Error>(true)
    };
    store.run(write).await
}

/// Removes all lists except the current one.
pub(super) async fn sweep(store: &Store, tenant: TenantId) -> storage::Result<()> {
    let mut after = None;
    loop {
        let from = after.take();
        let next = store
            .run(move |tx| {
                let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
                let offer = source.and_then(|source| source.offer);
                let page =
                    tx.scan::<DirectoryGroup>(tenant, Scan::table().limit(BATCH).after(from.clone()))?;
                for row in page.items.iter().filter(|row| Some(row.id.0) != offer) {
                    tx.delete::<DirectoryGroup>(tenant, &row.id)?;
                }
                Ok::<_, storage::Error>(page.next)
            })
            .await?;
        match next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}

impl From<RefreshError> for Refusal {
    fn from(why: RefreshError) -> Self {
        match why {
            RefreshError::NoDirectory => Code::NoDirectory.into(),
            RefreshError::Running => {
                Self::new(Code::Conflict).detail("the list is being fetched already").retry_after(5)
            }
            RefreshError::Changed => {
                Self::new(Code::Conflict).detail("the directory was changed during the fetch")
            }
            RefreshError::Directory(why) => {
                Self::new(Code::DirectoryFailed).detail(why.message).extra("reason", why.kind.code())
            }
            RefreshError::Storage(why) => why.into(),
        }
    }
}
