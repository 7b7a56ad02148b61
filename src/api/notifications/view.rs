//! Responses about notifications and endpoints.

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
        /// The type of the notification, for programs.
        #[serde(rename = "type")]
        #[schema(example = "automation.failed")]
        kind: String,
        /// How important the notification is.
        severity: Severity,
        /// A short headline.
        title: String,
        /// The text of the notification.
        body: String,
        /// The target of the notification: a path of this server, or a URL.
        link: Option<String>,
        /// Additional data, for programs.
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        /// When the notification was read.
        read_at: Option<Timestamp>,
        /// When the notification was sent.
        created_at: Timestamp = row.created_at,
    }
}

list_of! {
    /// A page of notifications, newest first.
    #[derive(Debug)]
    pub NotificationResponseList of NotificationResponse
}

/// The number of unread notifications.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnreadCountResponse {
    /// How many notifications have not been read.
    pub count: u64,
}

/// The result of marking notifications as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct MarkedReadResponse {
    /// The number of notifications that were unread before.
    pub marked: u64,
}

/// The public key of this server for web push.
#[derive(Debug, Serialize, ToSchema)]
pub struct VapidPublicKeyResponse {
    /// The value of `applicationServerKey` for `pushManager.subscribe`.
    pub public_key: String,
}

record_view! {
    /// An endpoint for notifications and its delivery status.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct NotificationEndpointResponse
    from row: Row<NotificationEndpoint>, row.body => {
        /// The endpoint's id.
        id: Uuid = row.id,
        /// The channel of the endpoint.
        kind: EndpointKind,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        url: Option<String> = (row.kind == EndpointKind::Webhook).then(|| row.address.clone()),
        /// The URL of the browser's push service.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        endpoint: Option<String> = (row.kind == EndpointKind::WebPush).then(|| row.address.clone()),
        /// The name that the user gave the endpoint.
        label: Option<String>,
        /// The key that signs webhook deliveries. Only present in the response that creates the endpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        secret: Option<String> = None,
        /// When the endpoint last accepted a notification, to the minute.
        last_delivered_at: Option<Timestamp>,
        /// The last delivery error. `null` while deliveries succeed.
        last_error: Option<String>,
        /// Since when deliveries have failed.
        failing_since: Option<Timestamp>,
        /// The number of notifications whose delivery was abandoned.
        given_up: u64,
        /// When the endpoint was registered.
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
