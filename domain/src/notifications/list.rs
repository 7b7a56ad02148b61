//! Listing notifications.

use storage::notices::{self, NoticeCounts};
use storage::records::Notice;
use storage::{Cursor, IndexKey, Page, Reader, Row, Scan};
use uuid::Uuid;

use crate::paging::filter_page;
use crate::{Caller, Result};

/// Whether notifications have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadState {
    /// Notifications that have not been read.
    Unread,
    /// Notifications that have been read.
    Read,
}

/// Which page of a list to read.
#[derive(Clone, Debug, Default)]
pub struct ListPosition {
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// Returns a page of the caller's notifications, newest first, and the number of notifications on all pages. Without a
/// state, all notifications are included.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    state: Option<ReadState>,
    position: ListPosition,
) -> Result<(Page<Row<Notice>>, u64)> {
    let own = Scan::index("by_user").prefix(IndexKey::new().id(&caller.user).done()).reverse();
    let read = |after, limit| reader.scan::<Notice>(caller.tenant, own.clone().after(after).limit(limit));
    let is_wanted = |row: &Row<Notice>| {
        Ok(match state {
            None => true,
            Some(ReadState::Unread) => row.read_at.is_none(),
            Some(ReadState::Read) => row.read_at.is_some(),
        })
    };
    let page = filter_page(position.after, position.limit, read, is_wanted)?;
    let NoticeCounts { listed, unread, .. } = notices::notice_counts(reader, caller.tenant, caller.user)?;
    let total = match state {
        None => listed,
        Some(ReadState::Unread) => unread,
        Some(ReadState::Read) => listed.saturating_sub(unread),
    };
    Ok((page, total))
}

/// Returns the caller's notification with this id.
pub fn own(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Notice>>> {
    let row = reader.get::<Notice>(caller.tenant, &id)?;
    Ok(row.filter(|row| row.user == caller.user))
}
