//! Notices that are queued for delivery. Each endpoint has a queue, represented by a row that contains the time of the
//! next visit.

use crate::error::Result;
use crate::ids::{TenantId, new_id};
use crate::isolated;
use crate::keys::IndexKey;
use crate::reader::Reader;
use crate::record::Row;
use crate::records::{Delivery, DeliveryQueue, Notice, NotificationEndpoint};
use crate::scan::{Cursor, Page, Scan};
use crate::time::Timestamp;
use crate::tx::Tx;
use std::time::Duration;
use uuid::Uuid;

/// Maximum number of notices queued for one endpoint. If there are more, the oldest are discarded.
pub const MAX_WAITING: u32 = 1_000;
/// Minimum interval between two updates of the time of the last delivery.
const NOTED_EACH: Duration = Duration::from_secs(60);

/// The outcome of a delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The endpoint accepted it.
    Delivered,
    /// The endpoint did not accept it.
    Failed {
        /// The error, as shown to the endpoint's owner.
        error: String,
        /// When to try again; `None` to give up.
        again: Option<Timestamp>,
        /// No other delivery is tried at the endpoint before this time.
        pause_until: Timestamp,
        /// Notices from before this time are not tried again.
        oldest: Timestamp,
    },
}

/// Adds a notice to the queue of an endpoint.
pub(super) fn enqueue(
    tx: &mut Tx,
    tenant: TenantId,
    endpoint: &Row<NotificationEndpoint>,
    notice_id: Uuid,
    now: Timestamp,
    notice: &Notice,
) -> Result<()> {
    let delivery = Delivery { notice_id, told_at: now, notice: notice.clone(), attempts: 0, due_at: now };
    tx.insert(tenant, (endpoint.id, new_id()), delivery)?;
    let Some(mut queue) = tx.get::<DeliveryQueue>(TenantId::SYSTEM, &endpoint.id)? else {
        let queue =
            DeliveryQueue { tenant: tenant.0, user: endpoint.user, waiting: 1, due_at: now, failures: 0 };
        return tx.insert(TenantId::SYSTEM, endpoint.id, queue).map(drop);
    };
    queue.waiting += 1;
    if queue.failures == 0 {
        queue.due_at = queue.due_at.min(now);
    }
    if queue.waiting > MAX_WAITING {
        let oldest = Scan::table().prefix(endpoint.id.as_bytes().to_vec()).limit(1);
        for row in tx.scan::<Delivery>(tenant, oldest)?.items {
            tx.delete::<Delivery>(tenant, &row.id)?;
            queue.waiting -= 1;
            if let Some(mut endpoint) = tx.get::<NotificationEndpoint>(tenant, &endpoint.id)? {
                endpoint.given_up += 1;
                tx.update(tenant, endpoint)?;
            }
        }
    }
    tx.update(TenantId::SYSTEM, queue).map(drop)
}

/// Returns the queues that are due by `now`, ordered by due time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn due_queues(
    reader: &Reader,
    now: Timestamp,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<DeliveryQueue>>> {
    let scan = Scan::index("by_due").limit(limit).after(after);
    let page = reader.scan_each::<DeliveryQueue>(TenantId::SYSTEM, scan)?;
    let readable = |row| isolated("deliveries", "queue", row);
    let mut page = Page { items: page.items.into_iter().filter_map(readable).collect(), next: page.next };
    let due = page.items.iter().take_while(|row| row.due_at <= now).count();
    if due < page.items.len() {
        page.items.truncate(due);
        page.next = None;
    }
    Ok(page)
}

/// Returns when the first queue after `now` is due.
///
/// # Errors
/// Returns an error if the store fails.
pub fn next_visit(reader: &Reader, now: Timestamp) -> Result<Option<Timestamp>> {
    let later = Timestamp::from_millis(now.as_millis().saturating_add(1));
    let scan = Scan::index("by_due").from(later.sortable().to_vec()).limit(1);
    let page = reader.scan::<DeliveryQueue>(TenantId::SYSTEM, scan)?;
    Ok(page.items.first().map(|row| row.due_at))
}

/// Returns the delivery that is to be sent to an endpoint now, if any.
///
/// # Errors
/// Returns an error if the store fails.
pub fn next_delivery(
    reader: &Reader,
    tenant: TenantId,
    endpoint: Uuid,
    now: Timestamp,
) -> Result<Option<Row<Delivery>>> {
    let first = first(reader, tenant, endpoint)?;
    Ok(first.filter(|row| row.due_at <= now))
}

fn first(reader: &Reader, tenant: TenantId, endpoint: Uuid) -> Result<Option<Row<Delivery>>> {
    let scan = Scan::index("by_due").prefix(IndexKey::new().id(&endpoint).done()).limit(1);
    Ok(reader.scan::<Delivery>(tenant, scan)?.items.pop())
}

/// Records the outcome of a delivery attempt. A delivery or an endpoint that has been deleted since is not recreated.
///
/// # Errors
/// Returns an error if the store fails.
pub fn settle(tx: &mut Tx, tenant: TenantId, tried: &Row<Delivery>, verdict: &DeliveryOutcome) -> Result<()> {
    let (endpoint, now) = (tried.id.0, Timestamp::now());
    let row = tx.get::<NotificationEndpoint>(tenant, &endpoint)?;
    let queue = tx.get::<DeliveryQueue>(TenantId::SYSTEM, &endpoint)?;
    let (Some(mut row), Some(mut queue)) = (row, queue) else { return Ok(()) };
    let before = row.body.clone();
    let delivery = tx.get::<Delivery>(tenant, &tried.id)?.filter(|now| now.attempts == tried.attempts);
    let mut not_before = now;
    match verdict {
        DeliveryOutcome::Delivered => {
            (row.last_error, row.failing_since, queue.failures) = (None, None, 0);
            if row.last_delivered_at.is_none_or(|last| now.since(last) >= NOTED_EACH) {
                row.last_delivered_at = Some(now);
            }
            queue.waiting = queue.waiting.saturating_sub(delete_taken(tx, tenant, delivery)?);
        }
        DeliveryOutcome::Failed { error, again, pause_until, oldest } => {
            row.last_error = Some(error.clone());
            row.failing_since.get_or_insert(now);
            queue.failures = queue.failures.saturating_add(1);
            let mut given_up = 0;
            match (again, delivery) {
                (Some(at), Some(mut delivery)) => {
                    (delivery.attempts, delivery.due_at) = (delivery.attempts + 1, *at);
                    tx.update(tenant, delivery)?;
                }
                (_, delivery) => given_up += delete_taken(tx, tenant, delivery)?,
            }
            given_up += expire(tx, tenant, endpoint, *oldest)?;
            row.given_up += u64::from(given_up);
            queue.waiting = queue.waiting.saturating_sub(given_up);
            not_before = *pause_until;
        }
    }
    if row.body != before {
        tx.update(tenant, row)?;
    }
    wait(tx, tenant, queue, not_before)
}

/// Schedules the next visit of a queue at `not_before` or later. Deletes the queue if it is empty.
///
/// # Errors
/// Returns an error if the store fails.
pub fn postpone(tx: &mut Tx, endpoint: Uuid, not_before: Timestamp) -> Result<()> {
    match tx.get::<DeliveryQueue>(TenantId::SYSTEM, &endpoint)? {
        Some(queue) => wait(tx, queue.tenant(), queue, not_before),
        None => Ok(()),
    }
}

fn wait(tx: &mut Tx, tenant: TenantId, mut queue: Row<DeliveryQueue>, not_before: Timestamp) -> Result<()> {
    match first(tx, tenant, queue.id)? {
        Some(first) => {
            queue.due_at = first.due_at.max(not_before);
            tx.update(TenantId::SYSTEM, queue).map(drop)
        }
        None => tx.delete::<DeliveryQueue>(TenantId::SYSTEM, &queue.id).map(drop),
    }
}

fn delete_taken(tx: &mut Tx, tenant: TenantId, delivery: Option<Row<Delivery>>) -> Result<u32> {
    match delivery {
        Some(row) => tx.delete::<Delivery>(tenant, &row.id).map(u32::from),
        None => Ok(0),
    }
}

/// Discards deliveries of notices from before a time.
fn expire(tx: &mut Tx, tenant: TenantId, endpoint: Uuid, oldest: Timestamp) -> Result<u32> {
    let mut removed = 0;
    let waiting = Scan::table().prefix(endpoint.as_bytes().to_vec());
    // The queue is in the order of the notices, so checking the first is enough if there are no old ones.
    let first = tx.scan::<Delivery>(tenant, waiting.clone().limit(1))?.items;
    if first.iter().all(|row| row.told_at >= oldest) {
        return Ok(0);
    }
    for row in tx.scan::<Delivery>(tenant, waiting)?.items {
        if row.told_at >= oldest {
            break;
        }
        removed += u32::from(tx.delete::<Delivery>(tenant, &row.id)?);
    }
    Ok(removed)
}

/// Deletes a queue with all its deliveries.
pub(super) fn clear(tx: &mut Tx, tenant: TenantId, endpoint: Uuid) -> Result<()> {
    for row in tx.scan::<Delivery>(tenant, Scan::table().prefix(endpoint.as_bytes().to_vec()))?.items {
        tx.delete::<Delivery>(tenant, &row.id)?;
    }
    tx.delete::<DeliveryQueue>(TenantId::SYSTEM, &endpoint).map(drop)
}
