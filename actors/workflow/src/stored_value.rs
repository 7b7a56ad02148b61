//! Values of runs that are stored apart from their journals.

use storage::{BlobId, Store, TenantId};

/// The largest value that is loaded into memory, in bytes of JSON.
pub(crate) const MAX_VALUE_BYTES: u64 = 64 << 20;

/// Reads a value that is stored apart from the run's journal.
pub(crate) async fn read<T: serde::de::DeserializeOwned>(
    store: &Store,
    tenant: TenantId,
    blob: &BlobId,
) -> storage::Result<T> {
    let size = store.blobs().size(tenant, blob).await?.ok_or(storage::Error::NotFound("blob"))?;
    if size > MAX_VALUE_BYTES {
        return Err(storage::Error::Invalid(format!("a value is larger than {} MiB", MAX_VALUE_BYTES >> 20)));
    }
    let json = store.blobs().range(tenant, blob, 0..size).await?;
    serde_json::from_slice(&json).map_err(|why| storage::Error::Corrupt(why.to_string()))
}
