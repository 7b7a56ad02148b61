//! Endpoints that notifications are sent to.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record, Row};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The channel through which notifications are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// A browser, through its push service.
    WebPush,
    /// A server, with a signed request.
    #[default]
    Webhook,
    /// The user's own email address.
    Email,
}

/// A destination for a user's notifications. Its confidential part is a secret, under [`secret`](Self::secret): the
/// signing key of a webhook, or the `auth` value of a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotificationEndpoint {
    /// The user who is notified.
    pub user: Uuid,
    /// The channel.
    pub kind: EndpointKind,
    /// URL of the webhook or of the push service. Empty for email, which is sent to the user's current address.
    pub address: String,
    /// The browser's public key, as the browser sent it.
    pub p256dh: Option<String>,
    /// Name chosen by the user.
    pub label: Option<String>,
    /// Time of the last successful delivery, to the minute.
    pub last_delivered_at: Option<Timestamp>,
    /// The last failure; `null` if the last attempt succeeded.
    pub last_error: Option<String>,
    /// Time since which all deliveries have failed.
    pub failing_since: Option<Timestamp>,
    /// Number of notifications whose delivery was abandoned.
    pub given_up: u64,
}

impl NotificationEndpoint {
    /// Returns the name of the endpoint's secret.
    pub fn secret(id: Uuid) -> String {
        format!("notification_endpoint/{id}")
    }

    /// Returns the key of the unique index `by_address`. A browser belongs to its latest user, so its address is unique
    /// within the tenant.
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
