//! Blobs in a bucket of S3 or a compatible service.

use super::backend::Object;
use super::{Blob, BlobConfig, PIECE};
use crate::disk_space::is_full;
use crate::error::{Error, OpenError, Result};
use crate::time::Timestamp;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as ObjectPath;
use object_store::signer::{Method, Signer};
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, WriteMultipart};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Largest file, in bytes, that is read as a whole and sent in one request.
const AT_ONCE: u64 = 4 << 20;

/// A bucket, or the part of it below a prefix. Cheap to clone.
#[derive(Clone)]
pub(super) struct Bucket {
    s3: Arc<AmazonS3>,
    /// The prefix of the names of all objects: empty, or with a trailing slash.
    prefix: Arc<str>,
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(at) = cause {
            if at.downcast_ref::<std::io::Error>().is_some_and(is_full) {
                return Self::Full;
            }
            cause = at.source();
        }
        match error {
            object_store::Error::NotFound { .. } => Self::NotFound("blob"),
            other => Self::Io(std::io::Error::other(other)),
        }
    }
}

impl Bucket {
    /// Creates the client for a configured bucket. Does not connect.
    ///
    /// # Errors
    /// Returns an error if the configuration is of another kind or inconsistent.
    pub fn open(config: &BlobConfig) -> Result<Self, OpenError> {
        let BlobConfig::S3 { bucket, region, endpoint, credential, allow_http, prefix } = config else {
            return Err(OpenError::Blobs("not a bucket".into()));
        };
        // The client needs a default cryptography provider. If one is already installed, it is kept.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder =
            AmazonS3Builder::new().with_bucket_name(bucket).with_region(region).with_allow_http(*allow_http);
        if let Some(endpoint) = endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some((key, secret)) = credential {
            builder = builder.with_access_key_id(key).with_secret_access_key(secret);
        }
        let s3 = builder.build().map_err(|error| OpenError::Blobs(error.to_string()))?;
        let prefix = match prefix.trim_matches('/') {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        Ok(Self { s3: Arc::new(s3), prefix: prefix.into() })
    }

    pub fn path(&self, name: &str) -> ObjectPath {
        ObjectPath::from(format!("{}{name}", self.prefix))
    }

    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<()> {
        self.s3.put(&self.path(name), bytes.into()).await?;
        Ok(())
    }

    pub async fn put_new(&self, name: &str, bytes: Bytes) -> Result<()> {
        let only_new = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.s3.put_opts(&self.path(name), bytes.clone().into(), only_new).await {
            Ok(_)
            | Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(())
            }
            Err(object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. }) => {
                self.put(name, bytes).await
            }
            Err(error) => Err(error.into()),
        }
    }

    pub async fn put_file(&self, name: &str, from: &Path, size: u64) -> Result<()> {
        if size <= AT_ONCE {
            return self.put(name, tokio::fs::read(from).await?.into()).await;
        }
        let upload = self.s3.put_multipart(&self.path(name)).await?;
        let mut upload = WriteMultipart::new(upload);
        let mut file = tokio::fs::File::open(from).await?;
        let mut piece = vec![0; PIECE];
        loop {
            let read = file.read(&mut piece).await?;
            if read == 0 {
                break;
            }
            upload.wait_for_capacity(4).await?;
            upload.write(&piece[..read]);
        }
        upload.finish().await?;
        Ok(())
    }

    pub async fn size(&self, name: &str) -> Result<Option<u64>> {
        match self.s3.head(&self.path(name)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub async fn get(&self, name: &str, part: Option<Range<u64>>) -> Result<Blob> {
        let options = GetOptions::new().with_range(part);
        let found = self.s3.get_opts(&self.path(name), options).await?;
        let size = found.range.end - found.range.start;
        Ok(Blob { size, bytes: found.into_stream().map_err(Error::from).boxed() })
    }

    pub async fn delete(&self, name: &str) -> Result<()> {
        match self.s3.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub async fn list(&self, dir: &str) -> Result<Vec<Object>> {
        let dir = self.path(dir);
        let mut found = Vec::new();
        let mut all = self.s3.list(Some(&dir));
        while let Some(meta) = all.next().await.transpose()? {
            let Some(rest) = meta.location.prefix_match(&dir) else { continue };
            let parts: Vec<_> = rest.collect();
            let name = parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join("/");
            let written_at = Timestamp::from_millis(meta.last_modified.timestamp_millis());
            found.push(Object { name, size: meta.size, written_at });
        }
        Ok(found)
    }

    pub async fn copy(&self, from: &str, to: &str) -> Result<()> {
        Ok(self.s3.copy(&self.path(from), &self.path(to)).await?)
    }

    /// A URL that accepts an object by PUT, from any client that has the URL, for a limited time.
    pub async fn signed_put_url(&self, name: &str, valid: Duration) -> Result<String> {
        Ok(self.s3.signed_url(Method::PUT, &self.path(name), valid).await?.to_string())
    }
}
