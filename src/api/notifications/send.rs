//! What administrators tell people.

use serde::Serialize;
use serde_json::json;
use storage::records::Notice;
use storage::{Tx, notices};
use utoipa::ToSchema;

use super::recipients;
use super::schema::SendNotificationRequest;
use crate::accounts::members::still_admin;
use crate::accounts::{self, Actor};
use crate::http::{Api, Caller};

/// Whom it reached.
#[derive(Debug, Serialize, ToSchema)]
pub struct SentNotificationResponse {
    /// How many people are told. By which ways is theirs to choose.
    pub recipients: u64,
}

/// Tells all who are meant, and writes down that it was done.
pub fn send(tx: &mut Tx, caller: &Caller, asked: &SendNotificationRequest) -> Api<SentNotificationResponse> {
    still_admin(tx, caller)?;
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
    accounts::audit(tx, caller.tenant, Actor::from(caller), "notification.send", target, detail)?;
    Ok(SentNotificationResponse { recipients })
}
