//! The list of groups that a directory offers.

use domain::{Code, Refusal};
use providers::directory::{DirectoryError, DirectoryErrorKind, ListedGroup};
use storage::records::{DirectoryGroup, DirectorySource};
use storage::{Row, Scan, Store, TenantId, Timestamp};
use uuid::Uuid;

use super::directories::Directories;
use super::source;

/// Rows that one transaction writes.
const TOGETHER: usize = 500;

/// The list, fetched again.
#[derive(Clone, Copy, Debug)]
pub struct Refreshed {
    /// Groups that the directory offers.
    pub groups: u64,
    /// When they were fetched.
    pub at: Timestamp,
}

/// Why the list stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// No directory is configured.
    #[error("there is no directory")]
    NoDirectory,
    /// It is being fetched.
    #[error("the list is being fetched")]
    Running,
    /// The directory was changed during the fetch.
    #[error("the directory was changed during the fetch")]
    Changed,
    /// The directory did not answer.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Directories {
    /// Fetches the list of groups of a tenant's directory, and puts it in the place of the old one as a whole.
    /// It goes on where the caller goes away.
    ///
    /// # Errors
    /// Why the old one stays.
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
                (DirectoryErrorKind::Timeout, "the directory took too long over its list".into());
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
            // One without any group is as good as broken.
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
            let some: Vec<ListedGroup> = groups.by_ref().take(TOGETHER).collect();
            if some.is_empty() {
                break;
            }
            self.store()
                .run(move |tx| {
                    for ListedGroup { id, name, description, members } in some.clone() {
                        // The same id twice is one group.
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
    let message = "the directory lists no groups at all, which is not believed".to_owned();
    DirectoryError { kind: DirectoryErrorKind::Incomplete, message }
}

/// Writes the directory's row, unless it is another directory by now.
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

/// Removes all lists but the one that holds.
pub(super) async fn sweep(store: &Store, tenant: TenantId) -> storage::Result<()> {
    let mut after = None;
    loop {
        let from = after.take();
        let next = store
            .run(move |tx| {
                let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
                let offer = source.and_then(|source| source.offer);
                let page =
                    tx.scan::<DirectoryGroup>(tenant, Scan::table().limit(TOGETHER).after(from.clone()))?;
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
