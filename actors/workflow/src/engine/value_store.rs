//! Stores the large values of a run as blobs outside of its journal.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use runs::EpochStore;
use serde_json::{Value, json};
use storage::records::RunBlob;
use storage::{BlobId, TenantId};
use uuid::Uuid;

use crate::nodes::{Fields, NodeError};
use crate::stored_value::{MAX_VALUE_BYTES, read};

/// JSON larger than this, in bytes, is stored as a blob.
const LARGE: usize = 16 * 1024;
/// Maximum size of the cached values, in bytes of JSON.
const CACHE_LIMIT: usize = 16 << 20;
/// Maximum nesting depth. Values nested more deeply cannot be read back from the journal.
const MAX_DEPTH: usize = 100;
/// Maximum number of attempts at a write that the store refuses because it is busy.
const ATTEMPTS: u32 = 40;
/// The field of a JSON object that refers to a blob in place of the value.
const MARK: &str = "$blob";

/// Stores large values of a run as blobs, and loads them.
pub struct ValueStore {
    store: EpochStore,
    tenant: TenantId,
    run: Uuid,
    cache: HashMap<BlobId, Arc<Value>>,
    bytes: usize,
}

impl ValueStore {
    pub fn new(store: impl Into<EpochStore>, tenant: TenantId, run: Uuid) -> Self {
        Self { store: store.into(), tenant, run, cache: HashMap::new(), bytes: 0 }
    }

    /// Converts fields to the form stored in the journal. Large values are stored as blobs, which the run claims before any event
    /// names them.
    pub async fn store(&mut self, fields: Fields) -> Result<Fields, NodeError> {
        if fields.values().any(|value| is_deep(value, MAX_DEPTH)) {
            return Err(too_deep());
        }
        if fields.values().all(|value| !is_large(value) && !is_marked(value)) {
            return Ok(fields);
        }
        let mut stored = Fields::with_capacity(fields.len());
        for (name, value) in fields {
            stored.insert(name, self.store_one(value).await?);
        }
        Ok(stored)
    }

    /// Converts one value to the form stored in the journal.
    pub async fn store_one(&mut self, value: Value) -> Result<Value, NodeError> {
        if is_deep(&value, MAX_DEPTH) {
            return Err(too_deep());
        }
        if !is_large(&value) && !is_marked(&value) {
            return Ok(value);
        }
        let json = Bytes::from(serde_json::to_vec(&value).unwrap_or_default());
        let size = json.len();
        if size as u64 > MAX_VALUE_BYTES {
            return Err(NodeError::new(
                "too_large",
                format!("a value is larger than {} MiB", MAX_VALUE_BYTES >> 20),
            ));
        }
        let blob_id = self.store.blobs().put_bytes(self.tenant, json).await.map_err(lost)?;
        self.claim_sized(vec![(blob_id.clone(), size as u64)]).await?;
        let mark = json!({ MARK: blob_id, "bytes": size });
        self.remember(blob_id, Arc::new(value), size);
        Ok(mark)
    }

    /// Claims blobs for the run that already count toward the user's storage through other rows.
    pub async fn claim(&self, blobs: Vec<BlobId>) -> Result<(), NodeError> {
        self.claim_sized(blobs.into_iter().map(|blob_id| (blob_id, 0)).collect()).await
    }

    /// Claims blobs for the run. The blobs are retained for as long as the journal, and their sizes in bytes count toward the
    /// storage of the run's user.
    async fn claim_sized(&self, blobs: Vec<(BlobId, u64)>) -> Result<(), NodeError> {
        let (tenant, run) = (self.tenant, self.run);
        let blobs = Arc::new(blobs);
        for _ in 0..ATTEMPTS {
            let blobs = blobs.clone();
            let claimed = self.store.run(move |tx| {
                for (blob_id, size) in blobs.iter() {
                    let id = (run, blob_id.to_string());
                    if tx.get::<RunBlob>(tenant, &id)?.is_none() {
                        tx.insert(
                            tenant,
                            id,
                            RunBlob { blob_id: blob_id.clone(), size: *size, is_file: false },
                        )?;
                    }
                }
                Ok::<_, storage::Error>(())
            });
            match claimed.await {
                // The write queue of the store is currently full.
                Err(storage::Error::Busy | storage::Error::Full) => {
                    tokio::time::sleep(Duration::from_millis(250)).await
                }
                Err(storage::Error::LimitReached(why)) => {
                    return Err(NodeError::new("storage_quota_reached", why.to_string()));
                }
                other => return other.map_err(lost),
            }
        }
        Err(lost("the store is busy"))
    }

    /// Loads the value of a field from its form in the journal.
    pub async fn load(&mut self, stored: &Value) -> Result<Arc<Value>, NodeError> {
        let Some(id) = marked(stored) else { return Ok(Arc::new(stored.clone())) };
        if let Some(value) = self.cache.get(&id) {
            return Ok(value.clone());
        }
        let value: Arc<Value> = Arc::new(read(&self.store, self.tenant, &id).await.map_err(lost)?);
        self.remember(id, Arc::clone(&value), usize::try_from(size(stored)).unwrap_or(CACHE_LIMIT));
        Ok(value)
    }

    /// Loads all fields whose values are stored as blobs.
    pub async fn load_all(&mut self, stored: &Fields) -> Result<Fields, NodeError> {
        let mut fields = Fields::with_capacity(stored.len());
        for (name, value) in stored {
            let value = match marked(value) {
                Some(_) => (*self.load(value).await?).clone(),
                None => value.clone(),
            };
            fields.insert(name.clone(), value);
        }
        Ok(fields)
    }

    fn remember(&mut self, id: BlobId, value: Arc<Value>, size: usize) {
        if self.bytes + size > CACHE_LIMIT {
            self.cache.clear();
            self.bytes = 0;
        }
        if size <= CACHE_LIMIT && self.cache.insert(id, value).is_none() {
            self.bytes += size;
        }
    }
}

fn too_deep() -> NodeError {
    NodeError::new("too_deep", format!("a value is nested more than {MAX_DEPTH} levels deep"))
}

fn lost(why: impl std::fmt::Display) -> NodeError {
    tracing::error!(%why, "a value of a run could not be stored or read");
    NodeError::new("storage", "a value of the run could not be stored or read")
}

/// Returns the blob that a field of the journal refers to, if any.
pub fn marked(value: &Value) -> Option<BlobId> {
    let id = value.as_object()?.get(MARK)?.as_str()?;
    BlobId::parse(id).ok()
}

/// Returns the approximate size of a stored value, in bytes of JSON.
pub fn size(stored: &Value) -> u64 {
    match marked(stored) {
        Some(_) => stored.get("bytes").and_then(Value::as_u64).unwrap_or_default(),
        // Large values are always stored as blobs.
        None => 256,
    }
}

/// Whether fields sent by a client can be stored, that is, whether their nesting is within the limit.
pub fn is_storable(fields: &Fields) -> bool {
    !fields.values().any(|value| is_deep(value, MAX_DEPTH - 2))
}

/// Whether a value is nested too deeply to be read back from the journal.
fn is_deep(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth == 0 || items.iter().any(|item| is_deep(item, depth - 1)),
        Value::Object(members) => depth == 0 || members.values().any(|item| is_deep(item, depth - 1)),
        _ => false,
    }
}

/// Whether a value looks like a reference to a blob. Such a value is stored as a blob itself, so that a run cannot refer to blobs
/// of other runs.
fn is_marked(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.contains_key(MARK))
}

/// Whether a value is approximately larger than [`LARGE`]. Stops as soon as the answer is known.
fn is_large(value: &Value) -> bool {
    fn within(value: &Value, budget: &mut usize) -> bool {
        let own = match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => items.len() + 2,
            Value::Object(members) => members.keys().map(|name| name.len() + 4).sum(),
            _ => 8,
        };
        if own > *budget {
            return false;
        }
        *budget -= own;
        match value {
            Value::Array(items) => items.iter().all(|item| within(item, budget)),
            Value::Object(members) => members.values().all(|item| within(item, budget)),
            _ => true,
        }
    }
    let mut budget = LARGE;
    !within(value, &mut budget)
}
