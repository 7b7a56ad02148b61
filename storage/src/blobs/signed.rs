//! Files that clients send to a bucket themselves, at signed addresses.

use super::{BlobId, Blobs};
use crate::error::Result;
use crate::ids::TenantId;
use std::time::Duration;
use uuid::Uuid;

#[cfg(feature = "s3")]
impl Blobs {
    /// An address to which the bytes of an upload can be sent with PUT, valid for a while; `None` when
    /// blobs are files of our own. What comes is no blob until it is [adopted](Self::adopt).
    pub async fn signed_put_url(
        &self,
        tenant: TenantId,
        upload: Uuid,
        valid: Duration,
    ) -> Result<Option<String>> {
        let super::Backend::Bucket(bucket) = &self.backend else { return Ok(None) };
        bucket.signed_put_url(&staging(tenant, upload), valid).await.map(Some)
    }

    /// Makes a blob of what was sent to the signed address of an upload, if it has this size and hash. `false` when
    /// nothing came, or something else, which is deleted.
    ///
    /// The signed address may still be valid, so a copy that clients cannot write to is verified.
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
    /// None: blobs are files of our own in a build without S3.
    pub async fn signed_put_url(&self, _: TenantId, _: Uuid, _: Duration) -> Result<Option<String>> {
        Ok(None)
    }

    /// `false`: nothing comes to signed addresses in a build without S3.
    pub async fn adopt(&self, _: TenantId, _: Uuid, _: &BlobId, _: u64) -> Result<bool> {
        Ok(false)
    }
}
