//! Who changed what.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// One change by an administrator. Its id is a UUID v7, so that the table is in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AuditRecord {
    /// When.
    pub ts: Timestamp,
    /// Who.
    pub actor: Uuid,
    /// Who really acted, if as someone else.
    pub act: Option<Uuid>,
    /// What was done, for example `user.create`.
    pub action: String,
    /// To what: kind and id.
    pub target: String,
    /// Further details; never a secret.
    #[schema(value_type = Object)]
    pub detail: Value,
}

impl Record for AuditRecord {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"au";
    const NAME: &'static str = "audit_record";
    const GROWTH: Growth<Self> = Growth::Server("one row for each administrative action");
}
