//! Which notices a user wants, and by which ways.

use super::EndpointKind;
use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The channels of a notification; what is left open is decided by the next preference in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ChannelChoice {
    /// Whether it is listed in the product.
    pub in_product: Option<bool>,
    /// Whether it goes to browsers.
    pub web_push: Option<bool>,
    /// Whether it goes to webhooks.
    pub webhook: Option<bool>,
    /// Whether it goes to the user's address.
    pub email: Option<bool>,
}

impl ChannelChoice {
    /// This, or `other` if nothing is chosen.
    pub fn or(self, other: Self) -> Self {
        Self {
            in_product: self.in_product.or(other.in_product),
            web_push: self.web_push.or(other.web_push),
            webhook: self.webhook.or(other.webhook),
            email: self.email.or(other.email),
        }
    }
}

/// The channels of a notification, all decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Channels {
    /// Whether it is listed in the product.
    pub in_product: bool,
    /// Whether it goes to browsers.
    pub web_push: bool,
    /// Whether it goes to webhooks.
    pub webhook: bool,
    /// Whether it goes to the user's address.
    pub email: bool,
}

impl Channels {
    /// Whether something goes to endpoints of this kind.
    pub fn allow(self, kind: EndpointKind) -> bool {
        match kind {
            EndpointKind::WebPush => self.web_push,
            EndpointKind::Webhook => self.webhook,
            EndpointKind::Email => self.email,
        }
    }

    /// These, except where a choice says otherwise.
    pub fn but(self, choice: ChannelChoice) -> Self {
        Self {
            in_product: choice.in_product.unwrap_or(self.in_product),
            web_push: choice.web_push.unwrap_or(self.web_push),
            webhook: choice.webhook.unwrap_or(self.webhook),
            email: choice.email.unwrap_or(self.email),
        }
    }
}

/// What a user of a tenant chose. Its id is the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotificationPreferences {
    /// By the type of the notice; `*` is for all types.
    pub types: BTreeMap<String, ChannelChoice>,
}

impl Record for NotificationPreferences {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"np";
    const NAME: &'static str = "notification_preferences";
    const GROWTH: Growth<Self> = Growth::OnePer("user");
}
