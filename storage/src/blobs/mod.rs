//! Content-addressed files.
//!
//! ```text
//! <prefix>/blobs/<tenant>/<aa>/<sha256>    the files
//! <prefix>/blobs/incoming/<id>             files that are being written; not in a bucket, which shows only whole objects
//! <prefix>/understudy-owner.json           which installation may delete files; not in the data folder itself
//! <prefix>/staging/<tenant>/<upload>       what clients upload to a signed URL, unverified
//! <prefix>/incoming/<id>                   a copy of an upload while it is verified
//! ```
//!
//! A file and its directory are synced to the disk before the file is reported as stored, so rows can refer to it
//! afterwards.

mod backend;
#[cfg(feature = "s3")]
mod bucket;
mod config;
mod files;
mod id;
mod owner;
mod recent;
mod signed;

pub use config::BlobConfig;
pub use id::BlobId;
pub(crate) use recent::CopyGuard;

use crate::blocking::blocking;
use crate::error::{Error, OpenError, Result};
use crate::files::FileSystem;
#[cfg(test)]
use crate::files::SystemFiles;
use crate::ids::TenantId;
use crate::time::Timestamp;
use backend::Backend;
use bytes::Bytes;
use files::LocalFiles;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use owner::Owner;
use recent::{Copies, GRACE, Recent};
use ring::digest::{Context, SHA256};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Bytes read, hashed and sent at a time.
const PIECE: usize = 256 << 10;
/// How long uploads to signed URLs and unfinished files are retained: longer than any URL is valid and any upload may
/// take.
const STAGED: Duration = Duration::from_secs(24 * 3600);

/// The blobs of an open store.
#[derive(Clone)]
pub struct Blobs {
    backend: Backend,
    /// The file system that files to be stored are read from.
    files: Arc<dyn FileSystem>,
    /// Recently stored blobs, to which possibly no row refers yet; a sweep spares them. A sweep holds the lock from the
    /// check of this map to the deletion, so that a blob that is about to be deleted is never considered stored.
    recent: Arc<tokio::sync::Mutex<Recent>>,
    copies: Copies,
    owner: Arc<Owner>,
}

/// An entry of the list of all blobs.
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

fn name_of(tenant: TenantId, id: &BlobId) -> String {
    format!("blobs/{tenant}/{}/{id}", &id.as_str()[..2])
}

impl Blobs {
    #[cfg(test)]
    pub(crate) fn open(config: &BlobConfig, dir: &Path) -> Result<Self, OpenError> {
        Self::open_on(Arc::new(SystemFiles), config, dir)
    }

    /// Opens the blobs, with the data folder or the folder of the blobs on a file system other than the system's.
    pub(crate) fn open_on(
        files: Arc<dyn FileSystem>,
        config: &BlobConfig,
        dir: &Path,
    ) -> Result<Self, OpenError> {
        let folder = match config {
            BlobConfig::Files => dir,
            BlobConfig::Folder(other) => other,
            #[cfg(not(feature = "s3"))]
            BlobConfig::S3 { .. } => {
                let why = "S3 is not part of this build, which lacks the feature `s3`";
                return Err(OpenError::Blobs(why.into()));
            }
            #[cfg(feature = "s3")]
            BlobConfig::S3 { .. } => {
                let bucket = bucket::Bucket::open(config)?;
                return Ok(Self::new(Backend::Bucket(bucket), files, Owner::default()));
            }
        };
        let failed = |error: Error| OpenError::Blobs(error.to_string());
        let local = LocalFiles::open(files.clone(), folder.to_owned()).map_err(failed)?;
        let owner = Owner::default();
        if *config == BlobConfig::Files {
            // No other process has the data folder open.
            owner.is_alone();
        }
        Ok(Self::new(Backend::Files(local), files, owner))
    }

    fn new(backend: Backend, files: Arc<dyn FileSystem>, owner: Owner) -> Self {
        let copies = Copies::default();
        let recent = tokio::sync::Mutex::new(Recent::new(copies.clone()));
        Self { backend, files, recent: Arc::new(recent), copies, owner: Arc::new(owner) }
    }

    /// Sets the installation that owns the files. Ownership is verified before a file is deleted.
    pub(crate) fn belongs_to(&self, installation: Uuid) {
        self.owner.belongs_to(installation);
    }

    /// Marks the bucket or folder as owned by this installation. Until that has succeeded, nothing in it is deleted.
    ///
    /// # Errors
    /// `Invalid` if it belongs to another installation; other errors if it cannot be reached.
    pub(crate) async fn claim(&self, installation: Uuid) -> Result<()> {
        self.owner.claim(&self.backend, installation).await
    }

    /// Stores a copy of a file. Returns its id and its size in bytes. A file that is already stored is not written
    /// again.
    pub async fn put_file(&self, tenant: TenantId, path: &Path) -> Result<(BlobId, u64)> {
        let (files, from) = (self.files.clone(), path.to_owned());
        let (id, size) = blocking(move || hash_file(&*files, &from)).await??;
        if !self.is_kept(tenant, &id, size).await? {
            self.backend.put_file(name_of(tenant, &id), path, size).await?;
        }
        Ok((id, size))
    }

    /// The id of a blob with this content.
    pub fn id_of(bytes: &[u8]) -> BlobId {
        BlobId::from_digest(ring::digest::digest(&SHA256, bytes).as_ref())
    }

    /// Stores a blob whose content is in memory.
    pub async fn put_bytes(&self, tenant: TenantId, bytes: Bytes) -> Result<BlobId> {
        let id = Self::id_of(&bytes);
        if !self.is_kept(tenant, &id, bytes.len() as u64).await? {
            self.backend.put(name_of(tenant, &id), bytes).await?;
        }
        Ok(id)
    }

    /// Whether the blob about to be stored already exists durably. From now on, no sweep deletes it. An existing blob
    /// of a different size is damaged and is replaced.
    async fn is_kept(&self, tenant: TenantId, id: &BlobId, size: u64) -> Result<bool> {
        self.recent.lock().await.note((tenant, id.clone()));
        Ok(self.backend.confirm(name_of(tenant, id)).await? == Some(size))
    }

    /// Lists all blobs of all tenants.
    pub async fn list(&self) -> Result<Vec<BlobEntry>> {
        let mut found = Vec::new();
        for object in self.backend.list("blobs").await? {
            let parts: Vec<_> = object.name.split('/').collect();
            let [tenant, _, id] = parts[..] else { continue };
            let (Ok(tenant), Ok(id)) = (Uuid::try_parse(tenant), BlobId::parse(id)) else { continue };
            let (size, written_at) = (object.size, object.written_at);
            found.push(BlobEntry { tenant: TenantId(tenant), id, size, written_at });
        }
        Ok(found)
    }

    /// Makes sweeps delete nothing until the guard is dropped. For copies of all rows and then of the blobs that they
    /// refer to.
    pub(crate) fn begin_copy(&self) -> CopyGuard {
        self.copies.begin()
    }

    /// Deletes the blobs in `listed` that are not in `needed` and were not stored within the last hour. Returns the
    /// deleted blobs. `needed` must have been gathered after `listed`.
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
        self.sweep_unfinished().await?;
        Ok(swept)
    }

    /// Deletes uploads to signed URLs that have long expired, and files whose writing failed.
    async fn sweep_unfinished(&self) -> Result<()> {
        for dir in self.backend.unfinished() {
            for object in self.backend.list(dir).await? {
                if object.written_at + STAGED < Timestamp::now() {
                    self.remove(format!("{dir}/{}", object.name)).await?;
                }
            }
        }
        Ok(())
    }

    /// Opens a blob. `Err(NotFound)` if it does not exist.
    pub async fn get(&self, tenant: TenantId, id: &BlobId) -> Result<Blob> {
        self.backend.get(name_of(tenant, id)).await
    }

    /// Returns a part of a blob, from a byte (inclusive) to a byte (exclusive).
    pub async fn range(&self, tenant: TenantId, id: &BlobId, range: Range<u64>) -> Result<Bytes> {
        let mut pieces: Vec<Bytes> = self.part(tenant, id, range).await?.bytes.try_collect().await?;
        Ok(match pieces.len() {
            1 => pieces.remove(0),
            _ => pieces.concat().into(),
        })
    }

    /// Streams a part of a blob, from a byte (inclusive) to a byte (exclusive), and returns the size of the part. An
    /// empty part has no bytes. `Err(NotFound)` if the blob does not exist.
    pub async fn part(&self, tenant: TenantId, id: &BlobId, range: Range<u64>) -> Result<Blob> {
        if range.is_empty() {
            self.size(tenant, id).await?.ok_or(Error::NotFound("blob"))?;
            return Ok(Blob { size: 0, bytes: futures::stream::empty().boxed() });
        }
        self.backend.part(name_of(tenant, id), range).await
    }

    /// The size of a blob in bytes; `None` if it does not exist.
    pub async fn size(&self, tenant: TenantId, id: &BlobId) -> Result<Option<u64>> {
        self.backend.size(name_of(tenant, id)).await
    }

    /// Whether the blob exists.
    pub async fn exists(&self, tenant: TenantId, id: &BlobId) -> Result<bool> {
        Ok(self.size(tenant, id).await?.is_some())
    }

    /// Deletes a blob, if it exists. `Err(Invalid)` if the files may belong to another installation.
    pub async fn delete(&self, tenant: TenantId, id: &BlobId) -> Result<()> {
        self.remove(name_of(tenant, id)).await
    }

    async fn remove(&self, name: String) -> Result<()> {
        self.owner.check(&self.backend).await?;
        self.backend.delete(name).await
    }
}

/// Computes the id of a file's content, and its size. Blocks.
fn hash_file(files: &dyn FileSystem, path: &Path) -> Result<(BlobId, u64)> {
    let file = files.open_read(path)?;
    let mut context = Context::new(&SHA256);
    let mut piece = vec![0; PIECE];
    let mut size = 0;
    loop {
        let read = file.read_at(&mut piece, size)?;
        if read == 0 {
            return Ok((BlobId::from_digest(context.finish().as_ref()), size));
        }
        context.update(&piece[..read]);
        size += read as u64;
    }
}
