//! Notifications that wait for delivery to an endpoint.

use super::Notice;
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record, Row};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A notification that is to be delivered to an endpoint. Its id is (endpoint, unique id). It contains a copy of the
/// notification, because it is delivered even if the user has deleted the notification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Delivery {
    /// Id of the notification. Receivers use it to detect duplicates.
    pub notice_id: Uuid,
    /// Time of the notification.
    pub told_at: Timestamp,
    /// The notification to be delivered.
    pub notice: Notice,
    /// Number of attempts.
    pub attempts: u32,
    /// Time of the next attempt.
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

/// The delivery queue of an endpoint. The row exists as long as deliveries wait; every transaction that adds or removes a
/// delivery writes it. Stored in the system partition, so that all tenants share one queue. Its id is the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryQueue {
    /// The tenant of the endpoint.
    pub tenant: Uuid,
    /// The user who owns the endpoint.
    pub user: Uuid,
    /// The number of undelivered notifications.
    pub waiting: u32,
    /// Time of the next delivery attempt.
    pub due_at: Timestamp,
    /// Number of consecutive failed attempts.
    pub failures: u32,
}

impl DeliveryQueue {
    /// The topic, in the system partition, whose listeners are notified when anything is added to a queue.
    pub const TOPIC: Uuid = Uuid::nil();

    /// Returns the tenant of the endpoint.
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
