//! A user's notices as a list with a change history: notices delivered, read and deleted, in commit order.

use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::reader::Reader;
use crate::record::Row;
use crate::records::{Notice, NoticeBox, NoticeChange, NoticeEvent, NoticePlace};
use crate::scan::Scan;
use crate::time::Timestamp;
use crate::tx::Tx;
use uuid::Uuid;

/// Number of changes stored for readers that were disconnected. Older changes are not sent again.
pub const CHANGES_KEPT: u64 = 4_096;

/// The counts of a user's notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeCounts {
    /// The sequence number of the last change.
    pub seq: u64,
    /// The number of stored notifications.
    pub listed: u64,
    /// How many of them are unread.
    pub unread: u64,
}

impl NoticeCounts {
    /// Whether all changes after this sequence number are still stored.
    pub fn reaches(self, after: u64) -> bool {
        after <= self.seq && self.seq - after <= CHANGES_KEPT
    }
}

/// Returns the counts of a user's notices.
///
/// # Errors
/// Returns an error if the store fails.
pub fn notice_counts(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<NoticeCounts> {
    let stored = reader.get::<NoticeBox>(tenant, &user)?.map(|row| row.body);
    let NoticeBox { seq, listed, unread, .. } = stored.map_or_else(|| tally(reader, tenant, user), Ok)?;
    Ok(NoticeCounts { seq, listed, unread })
}

/// Counts the notices of a user for whom no counts are stored, because the notices were written before counts existed.
fn tally(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<NoticeBox> {
    let own = IndexKey::new().id(&user).done();
    let rows = reader.scan::<Notice>(tenant, Scan::index("by_user").prefix(own))?.items;
    let unread = rows.iter().filter(|row| row.read_at.is_none()).count() as u64;
    Ok(NoticeBox { listed: rows.len() as u64, unread, ..NoticeBox::default() })
}

/// Records a change, and adjusts the counts of all and of unread notices by `(listed, unread)`.
pub(super) fn note(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    change: NoticeChange,
    notices: Vec<Uuid>,
    at: Timestamp,
    (listed, unread): (i64, i64),
) -> Result<()> {
    let seq = match tx.get::<NoticeBox>(tenant, &user)? {
        Some(mut row) => {
            row.seq += 1;
            row.listed = row.listed.saturating_add_signed(listed);
            row.unread = row.unread.saturating_add_signed(unread);
            tx.update(tenant, row)?.seq
        }
        // The rows already include the change.
        None => {
            let counted = tally(tx, tenant, user)?;
            tx.insert(tenant, user, NoticeBox { seq: 1, ..counted })?.seq
        }
    };
    tx.insert(tenant, NoticePlace { user, seq }, NoticeEvent { change, notices, at })?;
    if let Some(seq) = seq.checked_sub(CHANGES_KEPT) {
        tx.delete::<NoticeEvent>(tenant, &NoticePlace { user, seq })?;
    }
    Ok(())
}

/// Deletes the oldest notices of a user until at most `most` are left.
pub(super) fn keep_to(tx: &mut Tx, tenant: TenantId, user: Uuid, most: u64) -> Result<()> {
    let Some(stored) = tx.get::<NoticeBox>(tenant, &user)? else { return Ok(()) };
    let Some(surplus) = stored.listed.checked_sub(most).filter(|surplus| *surplus > 0) else { return Ok(()) };
    let own = IndexKey::new().id(&user).done();
    let mut oldest = Scan::index("by_user").prefix(own).limit(surplus as usize);
    if let Some(trimmed) = stored.trimmed {
        oldest = oldest.from(trimmed.as_bytes().to_vec());
    }
    let mut trimmed = stored.trimmed;
    for row in tx.scan::<Notice>(tenant, oldest)?.items {
        trimmed = Some(row.id);
        remove(tx, tenant, user, row.id)?;
    }
    if let Some(mut stored) = tx.get::<NoticeBox>(tenant, &user)?.filter(|row| row.trimmed != trimmed) {
        stored.trimmed = trimmed;
        tx.update(tenant, stored)?;
    }
    Ok(())
}

/// Marks a notice of the user as read. Returns `None` if the notice does not exist. A notice that is already read is
/// unchanged.
///
/// # Errors
/// Returns an error if the store fails.
pub fn mark_read(tx: &mut Tx, tenant: TenantId, user: Uuid, id: Uuid) -> Result<Option<Row<Notice>>> {
    let found = tx.get::<Notice>(tenant, &id)?.filter(|row| row.user == user);
    let Some(mut row) = found.filter(|row| row.read_at.is_none()) else {
        return Ok(tx.get::<Notice>(tenant, &id)?.filter(|row| row.user == user));
    };
    let now = Timestamp::now();
    row.read_at = Some(now);
    let row = tx.update(tenant, row)?;
    note(tx, tenant, user, NoticeChange::Read, vec![id], now, (0, -1))?;
    Ok(Some(row))
}

/// Marks the notices of the user for which `is_meant` returns true as read, because the action they ask for is done.
/// The notices are looked up outside the transaction, which would otherwise depend on all notices of the user.
///
/// # Errors
/// Returns an error if the store fails.
pub fn mark_done(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    is_meant: impl Fn(&Notice) -> bool,
) -> Result<()> {
    let beside = Reader::new(tx.engine.clone());
    let own = IndexKey::new().id(&user).done();
    let rows = beside.scan::<Notice>(tenant, Scan::index("by_user").prefix(own))?.items;
    for row in rows.into_iter().filter(|row| row.read_at.is_none() && is_meant(row)) {
        mark_read(tx, tenant, user, row.id)?;
    }
    Ok(())
}

/// Marks all existing notices of the user as read. Returns how many were unread.
///
/// # Errors
/// Returns an error if the store fails.
pub fn mark_all_read(tx: &mut Tx, tenant: TenantId, user: Uuid) -> Result<u64> {
    // Adding a notice changes this row, so a notice that is added concurrently causes a conflict instead of being
    // marked as read.
    tx.get::<NoticeBox>(tenant, &user)?;
    let own = IndexKey::new().id(&user).done();
    let rows = tx.scan::<Notice>(tenant, Scan::index("by_user").prefix(own))?.items;
    let (now, mut read) = (Timestamp::now(), Vec::new());
    for mut row in rows.into_iter().filter(|row| row.read_at.is_none()) {
        row.read_at = Some(now);
        read.push(tx.update(tenant, row)?.id);
    }
    let count = read.len() as u64;
    if count > 0 {
        note(tx, tenant, user, NoticeChange::Read, read, now, (0, -(count as i64)))?;
    }
    Ok(count)
}

/// Deletes a notice of the user. Returns whether it existed.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove(tx: &mut Tx, tenant: TenantId, user: Uuid, id: Uuid) -> Result<bool> {
    let Some(row) = tx.get::<Notice>(tenant, &id)?.filter(|row| row.user == user) else { return Ok(false) };
    tx.delete::<Notice>(tenant, &id)?;
    let unread = -i64::from(row.read_at.is_none());
    note(tx, tenant, user, NoticeChange::Deleted, vec![id], Timestamp::now(), (-1, unread))?;
    Ok(true)
}

/// A change: its sequence number, the event, and, for a new notice that still exists, the notice.
pub type Change = (u64, NoticeEvent, Option<Row<Notice>>);

/// Returns at most `limit` changes with sequence numbers greater than `after` and not greater than `upto`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn changes(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    after: u64,
    upto: u64,
    limit: usize,
) -> Result<Vec<Change>> {
    let from = after.saturating_add(1).to_be_bytes();
    let scan = Scan::table().prefix(user.as_bytes().to_vec()).from(from.to_vec()).limit(limit);
    let rows = reader.scan::<NoticeEvent>(tenant, scan)?.items;
    let with_notice = |row: Row<NoticeEvent>| {
        let id = row.notices.first().filter(|_| row.change == NoticeChange::Told);
        let notice = id.map(|id| reader.get::<Notice>(tenant, id)).transpose()?.flatten();
        Ok((row.id.seq, row.body, notice))
    };
    rows.into_iter().take_while(|row| row.id.seq <= upto).map(with_notice).collect()
}

/// Deletes a user's counts and changes.
pub(super) fn forget(tx: &mut Tx, tenant: TenantId, user: Uuid) -> Result<()> {
    for row in tx.scan::<NoticeEvent>(tenant, Scan::table().prefix(user.as_bytes().to_vec()))?.items {
        tx.delete::<NoticeEvent>(tenant, &row.id)?;
    }
    tx.delete::<NoticeBox>(tenant, &user).map(drop)
}
