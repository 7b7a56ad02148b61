//! Counts of a user's notifications, and the order of their changes.

use crate::error::{Error, Result};
use crate::keys::RecordKey;
use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Counts of a user's notifications. Every transaction that changes a notification also writes this row, so changes have an order,
/// which is the order of their commits. Its id is the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeBox {
    /// The number of the last change.
    pub seq: u64,
    /// The number of stored notifications.
    pub listed: u64,
    /// The number of unread notifications.
    pub unread: u64,
    /// The last notification that was deleted because the user had too many. The search for the next one starts after it: the keys
    /// before it were deleted recently, and a scan would have to pass them one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trimmed: Option<Uuid>,
}

impl Record for NoticeBox {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"nb";
    const NAME: &'static str = "notice_box";
    const GROWTH: Growth<Self> = Growth::OnePer("user");

    fn notifies(user: &Uuid, _: &Self) -> Option<Uuid> {
        Some(*user)
    }
}

/// Identifies a change of a user's notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoticePlace {
    /// The recipient.
    pub user: Uuid,
    /// The notification's number for this user, from 1.
    pub seq: u64,
}

impl RecordKey for NoticePlace {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.user.as_bytes());
        to.extend_from_slice(&self.seq.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let damaged = || Error::Corrupt("a notice's position of the wrong format".into());
        let (user, seq) = bytes.split_at_checked(16).ok_or_else(damaged)?;
        let seq = seq.try_into().map(u64::from_be_bytes).map_err(|_| damaged())?;
        Ok(Self { user: Uuid::decode(user)?, seq })
    }

    fn public(&self) -> String {
        self.seq.to_string()
    }
}

/// A change of a user's notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeChange {
    /// A notification was added.
    #[default]
    Told,
    /// Notifications were marked as read.
    Read,
    /// Notifications were deleted.
    Deleted,
}

/// A change of a user's notifications. It contains only their ids, because a deleted notification no longer exists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeEvent {
    /// The kind of change.
    pub change: NoticeChange,
    /// Ids of the notifications.
    pub notices: Vec<Uuid>,
    /// Time of the change.
    pub at: Timestamp,
}

impl Record for NoticeEvent {
    type Id = NoticePlace;
    const TABLE: [u8; 2] = *b"nf";
    const NAME: &'static str = "notice_event";
    const GROWTH: Growth<Self> = Growth::Counted("per user, those of the notices that are kept");
}
