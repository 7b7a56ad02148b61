//! Notices on their way to where users have them sent.

use super::Notice;
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record, Row};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A notice that is to be taken to an endpoint. Its id is (endpoint, a name of its own). It holds all there is to
/// say: users delete what they have read, and servers hear of it all the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Delivery {
    /// The id of the notice, which is the key by which the other side knows it again.
    pub notice_id: Uuid,
    /// Time of the notification.
    pub told_at: Timestamp,
    /// The notification to be delivered.
    pub notice: Notice,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is to be tried next.
    pub due_at: Timestamp,
}

impl Record for Delivery {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"nd";
    const NAME: &'static str = "delivery";
    const GROWTH: Growth<Self> = Growth::Counted("1,000 per notification endpoint");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"n4",
        name: "by_due",
        unique: false,
        keys: |row: &Row<Self>| vec![IndexKey::new().id(&row.id.0).moment(row.due_at).done()],
    }];
}

/// That something waits for an endpoint. There is one as long as anything does; every transaction that adds or takes writes it.
/// Kept in the system partition, so that all tenants stand in one line; its id is the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryQueue {
    /// The tenant of the endpoint.
    pub tenant: Uuid,
    /// The user who owns the endpoint.
    pub user: Uuid,
    /// The number of undelivered notifications.
    pub waiting: u32,
    /// When the endpoint is to be visited next.
    pub due_at: Timestamp,
    /// How often in a row nothing was taken.
    pub failures: u32,
}

impl DeliveryQueue {
    /// The topic, in the system partition, whose listeners are notified when anything is put into a queue.
    pub const TOPIC: Uuid = Uuid::nil();

    /// The tenant of the endpoint.
    pub fn tenant(&self) -> TenantId {
        TenantId(self.tenant)
    }
}

impl Record for DeliveryQueue {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"nq";
    const NAME: &'static str = "delivery_queue";
    const GROWTH: Growth<Self> = Growth::OnePer("notification endpoint");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"n5",
        name: "by_due",
        unique: false,
        keys: |row| vec![IndexKey::new().moment(row.due_at).done()],
    }];

    fn notifies(_: &Uuid, _: &Self) -> Option<Uuid> {
        Some(Self::TOPIC)
    }
}
