//! Extracts the text of files.

use std::path::Path;
use std::sync::Arc;

use futures::TryStreamExt;
use knowledge::{ExtractError, Extracted, Hint};
use storage::{BlobId, TenantId};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;

use super::Library;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    File(#[from] ExtractError),
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl ReadError {
    /// Stable machine-readable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File(why) => why.kind.code(),
            Self::Storage(_) => "storage",
        }
    }
}

impl Library {
    /// Extracts the text of a stored file.
    pub async fn read_file(
        &self,
        tenant: TenantId,
        blob: &BlobId,
        hint: &Hint,
    ) -> Result<Extracted, ReadError> {
        let copy = self.copy(tenant, blob).await?;
        Ok(self.read_path(copy.path(), hint).await?)
    }

    /// Performs [`read_file`](Self::read_file), or returns its recent result from the cache.
    pub async fn text_of(
        &self,
        tenant: TenantId,
        blob: &BlobId,
        hint: &Hint,
    ) -> Result<Arc<Extracted>, ReadError> {
        let key = (tenant, blob.clone(), hint.clone());
        if let Some(text) = self.0.lately.find(&key) {
            return Ok(text);
        }
        let text = Arc::new(self.read_file(tenant, blob, hint).await?);
        self.0.lately.insert(key, text.clone());
        Ok(text)
    }

    /// Extracts the text of a file on this machine.
    pub async fn read_path(&self, path: &Path, hint: &Hint) -> Result<Extracted, ExtractError> {
        self.0.extractor.extract(path, hint).await
    }

    /// Copies a file to a temporary local one, because blobs may be stored elsewhere.
    async fn copy(&self, tenant: TenantId, blob: &BlobId) -> storage::Result<NamedTempFile> {
        let mut pieces = self.0.store.blobs().get(tenant, blob).await?.bytes;
        let dir = self.0.store.dir().join("uploads");
        let copied = tasks::blocking(move || {
            std::fs::create_dir_all(&dir)?;
            NamedTempFile::new_in(&dir)
        });
        let file = copied.await.map_err(std::io::Error::other)??;
        let mut to = tokio::fs::File::from_std(file.reopen()?);
        while let Some(piece) = pieces.try_next().await? {
            to.write_all(&piece).await?;
        }
        to.flush().await?;
        Ok(file)
    }
}
