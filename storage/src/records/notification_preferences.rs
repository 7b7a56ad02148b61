//! The notification channels that a user has chosen.

use super::EndpointKind;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The channels of a notification. A value that is not set is taken from the next preference in order of precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ChannelChoice {
    /// Whether the notification is listed in the product.
    pub in_product: Option<bool>,
    /// Whether the notification is sent to browsers.
    pub web_push: Option<bool>,
    /// Whether the notification is sent to webhooks.
    pub webhook: Option<bool>,
    /// Whether the notification is sent to the user's email address.
    pub email: Option<bool>,
}

impl ChannelChoice {
    /// Returns this choice with unset values taken from `other`.
    pub fn or(self, other: Self) -> Self {
        Self {
            in_product: self.in_product.or(other.in_product),
            web_push: self.web_push.or(other.web_push),
            webhook: self.webhook.or(other.webhook),
            email: self.email.or(other.email),
        }
    }
}

/// The channels of a notification, with all values set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Channels {
    /// Whether the notification is listed in the product.
    pub in_product: bool,
    /// Whether the notification is sent to browsers.
    pub web_push: bool,
    /// Whether the notification is sent to webhooks.
    pub webhook: bool,
    /// Whether the notification is sent to the user's email address.
    pub email: bool,
}

impl Channels {
    /// Returns whether notifications are sent to endpoints of this kind.
    pub fn allow(self, kind: EndpointKind) -> bool {
        match kind {
            EndpointKind::WebPush => self.web_push,
            EndpointKind::Webhook => self.webhook,
            EndpointKind::Email => self.email,
        }
    }

    /// Returns these channels with the values that are set in `choice`.
    pub fn but(self, choice: ChannelChoice) -> Self {
        Self {
            in_product: choice.in_product.unwrap_or(self.in_product),
            web_push: choice.web_push.unwrap_or(self.web_push),
            webhook: choice.webhook.unwrap_or(self.webhook),
            email: choice.email.unwrap_or(self.email),
        }
    }
}

/// The notification preferences of a user in a tenant. Its id is the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotificationPreferences {
    /// Preferences by notification type; `*` is for all types.
    pub types: BTreeMap<String, ChannelChoice>,
}

impl Record for NotificationPreferences {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"np";
    const NAME: &'static str = "notification_preferences";
    const GROWTH: Growth<Self> = Growth::OnePer("user");
}
