//! The installation that owns a bucket or a folder of blobs.
//!
//! A sweep deletes files that no row of *this* installation needs. Two installations on one bucket would delete each
//! other's files, so the first one writes a mark, and any other is refused.

use super::backend::Backend;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;

const MARK: &str = "understudy-owner.json";

#[derive(Serialize, Deserialize)]
struct Mark {
    installation: Uuid,
}

/// Whether this installation may delete files.
#[derive(Debug, Default)]
pub(crate) struct Owner {
    installation: OnceLock<Uuid>,
    is_verified: AtomicBool,
}

impl Owner {
    /// Declares that no other installation can access the files.
    pub fn is_alone(&self) {
        self.is_verified.store(true, Ordering::Release);
    }

    /// Sets the installation that may delete files, once its ownership is verified.
    pub fn belongs_to(&self, installation: Uuid) {
        // A second call has no effect: an open store does not change its id.
        let _ = self.installation.set(installation);
    }

    /// Writes this installation's mark if there is none.
    ///
    /// # Errors
    /// `Invalid` if the files belong to another installation; other errors if they cannot be reached.
    pub async fn claim(&self, backend: &Backend, installation: Uuid) -> Result<()> {
        let installation = *self.installation.get_or_init(|| installation);
        if read(backend).await?.is_none() {
            let mark = serde_json::to_vec(&Mark { installation }).map_err(std::io::Error::from)?;
            // If another installation writes its mark first, the read below finds it.
            backend.put_new(MARK.to_owned(), mark.into()).await?;
        }
        match read(backend).await? {
            Some(owner) if owner == installation => {
                self.is_verified.store(true, Ordering::Release);
                Ok(())
            }
            owner => {
                let path = backend.shown(MARK);
                let owner = owner.map_or_else(|| "unknown".to_owned(), |owner| owner.to_string());
                Err(Error::Invalid(format!(
                    "the files at {path} belong to another installation ({owner}; this one is {installation}). Two \
                     installations would delete each other's files: give each a bucket, a folder or a blobs.prefix of \
                     its own. If the other one is gone for good, delete {path}"
                )))
            }
        }
    }

    /// Verifies that the files belong to this installation, before one is deleted.
    ///
    /// # Errors
    /// The errors of [`claim`](Self::claim), and `Invalid` if no installation is set.
    pub async fn check(&self, backend: &Backend) -> Result<()> {
        if self.is_verified.load(Ordering::Acquire) {
            return Ok(());
        }
        match self.installation.get() {
            Some(installation) => self.claim(backend, *installation).await,
            None => Err(Error::Invalid("the owner of the files is unknown, so none is deleted".into())),
        }
    }
}

async fn read(backend: &Backend) -> Result<Option<Uuid>> {
    let Some(bytes) = backend.read(MARK.to_owned()).await? else { return Ok(None) };
    let mark: Mark = serde_json::from_slice(&bytes).map_err(|error| {
        Error::Corrupt(format!("{} does not name the owner of the files: {error}", backend.shown(MARK)))
    })?;
    Ok(Some(mark.installation))
}
