//! Idempotency keys.

use crate::keys::IndexKey;
use crate::record::{Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a request with an `Idempotency-Key` led to. Its id is (user, SHA-256 of the key).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdempotencyKey {
    /// The run it started.
    pub run_id: Uuid,
    /// SHA-256 (hex) of the request, to tell the same from another under the same key.
    pub request_sha256: String,
    /// When it is forgotten.
    pub expires_at: Timestamp,
}

impl Record for IdempotencyKey {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"ik";
    const NAME: &'static str = "idempotency_key";
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"i1",
        name: "by_expiry",
        unique: false,
        keys: |row| vec![IndexKey::new().moment(row.expires_at).done()],
    }];
}
