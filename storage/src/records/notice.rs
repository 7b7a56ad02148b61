//! Notifications to users.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// The importance of a notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// For information only.
    #[default]
    Info,
    /// Needs attention.
    Warning,
    /// Something is blocked.
    Error,
}

/// A notification to a user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Notice {
    /// The recipient.
    pub user: Uuid,
    /// Machine-readable type, for example `automation.failed`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The importance.
    pub severity: Severity,
    /// Short title.
    pub title: String,
    /// Text of a few sentences.
    pub body: String,
    /// Path in the user interface that the notification links to.
    pub link: Option<String>,
    /// Machine-readable details.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// Time at which the user read it.
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
