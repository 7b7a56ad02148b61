//! How notifications and endpoints are shown.

use serde::Serialize;
use serde_json::{Map, Value};
use storage::records::{EndpointKind, Notice, NotificationEndpoint, Severity};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{list_of, record_view};

record_view! {
    /// A notification of the caller.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    pub struct NotificationResponse from row: Row<Notice>, row.body => {
        /// The notification's id.
        id: Uuid = row.id,
        /// What it is about, for programs.
        #[serde(rename = "type")]
        #[schema(example = "automation.failed")]
        kind: String,
        /// How important it is.
        severity: Severity,
        /// In a few words.
        title: String,
        /// In a few sentences.
        body: String,
        /// Where to go: a path of this server, or an address.
        link: Option<String>,
        /// Details, for programs.
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        /// When it was read.
        read_at: Option<Timestamp>,
        /// When it was sent.
        created_at: Timestamp = row.created_at,
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

record_view! {
    /// Where notifications are sent to, and how that goes.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct NotificationEndpointResponse
    from row: Row<NotificationEndpoint>, row.body => {
        /// The endpoint's id.
        id: Uuid = row.id,
        /// The channel.
        kind: EndpointKind,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String> = (row.kind == EndpointKind::Webhook).then(|| row.address.clone()),
        /// The address of the browser's push service.
        #[serde(skip_serializing_if = "Option::is_none")]
        endpoint: Option<String> = (row.kind == EndpointKind::WebPush).then(|| row.address.clone()),
        /// The name that the user gave it.
        label: Option<String>,
        /// The key that signs for a webhook; only in the response that creates it.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<String> = None,
        /// When a notification was last accepted there, to the minute.
        last_delivered_at: Option<Timestamp>,
        /// The last error; `null` while deliveries succeed.
        last_error: Option<String>,
        /// Since when deliveries have failed.
        failing_since: Option<Timestamp>,
        /// Notifications that were given up.
        given_up: u64,
        /// When it was registered.
        created_at: Timestamp = row.created_at,
    }
}

list_of! {
    #[derive(Debug)]
    pub NotificationEndpointResponseList of NotificationEndpointResponse
}

impl From<Vec<Row<NotificationEndpoint>>> for NotificationEndpointResponseList {
    fn from(rows: Vec<Row<NotificationEndpoint>>) -> Self {
        let total = Some(rows.len() as u64);
        Self { items: rows.into_iter().map(Into::into).collect(), total, next_cursor: None }
    }
}
