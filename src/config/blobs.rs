//! Settings of blob storage.

use serde::Deserialize;
use std::path::PathBuf;

/// The kinds of blob storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlobsKind {
    /// Files in the data folder.
    Files,
    /// Files in another folder.
    Folder,
    /// A bucket of S3 or a compatible service.
    S3,
}

/// `[blobs]`: the storage of files.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlobsConfig {
    /// The kind of storage.
    pub kind: BlobsKind,
    /// The folder, for the kind `folder`.
    pub folder: Option<PathBuf>,
    /// The bucket, for the kind `s3`.
    pub bucket: Option<String>,
    pub region: Option<String>,
    /// The URL of the server, if it is not Amazon's.
    pub endpoint: Option<String>,
    /// The public part of the access key.
    pub access_key_id: Option<String>,
    /// The secret part of the access key.
    pub secret_access_key: Option<String>,
    /// Whether the server may be reached without TLS.
    pub allow_http: bool,
    /// The prefix of object names.
    #[serde(default)]
    pub prefix: String,
}

impl std::fmt::Debug for BlobsConfig {
    /// Omits the credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobsConfig")
            .field("kind", &self.kind)
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

impl BlobsConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        self.store().map(drop)
    }

    /// The settings in the form that the store takes, or an error that names a missing setting.
    pub fn store(&self) -> Result<storage::BlobConfig, String> {
        let needed = |value: &Option<String>, name: &str| {
            value.clone().ok_or_else(|| format!("blobs.{name} is required when blobs.kind is \"s3\""))
        };
        Ok(match self.kind {
            BlobsKind::Files => storage::BlobConfig::Files,
            BlobsKind::Folder => storage::BlobConfig::Folder(
                self.folder.clone().ok_or("blobs.folder is required when blobs.kind is \"folder\"")?,
            ),
            BlobsKind::S3 => storage::BlobConfig::S3 {
                bucket: needed(&self.bucket, "bucket")?,
                region: self.region.clone().unwrap_or_else(|| "us-east-1".to_owned()),
                endpoint: self.endpoint.clone(),
                credential: match (&self.access_key_id, &self.secret_access_key) {
                    (Some(id), Some(secret)) => Some((id.clone(), secret.clone())),
                    (None, None) => None,
                    _ => {
                        return Err(
                            "blobs: access_key_id and secret_access_key must be set together".to_owned()
                        );
                    }
                },
                allow_http: self.allow_http,
                prefix: self.prefix.clone(),
            },
        })
    }
}
