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
    /// Notices that are there.
    pub listed: u64,
    /// Those of them that were not read.
    pub unread: u64,
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
    /// Whose.
    pub user: Uuid,
    /// Counted from 1.
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

/// What became of notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeChange {
    /// One was told.
    #[default]
    Told,
    /// Some were read.
    Read,
    /// Some are gone.
    Deleted,
}

/// A change of a user's notices. It names them only: what is deleted is nowhere any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeEvent {
    /// What became of them.
    pub change: NoticeChange,
    /// Which.
    pub notices: Vec<Uuid>,
    /// When.
    pub at: Timestamp,
}

impl Record for NoticeEvent {
    type Id = NoticePlace;
    const TABLE: [u8; 2] = *b"nf";
    const NAME: &'static str = "notice_event";
    const GROWTH: Growth<Self> = Growth::Counted("per user, those of the notices that are kept");
}
