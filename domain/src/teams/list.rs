//! Listing teams.

use storage::records::Team;
use storage::{Cursor, Page, Reader, Row, Scan};

use crate::paging::{PAGE_BYTES, page_of_ids};
use crate::{Caller, Code, Refusal, Result};

/// Returns a page of the teams that the caller is in, oldest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list_own(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<Team>>> {
    Ok(page_of_ids(reader, caller.tenant, caller.teams.iter().copied(), after, limit)?)
}

/// Returns a page of all teams of the tenant, oldest first.
///
/// # Errors
/// `role_missing` if the caller is not an administrator.
pub fn list_all(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<Team>>> {
    if !caller.is_admin() {
        return Err(Refusal::new(Code::RoleMissing).detail("`all` is for administrators of the tenant"));
    }
    let scan = Scan::table().limit(limit).bytes(PAGE_BYTES).after(after);
    Ok(reader.scan::<Team>(caller.tenant, scan)?)
}
