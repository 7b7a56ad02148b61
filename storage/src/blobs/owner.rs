//! Which installation a bucket or a folder of blobs belongs to.
//!
//! A sweep deletes what no row of *this* installation needs. Two installations on one bucket would delete each other's
//! files, so the first one leaves a mark, and any other is refused.

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
    pub async fn claim(&self, backend: &Backend, installation: Uuid) -> Result<()> {
        let installation = *self.installation.get_or_init(|| installation);
        if read(backend).await?.is_none() {
            let mark = serde_json::to_vec(&Mark { installation }).map_err(std::io::Error::from)?;
            // If another one comes first, that is read below.
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

    /// Makes sure that the files are this installation's before one is deleted.
    ///
    /// # Errors
    /// As [`claim`](Self::claim), and `Invalid` before that was called.
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
