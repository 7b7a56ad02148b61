//! Files, addressed by their content.
//!
//! ```text
//! <prefix>/blobs/<tenant>/<aa>/<sha256>    the files
//! <prefix>/understudy-owner.json           which installation may delete them; not in the data folder itself
//! <prefix>/staging/<tenant>/<upload>       what clients send to a signed address, unverified
//! <prefix>/incoming/<id>                   a copy of that, while it is verified
//! ```
//!
//! A file is synced to the disk, with its directory, before it is reported as kept: rows that name it may follow.

use crate::error::{Error, OpenError, Result};
use crate::ids::TenantId;
use crate::owner::Owner;
use crate::room::is_full;
use crate::time::Timestamp;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
#[cfg(feature = "s3")]
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::local::LocalFileSystem;
use object_store::path::Path as BlobPath;
#[cfg(feature = "s3")]
use object_store::signer::Signer;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, WriteMultipart};
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use utoipa::ToSchema;
use uuid::Uuid;

/// Bytes read, hashed and sent at once.
const PIECE: usize = 256 << 10;
/// Bytes of the largest file that is read whole and sent in one request.
const AT_ONCE: u64 = 4 << 20;

/// The id of a blob: the SHA-256 of its bytes, in 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, ToSchema)]
#[serde(transparent)]
pub struct BlobId(String);

impl BlobId {
    /// Reads an id. `Err(Invalid)` when it is none.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() != 64 || !digits {
            return Err(Error::Invalid("not the id of a blob".into()));
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn from_digest(digest: &[u8]) -> Self {
        Self(HEXLOWER.encode(digest))
    }

    /// The SHA-256 of the content, in hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BlobId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Where blobs are kept.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum BlobConfig {
    /// In the folder `blobs` of the data folder.
    #[default]
    Files,
    /// Files in a folder outside of the data folder.
    Folder(PathBuf),
    /// In a bucket of S3 or its kin.
    S3 {
        /// Name of the bucket.
        bucket: String,
        /// The region, or any word where there are none.
        region: String,
        /// The address of a server other than Amazon's.
        endpoint: Option<String>,
        /// Both halves of the credential; without it, the machine's own role.
        credential: Option<(String, String)>,
        /// Whether `http` is allowed, for servers on the same machine.
        allow_http: bool,
        /// Where the names of objects begin, for a bucket with other content; empty for all of it.
        prefix: String,
    },
}

impl fmt::Debug for BlobConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files => f.write_str("Files"),
            Self::Folder(dir) => f.debug_tuple("Folder").field(dir).finish(),
            // Without the credential.
            Self::S3 { bucket, region, endpoint, prefix, .. } => f
                .debug_struct("S3")
                .field("prefix", prefix)
                .field("bucket", bucket)
                .field("region", region)
                .field("endpoint", endpoint)
                .finish(),
        }
    }
}

/// How long a blob may be there before a row names it.
const GRACE: Duration = Duration::from_secs(3600);
/// How long what came to a signed address is kept: longer than any address is valid and any upload is waited for.
const STAGED: Duration = Duration::from_secs(24 * 3600);

/// A store whose addresses can be signed for others.
#[cfg(feature = "s3")]
type SigningStore = AmazonS3;
#[cfg(not(feature = "s3"))]
type SigningStore = std::convert::Infallible;

/// The blobs of an open store.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    s3: Option<Arc<SigningStore>>,
    /// What the names of all objects begin with; empty, or with a slash at its end.
    prefix: Arc<str>,
    /// Recently stored blobs, which no row may name yet; a sweep spares them. The lock is held from the check of
    /// this map to the deletion, so that a blob that is about to be deleted is never taken for stored.
    recent: Arc<tokio::sync::Mutex<Recent>>,
    owner: Arc<Owner>,
}

/// How many blobs are remembered as put lately.
const RECENT_MAX: usize = 50_000;

/// Blobs that were put within the last hour.
#[derive(Default)]
struct Recent {
    put: HashMap<(TenantId, BlobId), Instant>,
    /// Until when every blob is spared, because more were put than are remembered.
    all_until: Option<Instant>,
}

impl Recent {
    fn note(&mut self, name: (TenantId, BlobId)) {
        if self.put.len() >= RECENT_MAX {
            self.forget();
        }
        if self.put.len() >= RECENT_MAX {
            self.put.clear();
            self.all_until = Some(Instant::now() + GRACE);
        }
        self.put.insert(name, Instant::now());
    }

    fn forget(&mut self) {
        self.put.retain(|_, put| put.elapsed() < GRACE);
        self.all_until = self.all_until.filter(|until| *until > Instant::now());
    }

    fn spares(&mut self, name: &(TenantId, BlobId)) -> bool {
        self.forget();
        self.all_until.is_some() || self.put.contains_key(name)
    }
}

/// A blob in the list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobEntry {
    pub tenant: TenantId,
    pub id: BlobId,
    /// Length in bytes.
    pub size: u64,
    /// When it was written.
    pub written_at: Timestamp,
}

/// A blob that is being read.
pub struct Blob {
    /// Length in bytes.
    pub size: u64,
    /// The content, in chunks.
    pub bytes: BoxStream<'static, Result<Bytes>>,
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

impl Blobs {
    pub(crate) fn open(config: &BlobConfig, dir: &Path) -> Result<Self, OpenError> {
        let failed = |error: &dyn fmt::Display| OpenError::Blobs(error.to_string());
        let folder = match config {
            BlobConfig::Files => dir.to_owned(),
            BlobConfig::Folder(other) => other.clone(),
            #[cfg(not(feature = "s3"))]
            BlobConfig::S3 { .. } => {
                return Err(failed(&"S3 is not part of this build, which lacks the feature `s3`"));
            }
            #[cfg(feature = "s3")]
            BlobConfig::S3 { bucket, region, endpoint, credential, allow_http, prefix } => {
                // The client wants a provider of cryptography; an earlier one stays.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let mut builder = AmazonS3Builder::new()
                    .with_bucket_name(bucket)
                    .with_region(region)
                    .with_allow_http(*allow_http);
                if let Some(endpoint) = endpoint {
                    builder = builder.with_endpoint(endpoint);
                }
                if let Some((key, secret)) = credential {
                    builder = builder.with_access_key_id(key).with_secret_access_key(secret);
                }
                let s3 = Arc::new(builder.build().map_err(|error| failed(&error))?);
                let prefix = match prefix.trim_matches('/') {
                    "" => String::new(),
                    prefix => format!("{prefix}/"),
                };
                return Ok(Self {
                    store: s3.clone(),
                    s3: Some(s3),
                    prefix: prefix.into(),
                    recent: Arc::default(),
                    owner: Arc::default(),
                });
            }
        };
        std::fs::create_dir_all(folder.join("blobs")).map_err(|error| failed(&error))?;
        std::fs::File::open(&folder)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| failed(&error))?;
        let files = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(&error))?;
        let owner = Owner::default();
        if *config == BlobConfig::Files {
            // No other process has the data folder open.
            owner.is_alone();
        }
        Ok(Self {
            store: Arc::new(files.with_fsync(true)),
            s3: None,
            prefix: "".into(),
            recent: Arc::default(),
            owner: Arc::new(owner),
        })
    }

    /// Says whose files these are; that is verified before one is deleted.
    pub(crate) fn belongs_to(&self, installation: Uuid) {
        self.owner.belongs_to(installation);
    }

    fn path(&self, tenant: TenantId, id: &BlobId) -> BlobPath {
        BlobPath::from(format!("{}blobs/{tenant}/{}/{id}", self.prefix, &id.0[..2]))
    }

    fn staging(&self, tenant: TenantId, upload: Uuid) -> BlobPath {
        BlobPath::from(format!("{}staging/{tenant}/{upload}", self.prefix))
    }

    /// Marks the bucket or folder as this installation's. Until that has succeeded, nothing in it is deleted.
    ///
    /// # Errors
    /// `Invalid` when it is another installation's; others when it cannot be reached.
    pub(crate) async fn claim(&self, installation: Uuid) -> Result<()> {
        self.owner.claim(&*self.store, &self.prefix, installation).await
    }

    /// Keeps a copy of a file; tells its id and its size in bytes. A file that is kept already
    /// is not written again.
    pub async fn put_file(&self, tenant: TenantId, path: &Path) -> Result<(BlobId, u64)> {
        let mut file = tokio::fs::File::open(path).await?;
        let mut context = Context::new(&SHA256);
        let mut piece = vec![0; PIECE];
        let mut size = 0;
        loop {
            let read = file.read(&mut piece).await?;
            if read == 0 {
                break;
            }
            context.update(&piece[..read]);
            size += read as u64;
        }
        let id = BlobId::from_digest(context.finish().as_ref());
        if self.is_kept(tenant, &id, size).await? {
            return Ok((id, size));
        }
        if size <= AT_ONCE {
            let bytes = tokio::fs::read(path).await?;
            self.store.put(&self.path(tenant, &id), bytes.into()).await?;
            return Ok((id, size));
        }
        let upload = self.store.put_multipart(&self.path(tenant, &id)).await?;
        let mut upload = WriteMultipart::new(upload);
        let mut file = tokio::fs::File::open(path).await?;
        loop {
            let read = file.read(&mut piece).await?;
            if read == 0 {
                break;
            }
            upload.wait_for_capacity(4).await?;
            upload.write(&piece[..read]);
        }
        upload.finish().await?;
        Ok((id, size))
    }

    /// The id that these bytes would have.
    pub fn id_of(bytes: &[u8]) -> BlobId {
        BlobId::from_digest(ring::digest::digest(&SHA256, bytes).as_ref())
    }

    /// Stores a blob that is in memory.
    pub async fn put_bytes(&self, tenant: TenantId, bytes: Bytes) -> Result<BlobId> {
        let id = Self::id_of(&bytes);
        if !self.is_kept(tenant, &id, bytes.len() as u64).await? {
            self.store.put(&self.path(tenant, &id), bytes.into()).await?;
        }
        Ok(id)
    }

    /// Whether the blob about to be put is there; from now on no sweep takes it. One of another size is damaged, and
    /// is replaced.
    async fn is_kept(&self, tenant: TenantId, id: &BlobId, size: u64) -> Result<bool> {
        self.recent.lock().await.note((tenant, id.clone()));
        Ok(self.size(tenant, id).await? == Some(size))
    }

    /// Every blob of every tenant.
    pub async fn list(&self) -> Result<Vec<BlobEntry>> {
        let mut found = Vec::new();
        let folder = BlobPath::from(format!("{}blobs", self.prefix));
        let mut all = self.store.list(Some(&folder));
        while let Some(meta) = all.next().await.transpose()? {
            let Some(rest) = meta.location.prefix_match(&folder) else { continue };
            let parts: Vec<_> = rest.collect();
            let [tenant, _, id] = &parts[..] else { continue };
            let (Ok(tenant), Ok(id)) = (Uuid::try_parse(tenant.as_ref()), BlobId::parse(id.as_ref())) else {
                continue;
            };
            found.push(BlobEntry {
                tenant: TenantId(tenant),
                id,
                size: meta.size,
                written_at: Timestamp::from_millis(meta.last_modified.timestamp_millis()),
            });
        }
        Ok(found)
    }

    /// Deletes those of `listed` that no row needs and that were not stored within the last hour;
    /// returns them. `needed` must have been gathered after `listed`.
    pub async fn sweep_orphans(
        &self,
        listed: Vec<BlobEntry>,
        needed: &HashSet<(TenantId, BlobId)>,
    ) -> Result<Vec<BlobEntry>> {
        let mut swept = Vec::new();
        for blob in listed {
            let name = (blob.tenant, blob.id.clone());
            if needed.contains(&name) || blob.written_at + GRACE > Timestamp::now() {
                continue;
            }
            let mut recent = self.recent.lock().await;
            if !recent.spares(&name) {
                self.delete(blob.tenant, &blob.id).await?;
                swept.push(blob);
            }
        }
        self.sweep_staging().await?;
        Ok(swept)
    }

    /// Deletes what came to signed addresses that have long expired.
    async fn sweep_staging(&self) -> Result<()> {
        if self.s3.is_none() {
            return Ok(());
        }
        for folder in ["staging", "incoming"] {
            let folder = BlobPath::from(format!("{}{folder}", self.prefix));
            let all: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
            for meta in all {
                let written_at = Timestamp::from_millis(meta.last_modified.timestamp_millis());
                if written_at + STAGED < Timestamp::now() {
                    self.remove(&meta.location).await?;
                }
            }
        }
        Ok(())
    }

    /// A blob. `Err(NotFound)` when there is none.
    pub async fn get(&self, tenant: TenantId, id: &BlobId) -> Result<Blob> {
        let found = self.store.get(&self.path(tenant, id)).await?;
        Ok(Blob { size: found.meta.size, bytes: found.into_stream().map_err(Error::from).boxed() })
    }

    /// A part of a blob, from a byte (inclusive) to a byte (exclusive).
    pub async fn range(&self, tenant: TenantId, id: &BlobId, range: Range<u64>) -> Result<Bytes> {
        Ok(self.store.get_range(&self.path(tenant, id), range).await?)
    }

    /// A part of a blob as it comes, from a byte (inclusive) to a byte (exclusive), and its size. An empty part
    /// has no bytes. `Err(NotFound)` when there is no such blob.
    pub async fn part(&self, tenant: TenantId, id: &BlobId, range: Range<u64>) -> Result<Blob> {
        let size = range.end.saturating_sub(range.start);
        let options = GetOptions::new().with_range(Some(range));
        let found = self.store.get_opts(&self.path(tenant, id), options).await?;
        Ok(Blob { size, bytes: found.into_stream().map_err(Error::from).boxed() })
    }

    /// The size of a blob in bytes; `None` when there is none.
    pub async fn size(&self, tenant: TenantId, id: &BlobId) -> Result<Option<u64>> {
        match self.store.head(&self.path(tenant, id)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether there is such a blob.
    pub async fn exists(&self, tenant: TenantId, id: &BlobId) -> Result<bool> {
        Ok(self.size(tenant, id).await?.is_some())
    }

    /// Deletes a blob; fine if there is none. `Err(Invalid)` where it may be another installation's.
    pub async fn delete(&self, tenant: TenantId, id: &BlobId) -> Result<()> {
        self.remove(&self.path(tenant, id)).await
    }

    async fn remove(&self, path: &BlobPath) -> Result<()> {
        self.owner.check(&*self.store, &self.prefix).await?;
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// An address to which the bytes of an upload can be sent with PUT, valid for a while; `None` when
    /// blobs are files of our own. What comes is no blob until it is [adopted](Self::adopt).
    #[cfg(feature = "s3")]
    pub async fn signed_put_url(
        &self,
        tenant: TenantId,
        upload: Uuid,
        valid: Duration,
    ) -> Result<Option<String>> {
        let Some(s3) = &self.s3 else { return Ok(None) };
        let url =
            s3.signed_url(object_store::signer::Method::PUT, &self.staging(tenant, upload), valid).await?;
        Ok(Some(url.to_string()))
    }

    /// None: blobs are files of our own in a build without S3.
    #[cfg(not(feature = "s3"))]
    pub async fn signed_put_url(&self, _: TenantId, _: Uuid, _: Duration) -> Result<Option<String>> {
        Ok(None)
    }

    /// Makes a blob of what was sent to the signed address of an upload, if it has this size and hash. `false` when
    /// nothing came, or something else, which is deleted.
    ///
    /// The signed address may still be valid, so a copy that clients cannot write to is verified.
    pub async fn adopt(&self, tenant: TenantId, upload: Uuid, id: &BlobId, size: u64) -> Result<bool> {
        let staged = self.staging(tenant, upload);
        let found = match self.store.head(&staged).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(false),
            found => found?,
        };
        if found.size != size {
            self.remove(&staged).await?;
            return Ok(false);
        }
        let copy = BlobPath::from(format!("{}incoming/{}", self.prefix, crate::ids::new_id()));
        self.store.copy(&staged, &copy).await?;
        let is_right = self.hash_of(&copy).await? == *id;
        if is_right && !self.is_kept(tenant, id, size).await? {
            self.store.copy(&copy, &self.path(tenant, id)).await?;
        }
        self.remove(&copy).await?;
        self.remove(&staged).await?;
        Ok(is_right)
    }

    async fn hash_of(&self, path: &BlobPath) -> Result<BlobId> {
        let mut bytes = self.store.get(path).await?.into_stream();
        let mut context = Context::new(&SHA256);
        while let Some(piece) = bytes.try_next().await? {
            context.update(&piece);
        }
        Ok(BlobId::from_digest(context.finish().as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_blobs_are_remembered_up_to_a_limit_and_beyond_it_all_are_spared() {
        let mut recent = Recent::default();
        let name = |number: usize| (TenantId(Uuid::from_u128(1)), Blobs::id_of(&number.to_be_bytes()));
        for number in 0..RECENT_MAX {
            recent.note(name(number));
        }
        assert!(recent.spares(&name(0)) && !recent.spares(&name(RECENT_MAX)));
        recent.note(name(RECENT_MAX));
        assert!(recent.put.len() <= RECENT_MAX);
        assert!(recent.spares(&name(0)) && recent.spares(&name(usize::MAX)));
    }
}
