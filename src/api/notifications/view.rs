//! How notifications and endpoints are shown.

use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{EndpointKind, Notice, NotificationEndpoint, Severity};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::list_of;

/// Something that the caller was told.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NotificationResponse {
    /// Its id.
    pub id: Uuid,
    /// What it is about, for machines.
    #[serde(rename = "type")]
    #[schema(example = "automation.failed")]
    pub kind: String,
    /// How much it matters.
    pub severity: Severity,
    /// In a few words.
    pub title: String,
    /// In a few sentences.
    pub body: String,
    /// Where to go: a path of this server, or an address.
    pub link: Option<String>,
    /// For machines.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// When it was read.
    pub read_at: Option<Timestamp>,
    /// When it was told.
    pub created_at: Timestamp,
}

impl From<Row<Notice>> for NotificationResponse {
    fn from(row: Row<Notice>) -> Self {
        let (id, created_at, notice) = (row.id, row.created_at, row.body);
        Self {
            id,
            kind: notice.kind,
            severity: notice.severity,
            title: notice.title,
            body: notice.body,
            link: notice.link,
            data: notice.data,
            read_at: notice.read_at,
            created_at,
        }
    }
}

list_of! {
    /// A page of notifications, the newest first.
    #[derive(Debug)]
    pub NotificationResponseList of NotificationResponse
}

/// How many notifications were not read.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnreadCountResponse {
    /// The number.
    pub count: u64,
}

/// What was marked as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct MarkedReadResponse {
    /// How many there were that had not been read.
    pub marked: u64,
}

/// The key of this server for web push.
#[derive(Debug, Serialize, ToSchema)]
pub struct VapidPublicKeyResponse {
    /// As `applicationServerKey` of `pushManager.subscribe` takes it.
    pub public_key: String,
}

/// Where notifications are sent to, and how that goes.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationEndpointResponse {
    /// Its id.
    pub id: Uuid,
    /// By which way.
    pub kind: EndpointKind,
    /// Where the webhook is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the browser's push service is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// What it is called.
    pub label: Option<String>,
    /// The key that signs for a webhook; only in the answer that makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// When something was last taken there, to the minute.
    pub last_delivered_at: Option<Timestamp>,
    /// What went wrong last; `null` while all is well.
    pub last_error: Option<String>,
    /// Since when nothing was taken.
    pub failing_since: Option<Timestamp>,
    /// Notifications that were given up.
    pub given_up: u64,
    /// When it was registered.
    pub created_at: Timestamp,
}

impl From<Row<NotificationEndpoint>> for NotificationEndpointResponse {
    fn from(row: Row<NotificationEndpoint>) -> Self {
        let (id, created_at, it) = (row.id, row.created_at, row.body);
        let address = |kind: EndpointKind| (it.kind == kind).then(|| it.address.clone());
        Self {
            id,
            kind: it.kind,
            url: address(EndpointKind::Webhook),
            endpoint: address(EndpointKind::WebPush),
            label: it.label,
            secret: None,
            last_delivered_at: it.last_delivered_at,
            last_error: it.last_error,
            failing_since: it.failing_since,
            given_up: it.given_up,
            created_at,
        }
    }
}

list_of! {
    /// Endpoints.
    #[derive(Debug)]
    pub NotificationEndpointResponseList of NotificationEndpointResponse
}

impl From<Vec<Row<NotificationEndpoint>>> for NotificationEndpointResponseList {
    fn from(rows: Vec<Row<NotificationEndpoint>>) -> Self {
        let total = Some(rows.len() as u64);
        Self { items: rows.into_iter().map(Into::into).collect(), total, next_cursor: None }
    }
}
