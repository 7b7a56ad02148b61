//! What a user was told, in numbers, and in the order in which it changed.

use crate::error::{Error, Result};
use crate::keys::RecordKey;
use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A user's notices in numbers. Every transaction that changes one of them writes this row, too: so changes have an order, which is
/// that of their commits. Its id is the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeBox {
    /// The number of the last change.
    pub seq: u64,
    /// The number of stored notifications.
    pub listed: u64,
    /// Those of them that were not read.
    pub unread: u64,
    /// The last notification that was deleted because there were more than are stored. The search for the next one begins
    /// behind it: before it are the keys of everything that was deleted lately, which a scan passes one by one.
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

/// Names a change of a user's notices.
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

/// A change of a user's notices. It names them only: what is deleted is nowhere any more.
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
