//! What administrators tell people.

use std::sync::Arc;

use actix_web::HttpRequest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::records::Notice;
use storage::{Tx, notices};
use utoipa::ToSchema;

use super::recipients;
use super::schema::SendNotificationRequest;
use crate::App;
use crate::http::idempotency::KeyedRequest;
use crate::http::{Api, Caller};
use domain::accounts::members::require_admin;
use domain::audit::{Actor, audit};

/// Whom it reached.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
pub struct SentNotificationResponse {
    /// How many people are told. By which ways is theirs to choose.
    pub recipients: u64,
}

/// Tells all who are meant, once for each key: a request that was answered before is not counted against the limit,
/// and nobody is told again.
pub async fn send_once(
    app: &App,
    caller: Arc<Caller>,
    request: &HttpRequest,
    asked: SendNotificationRequest,
) -> Api<SentNotificationResponse> {
    let named = KeyedRequest::of(request, &caller, "notifications.send_notification", &asked)?;
    let known = match named.clone() {
        Some(named) => app.store.read(move |reader| named.answered(reader)).await?,
        None => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    app.limits.charge_broadcast(caller.tenant.0)?;
    let told = app.store.run(move |tx| {
        require_admin(tx, &caller)?;
        KeyedRequest::once(named.as_ref(), tx, |tx| send(tx, &caller, &asked))
    });
    told.await
}

/// Tells all who are meant, and writes down that it was done.
fn send(tx: &mut Tx, caller: &Caller, asked: &SendNotificationRequest) -> Api<SentNotificationResponse> {
    let meant = recipients::meant(tx, caller.tenant, asked)?;
    let notice = Notice {
        kind: asked.kind.as_str().to_owned(),
        severity: asked.severity,
        title: asked.title.trim().to_owned(),
        body: asked.body.clone(),
        link: asked.link.clone(),
        ..Notice::default()
    };
    for user in &meant {
        notices::tell(tx, caller.tenant, Notice { user: *user, ..notice.clone() })?;
    }
    let recipients = meant.len() as u64;
    let detail = json!({
        "type": asked.kind, "title": notice.title, "recipients": recipients, "everyone": asked.everyone,
        "users": asked.user_ids.len(), "groups": asked.group_ids, "teams": asked.team_ids,
    });
    let target = format!("tenant {}", caller.tenant);
    audit(tx, caller.tenant, Actor::from(caller), "notification.send", target, detail)?;
    Ok(SentNotificationResponse { recipients })
}
