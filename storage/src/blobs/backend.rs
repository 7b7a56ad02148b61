//! The storage of files: a folder or a bucket, with names that contain slashes.

use super::Blob;
#[cfg(feature = "s3")]
use super::bucket::Bucket;
use super::files::{self, LocalFiles};
use crate::error::{Error, Result};
use crate::time::Timestamp;
use bytes::Bytes;
use futures::TryStreamExt;
use std::ops::Range;
use std::path::Path;

/// A file in a listing.
pub(super) struct Object {
    /// The name relative to the listed directory.
    pub name: String,
    /// Length in bytes.
    pub size: u64,
    pub written_at: Timestamp,
}

/// A folder or a bucket.
#[derive(Clone)]
pub(super) enum Backend {
    Files(LocalFiles),
    #[cfg(feature = "s3")]
    Bucket(Bucket),
}

impl Backend {
    /// Stores a file from memory. The file is complete and durable on return, and never visible in part.
    pub async fn put(&self, name: String, bytes: Bytes) -> Result<()> {
        match self {
            Self::Files(files) => files.put(name, bytes).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.put(&name, bytes).await,
        }
    }

    /// Like [`put`](Self::put), but does nothing if a file with this name exists.
    pub async fn put_new(&self, name: String, bytes: Bytes) -> Result<()> {
        match self {
            Self::Files(files) => files.put_new(name, bytes).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.put_new(&name, bytes).await,
        }
    }

    /// Stores a copy of a file of this size, like [`put`](Self::put).
    pub async fn put_file(&self, name: String, from: &Path, size: u64) -> Result<()> {
        match self {
            Self::Files(files) => files.put_file(name, from.to_owned(), size).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.put_file(&name, from, size).await,
        }
    }

    /// Returns the size of a file, if it exists, and makes it durable.
    pub async fn confirm(&self, name: String) -> Result<Option<u64>> {
        match self {
            Self::Files(files) => files.confirm(name).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.size(&name).await,
        }
    }

    /// Returns the size of a file, if it exists.
    pub async fn size(&self, name: String) -> Result<Option<u64>> {
        match self {
            Self::Files(files) => files.size(name).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.size(&name).await,
        }
    }

    /// Opens a file. `Err(NotFound)` if it does not exist.
    pub async fn get(&self, name: String) -> Result<Blob> {
        match self {
            Self::Files(files) => files.get(name, 0..u64::MAX).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.get(&name, None).await,
        }
    }

    /// Opens a non-empty part of a file, up to the end of the file. `Err(NotFound)` if it does not exist.
    pub async fn part(&self, name: String, part: Range<u64>) -> Result<Blob> {
        match self {
            Self::Files(files) => files.get(name, part).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.get(&name, Some(part)).await,
        }
    }

    /// Reads a whole file, if it exists.
    pub async fn read(&self, name: String) -> Result<Option<Vec<u8>>> {
        match self.get(name).await {
            Err(Error::NotFound(_)) => Ok(None),
            found => Ok(Some(found?.bytes.try_collect::<Vec<_>>().await?.concat())),
        }
    }

    /// Deletes a file, if it exists.
    pub async fn delete(&self, name: String) -> Result<()> {
        match self {
            Self::Files(files) => files.delete(name).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.delete(&name).await,
        }
    }

    /// Lists all files below a directory.
    pub async fn list(&self, dir: &str) -> Result<Vec<Object>> {
        match self {
            Self::Files(files) => files.list(dir.to_owned()).await,
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.list(dir).await,
        }
    }

    /// The directories of unfinished files, which a failure leaves behind.
    pub fn unfinished(&self) -> &'static [&'static str] {
        match self {
            Self::Files(_) => &[files::INCOMING],
            #[cfg(feature = "s3")]
            Self::Bucket(_) => &["staging", "incoming"],
        }
    }

    /// The name under which an operator finds a file.
    pub fn shown(&self, name: &str) -> String {
        match self {
            Self::Files(_) => name.to_owned(),
            #[cfg(feature = "s3")]
            Self::Bucket(bucket) => bucket.path(name).to_string(),
        }
    }
}
