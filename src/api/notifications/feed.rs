//! The live feed of the caller's notifications.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::json;
use storage::records::Notice;
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::schema::ListNotifications;
use super::view::{NotificationResponse, UnreadCountResponse};
use crate::App;
use crate::http::encodings::{self, Rights, Wire};
use crate::http::{Api, Caller, Refusal, Scope};

/// An event of the notification feed.
#[derive(Serialize, ToSchema)]
pub struct NotificationEvent {
    /// The sequence number of the change, which is also the event's `id`. It increases, with gaps.
    seq: u64,
    #[serde(flatten)]
    change: NotificationChange,
}

/// The type of an event of the notification feed and its data.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", content = "data")]
#[expect(dead_code, reason = "describes what the feed writes")]
enum NotificationChange {
    /// A notification, as it was sent.
    #[serde(rename = "notification")]
    Notification(NotificationResponse),
    /// Notifications were read.
    #[serde(rename = "read")]
    Read { notification_ids: Vec<Uuid>, read_at: Timestamp },
    /// Notifications were deleted.
    #[serde(rename = "deleted")]
    Deleted { notification_ids: Vec<Uuid> },
    /// The current number of unread notifications, after each group of changes.
    #[serde(rename = "unread_count")]
    UnreadCount(UnreadCountResponse),
    /// The position of the client is no longer known. It must list the notifications again.
    #[serde(rename = "reset")]
    Reset(NotificationReset),
}

/// An event without data.
#[derive(Serialize, ToSchema)]
struct NotificationReset {}

/// Returns `None` if the request does not ask for a feed; otherwise the event after which the feed resumes, if
/// any.
pub fn resume_after(request: &HttpRequest, params: &ListNotifications) -> Api<Option<Option<u64>>> {
    if Wire::accepted(request.headers()) != Some(Wire::Events) {
        return Ok(None);
    }
    // A browser that reconnects requests the original URL, so `Last-Event-ID` takes precedence over the query.
    let Some(last) = request.headers().get("last-event-id") else { return Ok(Some(params.after)) };
    let last = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    let fault =
        || Refusal::invalid("header", ["Last-Event-ID"], "is not an event id of this feed", "malformed");
    Ok(Some(Some(last.ok_or_else(fault)?)))
}

/// The feed, which ends when the caller's rights end.
pub fn answer(app: &Data<App>, caller: Arc<Caller>, from: Option<u64>) -> HttpResponse {
    let show = |row: Row<Notice>| {
        // The notification as it was sent: an event of its own reports that it was read.
        json!(NotificationResponse { read_at: None, ..row.into() })
    };
    let rights = rights(app, &caller);
    let body = encodings::notices(app.store.clone(), caller.tenant, caller.user, from, rights, show);
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    response.streaming(body)
}

/// Tracks whether the credential is still valid and allows reading notifications. It is checked again whenever
/// any user's rights change.
fn rights(app: &Data<App>, caller: &Arc<Caller>) -> Rights {
    let (listener, closing) = (app.store.subscribe_rights(), app.closing.subscribe());
    let (app, caller) = (app.clone(), caller.clone());
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            let now = app.identity.still(&caller).await;
            now.is_some_and(|now| now.may(Scope::NotificationsRead))
        })
    });
    rights.at_each(listener).until(closing)
}
