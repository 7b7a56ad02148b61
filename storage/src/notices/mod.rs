//! Notifies users in the same transaction as the change that they are notified of.
//!
//! [`notify`] is the only entry point. It adds the notice to the user's list, records the change for listeners, and adds
//! the notice to the queue of every endpoint that the user's preferences select (an outbox). This module does not send
//! deliveries.

mod endpoints;
mod feed;
mod kinds;
mod outbox;

use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::keys::IndexKey;
use crate::reader::Reader;
use crate::records::{
    ChannelChoice, Channels, Membership, Notice, NoticeChange, NotificationPreferences, Role, User,
};
use crate::scan::Scan;
use crate::time::Timestamp;
use crate::tx::Tx;
use std::time::Duration;
use uuid::Uuid;

pub use endpoints::{NewEndpoint, drop_endpoint, endpoints_of, find_endpoint, register};
pub use feed::{
    CHANGES_KEPT, Change, NoticeCounts, changes, mark_all_read, mark_done, mark_read, notice_counts, remove,
};
pub use kinds::{EVERY, KINDS, NoticeKind, kind_of};
pub use outbox::{DeliveryOutcome, MAX_WAITING, due_queues, next_delivery, next_visit, postpone, settle};

/// Maximum number of notices stored for a user. If there are more, the oldest are deleted.
pub const MAX_KEPT: u64 = 1_000;
/// How long notices are stored.
pub const KEPT_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Maximum number of characters of a title and of a text. Longer ones are truncated.
const TITLE: usize = 200;
const BODY: usize = 4_000;

/// Notifies a user through the selected channels: in the product, and through the endpoints that accept this type. Does
/// nothing for users who are not members of the tenant. Returns the id of the notification in the product, if there is
/// one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn notify(tx: &mut Tx, tenant: TenantId, mut notice: Notice) -> Result<Option<Uuid>> {
    let user = notice.user;
    if tx.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?.is_none() {
        return Ok(None);
    }
    clip(&mut notice.title, TITLE);
    clip(&mut notice.body, BODY);
    notice.read_at = None;
    let (id, mut told_at) = (new_id(), Timestamp::now());
    let channels = channels(tx, tenant, user, &notice.kind)?;
    if channels.in_product {
        let row = tx.insert(tenant, id, notice.clone())?;
        told_at = row.created_at;
        feed::note(tx, tenant, user, NoticeChange::Told, vec![row.id], told_at, (1, 1))?;
        feed::keep_to(tx, tenant, user, MAX_KEPT)?;
    }
    for endpoint in endpoints_of(tx, tenant, user)? {
        if channels.allow(endpoint.kind) {
            outbox::enqueue(tx, tenant, &endpoint, id, told_at, &notice)?;
        }
    }
    Ok(channels.in_product.then_some(id))
}

/// Notifies all administrators of a tenant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn notify_administrators(tx: &mut Tx, tenant: TenantId, notice: &Notice) -> Result<()> {
    // The administrators are looked up outside the transaction, which would otherwise depend on all members of the
    // tenant. `notify` checks within the transaction that each of them is still a member.
    let beside = Reader::new(tx.engine.clone());
    let members = Scan::index("by_tenant").prefix(IndexKey::new().id(&tenant.0).done());
    let members = beside.scan::<Membership>(TenantId::SYSTEM, members)?.items;
    for row in members.into_iter().filter(|row| row.role == Role::TenantAdmin) {
        notify(tx, tenant, Notice { user: row.id.0, ..notice.clone() })?;
    }
    Ok(())
}

/// Returns the channels through which a user receives notices of a type. The preference for the type takes precedence
/// over the one for all types, then the one for all tenants, then the default.
///
/// # Errors
/// Returns an error if the store fails.
pub fn channels(reader: &Reader, tenant: TenantId, user: Uuid, kind: &str) -> Result<Channels> {
    let chosen = reader.get::<NotificationPreferences>(tenant, &user)?.map(|row| row.body.types);
    let of = |name: &str| chosen.as_ref().and_then(|types| types.get(name)).copied().unwrap_or_default();
    let everywhere = reader.get::<User>(TenantId::SYSTEM, &user)?;
    let everywhere: ChannelChoice =
        everywhere.and_then(|row| row.body.preferences.notification_defaults).unwrap_or_default();
    Ok(kinds::usual(kind).but(of(kind).or(of(EVERY)).or(everywhere)))
}

/// Deletes a user's notices, queued deliveries, endpoints and preferences in a tenant. Called when the user leaves the
/// tenant.
///
/// # Errors
/// Returns an error if the store fails.
pub fn forget(tx: &mut Tx, tenant: TenantId, user: Uuid) -> Result<()> {
    for endpoint in endpoints_of(tx, tenant, user)? {
        drop_endpoint(tx, tenant, endpoint.id)?;
    }
    let own = IndexKey::new().id(&user).done();
    for row in tx.scan::<Notice>(tenant, Scan::index("by_user").prefix(own))?.items {
        tx.delete::<Notice>(tenant, &row.id)?;
    }
    feed::forget(tx, tenant, user)?;
    tx.delete::<NotificationPreferences>(tenant, &user).map(drop)
}

/// Returns the notices of a tenant that have exceeded their retention time, oldest first, as pairs of user and notice.
///
/// # Errors
/// Returns an error if the store fails.
pub fn outdated(
    reader: &Reader,
    tenant: TenantId,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<(Uuid, Uuid)>> {
    // Ids are ordered by time.
    let page = reader.scan_readable::<Notice>(
        "notice_expiry",
        tenant,
        Scan::table().limit(limit).allow_phantoms(),
    )?;
    let old = page.into_iter().take_while(|row| now.since(row.created_at) > KEPT_FOR);
    Ok(old.map(|row| (row.user, row.id)).collect())
}

/// Truncates a text to at most `most` characters. A truncated text ends with an ellipsis.
fn clip(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most.saturating_sub(1))
        && text[at..].chars().nth(1).is_some()
    {
        text.truncate(at);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn clip_truncates_between_characters() {
        for (text, most, cut) in [("", 3, ""), ("äöü", 3, "äöü"), ("äöüß", 3, "äö…"), ("abc", 1, "…")]
        {
            let mut clipped = text.to_owned();
            clip(&mut clipped, most);
            assert_eq!(clipped, cut);
        }
    }
}
