//! Which installation a bucket or a folder of blobs belongs to.
//!
//! A sweep deletes what no row of *this* installation needs. Two installations on one bucket would delete each other's
//! files, so the first one leaves a mark, and any other is refused.

use crate::error::{Error, Result};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;

const MARK: &str = "understudy-owner.json";

#[derive(Serialize, Deserialize)]
struct Mark {
    installation: Uuid,
}

/// Whether files may be deleted.
#[derive(Debug, Default)]
pub(crate) struct Owner {
    installation: OnceLock<Uuid>,
    is_verified: AtomicBool,
}

impl Owner {
    /// Says that no other installation can reach the files.
    pub fn is_alone(&self) {
        self.is_verified.store(true, Ordering::Release);
    }

    /// Says who may delete files, once that is verified.
    pub fn belongs_to(&self, installation: Uuid) {
        // The first one stays: an open store does not change its id.
        let _ = self.installation.set(installation);
    }

    /// Puts this installation's mark where there is none.
    ///
    /// # Errors
    /// `Invalid` when the files are another installation's; others when they cannot be reached.
    pub async fn claim(&self, store: &dyn ObjectStore, prefix: &str, installation: Uuid) -> Result<()> {
        let installation = *self.installation.get_or_init(|| installation);
        let path = Path::from(format!("{prefix}{MARK}"));
        if read(store, &path).await?.is_none() {
            let mark = serde_json::to_vec(&Mark { installation }).map_err(std::io::Error::from)?;
            let only_new = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            match store.put_opts(&path, mark.clone().into(), only_new).await {
                // The first owner is read below.
                Ok(_)
                | Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) =>
                    {}
                Err(
                    object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. },
                ) => {
                    store.put(&path, mark.into()).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        match read(store, &path).await? {
            Some(owner) if owner == installation => {
                self.is_verified.store(true, Ordering::Release);
                Ok(())
            }
            owner => {
                let owner = owner.map_or_else(|| "unknown".to_owned(), |owner| owner.to_string());
                Err(Error::Invalid(format!(
                    "the files at {path} belong to another installation ({owner}; this one is {installation}). Two \
                     installations would delete each other's files: give each a bucket, a folder or a blobs.prefix of \
                     its own. If the other one is gone for good, delete {path}"
                )))
            }
        }
    }

    /// Makes sure that the files are this installation's before one is deleted.
    ///
    /// # Errors
    /// As [`claim`](Self::claim), and `Invalid` before that was called.
    pub async fn check(&self, store: &dyn ObjectStore, prefix: &str) -> Result<()> {
        if self.is_verified.load(Ordering::Acquire) {
            return Ok(());
        }
        match self.installation.get() {
            Some(installation) => self.claim(store, prefix, *installation).await,
            None => Err(Error::Invalid("the owner of the files is unknown, so none is deleted".into())),
        }
    }
}

async fn read(store: &dyn ObjectStore, path: &Path) -> Result<Option<Uuid>> {
    let bytes = match store.get(path).await {
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        found => found?.bytes().await?,
    };
    let mark: Mark = serde_json::from_slice(&bytes)
        .map_err(|error| Error::Corrupt(format!("{path} does not name the owner of the files: {error}")))?;
    Ok(Some(mark.installation))
}
