//! Idempotency keys.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// The result of a request with an `Idempotency-Key`. Its id is (user, SHA-256 of the key).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdempotencyKey {
    /// The run that the request started; nil if it started none.
    pub run_id: Uuid,
    /// The response, if the request started no run.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub answer: Value,
    /// SHA-256 (hex) of the request, to distinguish a repetition from a different request with the
    /// same key.
    pub request_sha256: String,
    /// Time at which the key can be used for another request.
    pub expires_at: Timestamp,
}

impl IdempotencyKey {
    /// Time for which a key is remembered.
    pub const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
}

impl Record for IdempotencyKey {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"ik";
    const NAME: &'static str = "idempotency_key";
    const GROWTH: Growth<Self> = Growth::metered(|id: &Self::Id, _| Owner::User(id.0), "deleted after a day");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"i1",
        name: "by_expiry",
        unique: false,
        keys: |row| vec![IndexKey::new().moment(row.expires_at).done()],
    }];
}
