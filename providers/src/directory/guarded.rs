//! Wraps a directory whose client library may panic on malformed responses.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures::FutureExt;

use super::{Changes, Directory, DirectoryError, GroupMembers, ListedGroup};

/// Converts panics to errors: a server that violates its protocol fails a request, not the task that sent it.
pub(super) struct Guarded<D>(pub D);

#[async_trait]
impl<D: Directory> Directory for Guarded<D> {
    async fn test(&self) -> Result<(), DirectoryError> {
        guard(self.0.test()).await
    }

    async fn groups(&self) -> Result<Vec<ListedGroup>, DirectoryError> {
        guard(self.0.groups()).await
    }

    async fn roll(&self, id: &str) -> Result<Option<GroupMembers>, DirectoryError> {
        guard(self.0.roll(id)).await
    }

    async fn has_groups(&self) -> Result<bool, DirectoryError> {
        guard(self.0.has_groups()).await
    }

    async fn changes(&self, since: Option<&str>) -> Result<Changes, DirectoryError> {
        guard(self.0.changes(since)).await
    }
}

async fn guard<T>(request: impl Future<Output = Result<T, DirectoryError>>) -> Result<T, DirectoryError> {
    AssertUnwindSafe(request).catch_unwind().await.unwrap_or_else(|_| {
        Err(DirectoryError::failed("the directory sent something that breaks its protocol"))
    })
}
