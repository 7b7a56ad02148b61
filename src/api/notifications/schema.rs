//! Requests about notifications.

use domain::notifications::{self, NewNotification, NewPreferences, Recipients};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::records::{ChannelChoice, EndpointKind, Severity};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{DEFAULT_PAGE, Faults, Paging, Validate};

/// Which notifications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationListFilter {
    /// All of them.
    #[default]
    All,
    /// Those that were not read.
    Unread,
    /// Those that were read.
    Read,
}

/// Which of the caller's notifications.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListNotifications {
    /// Only those that were read, or were not.
    pub status: Option<NotificationListFilter>,
    /// How many at most.
    #[serde(default = "fifty")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// For a feed: the `id` of the last event that is known. `Last-Event-ID` says the same, and is heard first.
    pub after: Option<u64>,
}

fn fifty() -> u32 {
    DEFAULT_PAGE
}

impl ListNotifications {
    /// The page that is asked for.
    pub fn paging(&self) -> Paging {
        Paging { limit: self.limit, cursor: self.cursor.clone() }
    }
}

impl Validate for ListNotifications {
    fn validate(&self, faults: &mut Faults) {
        self.paging().validate(faults);
    }
}

/// A browser's keys, as `PushSubscription.toJSON()` writes them.
#[derive(Clone, Deserialize, ToSchema)]
pub struct PushKeys {
    /// Its public key.
    pub p256dh: String,
    /// Its secret.
    pub auth: String,
}

impl std::fmt::Debug for PushKeys {
    /// One of them is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushKeys").finish_non_exhaustive()
    }
}

/// A place to send notifications to: a webhook with its `url`, a browser with the `endpoint` and the `keys` of its push
/// subscription, or the caller's own address, which needs nothing else.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct NotificationEndpointBody {
    /// By which way.
    #[schema(required, value_type = EndpointKind)]
    pub kind: Option<EndpointKind>,
    /// Where the webhook is.
    #[schema(min_length = 1, max_length = 2048, example = "https://example.org/hooks/understudy")]
    pub url: Option<String>,
    /// Where the browser's push service is.
    #[schema(min_length = 1, max_length = 2048)]
    pub endpoint: Option<String>,
    /// The browser's keys; not needed to delete it.
    pub keys: Option<PushKeys>,
    /// Browsers tell it; nothing is done with it.
    #[serde(rename = "expirationTime")]
    #[schema(value_type = Option<f64>)]
    pub _expiration_time: Option<serde_json::Value>,
    /// What to call it.
    #[schema(min_length = 1, max_length = 100, example = "Work laptop")]
    pub label: Option<String>,
}

impl NotificationEndpointBody {
    /// Its kind, which a body that was read has.
    pub fn kind(&self) -> EndpointKind {
        self.kind.unwrap_or_default()
    }

    /// What names it beside its kind.
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
        // What else is needed hangs on the kind, so nothing is said of it where that is wrong.
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

/// By which ways to tell what.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateNotificationPreferencesBody {
    /// By type; `*` is for all types. A way that is left out, or `null`, is left open.
    #[schema(example = json!({"*": {"email": false}, "automation.failed": {"email": true, "web_push": true}}))]
    pub preferences: BTreeMap<String, ChannelChoice>,
    /// The version that is replaced; if it is another by now, the answer is 412.
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
        faults.add(["preferences", name], "is no type of notification", "unknown_value");
    }
}

impl From<UpdateNotificationPreferencesBody> for NewPreferences {
    fn from(body: UpdateNotificationPreferencesBody) -> Self {
        Self { types: body.preferences, version: body.version }
    }
}

/// What administrators write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SentType {
    /// Something for those it is sent to.
    #[default]
    Message,
    /// Something for everybody to know.
    Announcement,
}

impl SentType {
    /// As notifications carry it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Announcement => "announcement",
        }
    }
}

/// What to tell, and to whom: everybody, or the users, groups and teams that are named, each person once.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct SendNotificationRequest {
    /// Members of the tenant.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub user_ids: Vec<Uuid>,
    /// All in these groups.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub group_ids: Vec<Uuid>,
    /// All in these teams.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pub team_ids: Vec<Uuid>,
    /// All people of the tenant.
    #[serde(default)]
    pub everyone: bool,
    #[serde(default, rename = "type")]
    pub kind: SentType,
    /// How much it matters.
    #[serde(default)]
    pub severity: Severity,
    /// In a few words.
    #[schema(min_length = 1, max_length = 200)]
    pub title: String,
    /// In a few sentences.
    #[serde(default)]
    #[schema(max_length = 4000)]
    pub body: String,
    /// Where to go: a path of this server, or an address that begins with `https://`.
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
                faults.add([field], "names some, and `everyone` is all", "unexpected");
            }
        }
        if !self.everyone && named.iter().all(|(_, ids)| ids.is_empty()) {
            faults.add(["user_ids"], "names no one, and neither do groups, teams or `everyone`", "missing");
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

/// Whether a link leads to this server, by a path, or elsewhere by TLS; and to nothing that a page would run.
fn is_link(link: &str) -> bool {
    let plain = !link.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    let path = link.starts_with('/') && !link.starts_with("//");
    let address = || {
        let url = reqwest::Url::parse(link).ok().filter(|url| url.scheme() == "https");
        url.is_some_and(|url| url.has_host() && url.username().is_empty() && url.password().is_none())
    };
    plain && (path || address())
}

#[cfg(test)]
mod tests {
    use super::is_link;

    #[test]
    fn links_lead_here_or_elsewhere_by_tls() {
        for good in ["/", "/automations/1?tab=runs#last", "https://example.org/a"] {
            assert!(is_link(good), "{good}");
        }
        for bad in [
            "",
            "automations",
            "//evil.example",
            "/\\evil.example",
            "http://example.org",
            "javascript:alert(1)",
            "https://",
            "https://bank.example@evil.example/",
            "/a b",
            "/a\nb",
            "data:text/html,x",
        ] {
            assert!(!is_link(bad), "{bad}");
        }
    }
}
