//! Requests about notifications.

use domain::notifications::{self, NewNotification, NewPreferences, Recipients};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::records::{ChannelChoice, EndpointKind, Severity};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{DEFAULT_PAGE, Faults, Paging, Validate};

/// The read state to filter by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationListFilter {
    /// All notifications, read or not.
    #[default]
    All,
    /// Notifications that have not been read.
    Unread,
    /// Notifications that have been read.
    Read,
}

/// Which of the caller's notifications to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListNotifications {
    /// Returns only read or only unread notifications.
    pub status: Option<NotificationListFilter>,
    /// The maximum number of items to return.
    #[serde(default = "fifty")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// For a feed: the `id` of the last event that the client received. The header `Last-Event-ID` takes
    /// precedence.
    pub after: Option<u64>,
}

fn fifty() -> u32 {
    DEFAULT_PAGE
}

impl ListNotifications {
    /// The requested page.
    pub fn paging(&self) -> Paging {
        Paging { limit: self.limit, cursor: self.cursor.clone() }
    }
}

impl Validate for ListNotifications {
    fn validate(&self, faults: &mut Faults) {
        self.paging().validate(faults);
    }
}

/// The keys of a browser's push subscription, as `PushSubscription.toJSON()` returns them.
#[derive(Clone, Deserialize, ToSchema)]
pub struct PushKeys {
    /// The browser's public key.
    pub p256dh: String,
    /// The browser's authentication secret.
    pub auth: String,
}

impl std::fmt::Debug for PushKeys {
    /// Omits the keys, since one of them is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushKeys").finish_non_exhaustive()
    }
}

/// An endpoint for notifications: a webhook with its `url`, a browser with the `endpoint` and the `keys` of its
/// push subscription, or the caller's email address, which needs no other field.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct NotificationEndpointBody {
    /// The channel of the endpoint.
    #[schema(required, value_type = EndpointKind)]
    pub kind: Option<EndpointKind>,
    /// The URL of the webhook.
    #[schema(min_length = 1, max_length = 2048, example = "https://example.org/hooks/understudy")]
    pub url: Option<String>,
    /// The URL of the browser's push service.
    #[schema(min_length = 1, max_length = 2048)]
    pub endpoint: Option<String>,
    /// The browser's keys. Not required to delete the endpoint.
    pub keys: Option<PushKeys>,
    /// Sent by browsers and ignored.
    #[serde(rename = "expirationTime")]
    #[schema(value_type = Option<f64>)]
    pub _expiration_time: Option<serde_json::Value>,
    /// A name for the endpoint.
    #[schema(min_length = 1, max_length = 100, example = "Work laptop")]
    pub label: Option<String>,
}

impl NotificationEndpointBody {
    /// The endpoint's kind. Validation guarantees that it is present.
    pub fn kind(&self) -> EndpointKind {
        self.kind.unwrap_or_default()
    }

    /// The address that identifies the endpoint within its kind.
    pub fn address(&self) -> &str {
        let address = match self.kind() {
            EndpointKind::Webhook => self.url.as_deref(),
            EndpointKind::WebPush => self.endpoint.as_deref(),
            EndpointKind::Email => None,
        };
        address.unwrap_or_default().trim()
    }
}

impl Validate for NotificationEndpointBody {
    const TRIMMED: &'static [&'static str] = &["label", "url", "endpoint"];

    fn validate(&self, faults: &mut Faults) {
        // The other required fields depend on the kind, so they are not checked if the kind is missing.
        let Some(kind) = self.kind else {
            return faults.add(["kind"], "is needed", "missing");
        };
        let (url, endpoint) = (self.url.is_some(), self.endpoint.is_some());
        let (needs_url, needs_endpoint) = (kind == EndpointKind::Webhook, kind == EndpointKind::WebPush);
        let places = [("url", url, needs_url), ("endpoint", endpoint, needs_endpoint)];
        for (field, there, needed) in places {
            match (there, needed) {
                (false, true) => faults.add([field], "is needed for this kind", "missing"),
                (true, false) => faults.add([field], "belongs to another kind", "unexpected"),
                _ => {}
            }
        }
        if self.keys.is_some() && kind != EndpointKind::WebPush {
            faults.add(["keys"], "belong to another kind", "unexpected");
        }
    }
}

/// The preferences to set.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateNotificationPreferencesBody {
    /// Preferences by type; `*` applies to all types. A channel that is omitted or `null` has no preference.
    #[schema(example = json!({"*": {"email": false}, "automation.failed": {"email": true, "web_push": true}}))]
    pub preferences: BTreeMap<String, ChannelChoice>,
    /// The version to replace. If the current version differs, the response is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateNotificationPreferencesBody {
    fn validate(&self, faults: &mut Faults) {
        refuse_unknown_types(faults, self.preferences.keys());
    }

    fn validate_refused(body: &serde_json::Value, faults: &mut Faults) {
        let names = body["preferences"].as_object().into_iter().flat_map(serde_json::Map::keys);
        refuse_unknown_types(faults, names);
    }
}

fn refuse_unknown_types<'a>(faults: &mut Faults, names: impl IntoIterator<Item = &'a String>) {
    for name in names.into_iter().filter(|name| !notifications::is_type(name)) {
        faults.add(["preferences", name], "is not a type of notification", "unknown_value");
    }
}

impl From<UpdateNotificationPreferencesBody> for NewPreferences {
    fn from(body: UpdateNotificationPreferencesBody) -> Self {
        Self { types: body.preferences, version: body.version }
    }
}

/// The types of notification that administrators can send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SentType {
    /// A message to its recipients.
    #[default]
    Message,
    /// An announcement of general interest.
    Announcement,
}

impl SentType {
    /// The value stored in the notification's type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Announcement => "announcement",
        }
    }
}

/// A notification to send to everyone, or to the users, groups and teams that are named. Each recipient is
/// notified once.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct SendNotificationRequest {
    /// The users to notify. They must be members of the tenant.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub user_ids: Vec<Uuid>,
    /// Groups whose members to notify.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub group_ids: Vec<Uuid>,
    /// Teams whose members to notify.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub team_ids: Vec<Uuid>,
    /// Whether to notify all users of the tenant.
    #[serde(default)]
    pub everyone: bool,
    #[serde(default, rename = "type")]
    pub kind: SentType,
    /// The importance of the notification.
    #[serde(default)]
    pub severity: Severity,
    /// A short headline.
    #[schema(min_length = 1, max_length = 200)]
    pub title: String,
    /// The text of the notification.
    #[serde(default)]
    #[schema(max_length = 4000)]
    pub body: String,
    /// The target of the notification: a path of this server, or a URL that begins with `https://`.
    #[schema(min_length = 1, max_length = 2048)]
    pub link: Option<String>,
}

impl Validate for SendNotificationRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("title", self.title.trim());
        if self.link.as_deref().is_some_and(|link| !is_link(link)) {
            faults.add(["link"], "is neither a path nor an address that begins with https://", "malformed");
        }
        let named =
            [("user_ids", &self.user_ids), ("group_ids", &self.group_ids), ("team_ids", &self.team_ids)];
        for (field, ids) in named {
            if self.everyone && !ids.is_empty() {
                faults.add([field], "must be empty if `everyone` is set", "unexpected");
            }
        }
        if !self.everyone && named.iter().all(|(_, ids)| ids.is_empty()) {
            faults.add(["user_ids"], "is empty, as are `group_ids`, `team_ids` and `everyone`", "missing");
        }
    }
}

impl From<SendNotificationRequest> for NewNotification {
    fn from(body: SendNotificationRequest) -> Self {
        let SendNotificationRequest { user_ids, group_ids, team_ids, everyone, .. } = body;
        let recipients = Recipients { everyone, user_ids, group_ids, team_ids };
        let SendNotificationRequest { kind, severity, title, body, link, .. } = body;
        Self { recipients, kind: kind.as_str(), severity, title, body, link }
    }
}

/// Whether a link is a path of this server or an `https` URL, and cannot execute script in a page.
pub fn is_link(link: &str) -> bool {
    let plain = !link.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    let path = link.starts_with('/') && !link.starts_with("//");
    let address = || {
        let url = reqwest::Url::parse(link).ok().filter(|url| url.scheme() == "https");
        url.is_some_and(|url| url.has_host() && url.username().is_empty() && url.password().is_none())
    };
    plain && (path || address())
}
