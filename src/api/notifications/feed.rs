//! The caller's notifications as they come.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};
use storage::Row;
use storage::records::Notice;
use utoipa::ToSchema;

use super::schema::ListNotifications;
use super::view::NotificationResponse;
use crate::App;
use crate::http::encodings::{self, Rights, Wire};
use crate::http::{Api, Caller, Refusal, Scope};

/// One event of the feed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the feed writes")]
pub struct NotificationEvent {
    /// What happened: `notification`, `read`, `deleted`; besides, `unread_count`, which tells how things stand, and
    /// `reset`, which asks to list them again.
    #[schema(rename = "type", example = "notification")]
    kind: String,
    /// Counts the changes, not without gaps; the event's `id`.
    seq: u64,
    /// The notification as it was told; `notification_ids`, and `read_at` where they were read; or the `count`.
    #[schema(value_type = Object)]
    data: Value,
}

/// Whether a feed is asked for, and behind which event it goes on.
pub fn resume_after(request: &HttpRequest, params: &ListNotifications) -> Api<Option<Option<u64>>> {
    if Wire::accepted(request.headers()) != Some(Wire::Events) {
        return Ok(None);
    }
    // A browser that comes back asks for the same address as at first, so what it heard since wins.
    let Some(last) = request.headers().get("last-event-id") else { return Ok(Some(params.after)) };
    let last = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    let fault = || Refusal::invalid("header", ["Last-Event-ID"], "is none of this feed's", "malformed");
    Ok(Some(Some(last.ok_or_else(fault)?)))
}

/// The feed, until the caller's rights end.
pub fn answer(app: &Data<App>, caller: Arc<Caller>, from: Option<u64>) -> HttpResponse {
    let show = |row: Row<Notice>| {
        // As it was told: that it was read is told by an event of its own.
        json!(NotificationResponse { read_at: None, ..row.into() })
    };
    let rights = rights(app, &caller);
    let body = encodings::notices(app.store.clone(), caller.tenant, caller.user, from, rights, show);
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    response.streaming(body)
}

/// Whether the credential still holds, and opens this. It is asked whenever anyone's rights change.
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
