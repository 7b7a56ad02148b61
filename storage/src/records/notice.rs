//! What people are to be told.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// How much something matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    #[default]
    Info,
    /// To be looked at.
    Warning,
    /// Something is blocked.
    Error,
}

/// A notification to a user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Notice {
    /// Who.
    pub user: Uuid,
    /// What it is about, for machines: `automation.failed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How much it matters.
    pub severity: Severity,
    /// In a few words.
    pub title: String,
    /// In a few sentences.
    pub body: String,
    /// Where to go, as a path of the interface.
    pub link: Option<String>,
    /// For machines.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// When it was read.
    pub read_at: Option<Timestamp>,
}

impl Record for Notice {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"no";
    const NAME: &'static str = "notice";
    const GROWTH: Growth<Self> = Growth::Counted("1,000 per user");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"n1",
        name: "by_user",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.user).done()],
    }];
}
