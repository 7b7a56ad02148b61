//! Files that clients upload to a bucket themselves, at signed URLs.

use super::{BlobId, Blobs};
use crate::error::Result;
use crate::ids::TenantId;
use std::time::Duration;
use uuid::Uuid;

#[cfg(feature = "s3")]
impl Blobs {
    /// Returns a URL to which the content of an upload can be sent with PUT for a limited time; `None` if blobs are
    /// stored as files. The content does not become a blob until it is [adopted](Self::adopt).
    pub async fn signed_put_url(
        &self,
        tenant: TenantId,
        upload: Uuid,
        valid: Duration,
    ) -> Result<Option<String>> {
        let super::Backend::Bucket(bucket) = &self.backend else { return Ok(None) };
        bucket.signed_put_url(&staging(tenant, upload), valid).await.map(Some)
    }

    /// Turns the content sent to the signed URL of an upload into a blob, if it has this size and hash. Returns `false`
    /// if nothing was sent, or if the content differs, in which case it is deleted.
    ///
    /// The signed URL may still be valid, so the verification uses a copy that clients cannot write to.
    pub async fn adopt(&self, tenant: TenantId, upload: Uuid, id: &BlobId, size: u64) -> Result<bool> {
        let super::Backend::Bucket(bucket) = &self.backend else { return Ok(false) };
        let staged = staging(tenant, upload);
        let Some(found) = bucket.size(&staged).await? else { return Ok(false) };
        if found != size {
            self.remove(staged).await?;
            return Ok(false);
        }
        let copy = format!("incoming/{}", crate::ids::new_id());
        bucket.copy(&staged, &copy).await?;
        let is_right = hash_of(bucket, &copy).await? == *id;
        if is_right && !self.is_kept(tenant, id, size).await? {
            bucket.copy(&copy, &super::name_of(tenant, id)).await?;
        }
        self.remove(copy).await?;
        self.remove(staged).await?;
        Ok(is_right)
    }
}

#[cfg(feature = "s3")]
fn staging(tenant: TenantId, upload: Uuid) -> String {
    format!("staging/{tenant}/{upload}")
}

#[cfg(feature = "s3")]
async fn hash_of(bucket: &super::bucket::Bucket, name: &str) -> Result<BlobId> {
    use futures::TryStreamExt;
    use ring::digest::{Context, SHA256};
    let mut bytes = bucket.get(name, None).await?.bytes;
    let mut context = Context::new(&SHA256);
    while let Some(piece) = bytes.try_next().await? {
        context.update(&piece);
    }
    Ok(BlobId::from_digest(context.finish().as_ref()))
}

#[cfg(not(feature = "s3"))]
impl Blobs {
    /// Always `None`: a build without S3 stores blobs as files.
    pub async fn signed_put_url(&self, _: TenantId, _: Uuid, _: Duration) -> Result<Option<String>> {
        Ok(None)
    }

    /// Always `false`: a build without S3 has no signed URLs.
    pub async fn adopt(&self, _: TenantId, _: Uuid, _: &BlobId, _: u64) -> Result<bool> {
        Ok(false)
    }
}
