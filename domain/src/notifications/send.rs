//! Notifications that administrators send.

use serde_json::json;
use storage::records::{Notice, Severity};
use storage::{Tx, notices};

use super::Recipients;
use crate::accounts::members::require_admin;
use crate::audit::{Actor, audit};
use crate::{Caller, Result};

/// A notification to send.
#[derive(Clone, Debug)]
pub struct NewNotification {
    pub recipients: Recipients,
    /// The type of the notification.
    pub kind: &'static str,
    pub severity: Severity,
    /// The title; surrounding white space is removed.
    pub title: String,
    pub body: String,
    /// A path of this server, or a URL that begins with `https://`.
    pub link: Option<String>,
}

/// Sends a notification to each recipient once, and returns the number of recipients.
///
/// # Errors
/// `role_missing` if the caller is no longer an administrator; `invalid` for recipients that do not exist, and for too
/// many.
pub fn send(tx: &mut Tx, caller: &Caller, new: &NewNotification) -> Result<u64> {
    require_admin(tx, caller)?;
    let users = new.recipients.resolve(tx, caller.tenant)?;
    let notice = Notice {
        kind: new.kind.to_owned(),
        severity: new.severity,
        title: new.title.trim().to_owned(),
        body: new.body.clone(),
        link: new.link.clone(),
        ..Notice::default()
    };
    for user in &users {
        notices::notify(tx, caller.tenant, Notice { user: *user, ..notice.clone() })?;
    }
    let (count, to) = (users.len() as u64, &new.recipients);
    let detail = json!({
        "type": new.kind, "title": notice.title, "recipients": count, "everyone": to.everyone,
        "users": to.user_ids.len(), "groups": to.group_ids, "teams": to.team_ids,
    });
    let target = format!("tenant {}", caller.tenant);
    audit(tx, caller.tenant, Actor::from(caller), "notification.send", target, detail)?;
    Ok(count)
}
