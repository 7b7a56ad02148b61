//! Where notices are sent to.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record, Row};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// By which way notices are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// To a browser, by its push service.
    WebPush,
    /// To a server, as a signed request.
    #[default]
    Webhook,
    /// To the user's own address.
    Email,
}

/// A place that a user has notices sent to. What must not be seen of it is a secret, under
/// [`secret`](Self::secret): the key that signs for a webhook, the `auth` of a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotificationEndpoint {
    /// The user who is notified.
    pub user: Uuid,
    /// The channel.
    pub kind: EndpointKind,
    /// The address of the webhook or of the push service; empty for mail, which goes to wherever the user's address is.
    pub address: String,
    /// A browser's public key, as it gave it.
    pub p256dh: Option<String>,
    /// What the user calls it.
    pub label: Option<String>,
    /// When something was last taken there, to the minute.
    pub last_delivered_at: Option<Timestamp>,
    /// The last failure; `null` if the last attempt succeeded.
    pub last_error: Option<String>,
    /// Since when nothing was taken.
    pub failing_since: Option<Timestamp>,
    /// Notices that were given up.
    pub given_up: u64,
}

impl NotificationEndpoint {
    /// The name of its secret.
    pub fn secret(id: Uuid) -> String {
        format!("notification_endpoint/{id}")
    }

    /// The value of the unique index `by_address`. A browser belongs to its latest user, so its address is
    /// unique in the tenant.
    pub fn address_key(user: &Uuid, kind: EndpointKind, address: &str) -> Vec<u8> {
        let (owner, kind) = match kind {
            EndpointKind::WebPush => (Uuid::nil(), "web_push"),
            EndpointKind::Webhook => (*user, "webhook"),
            EndpointKind::Email => (*user, "email"),
        };
        let digest = ring::digest::digest(&ring::digest::SHA256, address.as_bytes());
        let mut key = IndexKey::new().id(&owner).text(kind).done();
        key.extend_from_slice(digest.as_ref());
        key
    }
}

impl Record for NotificationEndpoint {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"ne";
    const NAME: &'static str = "notification_endpoint";
    const GROWTH: Growth<Self> = Growth::Counted("per user, `limits.notification_endpoints_per_user`");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"n2",
            name: "by_user",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.user).done()],
        },
        Index {
            table: *b"n3",
            name: "by_address",
            unique: true,
            keys: |row: &Row<Self>| vec![Self::address_key(&row.user, row.kind, &row.address)],
        },
    ];
}
