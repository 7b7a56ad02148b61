//! Sending notifications, once for each idempotency key.

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::notifications::{self, NewNotification};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::schema::SendNotificationRequest;
use crate::App;
use crate::http::idempotency::KeyedRequest;
use crate::http::{Api, Caller};

/// The result of sending a notification.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
pub struct SentNotificationResponse {
    /// The number of users who are notified. Their preferences determine the channels.
    pub recipients: u64,
}

/// Sends a notification once for each idempotency key. A repeated request does not count against the rate limit
/// and notifies no one again.
pub async fn send_once(
    app: &App,
    caller: Arc<Caller>,
    request: &HttpRequest,
    body: SendNotificationRequest,
) -> Api<SentNotificationResponse> {
    let named = KeyedRequest::read(request, &caller, "notifications.send_notification", &body)?;
    let known = match named.clone() {
        Some(named) => app.store.read(move |reader| named.answered(reader)).await?,
        None => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    app.limits.charge_broadcast(caller.tenant.0)?;
    let new = NewNotification::from(body);
    let sent = app.store.run(move |tx| {
        KeyedRequest::once(named.as_ref(), tx, |tx| {
            Ok(SentNotificationResponse { recipients: notifications::send(tx, &caller, &new)? })
        })
    });
    sent.await
}
