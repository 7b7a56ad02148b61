//! The audit log.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// One administrative change. The id is a UUID v7, so that the table is in chronological order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AuditRecord {
    /// Time of the change.
    pub ts: Timestamp,
    /// The user in whose name the change was made.
    pub actor: Uuid,
    /// The administrator who acted, if on behalf of another user.
    pub act: Option<Uuid>,
    /// The action, for example `user.create`.
    pub action: String,
    /// Kind and id of the changed object.
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
