//! Listing knowledge bases.

use storage::records::KnowledgeBase;
use storage::{Cursor, Page, Reader, Row, Scan};

use crate::paging::filter_page;
use crate::{Caller, Result, sharing};

/// Returns a page of the knowledge bases that the caller may read, oldest first, without the own knowledge bases
/// of assistants.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<KnowledgeBase>>> {
    let read = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    let is_wanted = |row: &Row<KnowledgeBase>| {
        Ok(row.assistant_id.is_none() && sharing::level(&row.body, caller).is_some())
    };
    Ok(filter_page(after, limit, read, is_wanted)?)
}
