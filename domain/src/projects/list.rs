//! Listing projects.

use storage::records::Project;
use storage::{Cursor, Page, Reader, Row, Scan};

use super::granted_to;
use crate::paging::{filter_page, page_of_ids};
use crate::{Caller, Result, sharing};

/// Returns a page of the projects that the caller may see, oldest first. Administrators see all projects with members,
/// and their own.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<Project>>> {
    if !caller.is_admin() {
        return Ok(page_of_ids(reader, caller.tenant, granted_to(reader, caller)?, after, limit)?);
    }
    let read = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    let is_visible = |row: &Row<Project>| Ok(sharing::level(&row.body, caller).is_some());
    Ok(filter_page(after, limit, read, is_visible)?)
}
