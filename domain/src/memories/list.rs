//! Listing memories.

use storage::records::{Memory, MemorySource};
use storage::{Cursor, Page, Reader, Row, Scan, Timestamp};
use uuid::Uuid;

use super::{is_current, own};
use crate::paging::filter_page;
use crate::{Caller, Result};

/// Which memories to list.
#[derive(Clone, Debug)]
pub struct MemoryFilter {
    /// Only memories from this source.
    pub source: Option<MemorySource>,
    /// The assistants that use them.
    pub scope: MemoryScope,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// The assistants that use a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    AllAssistants,
    /// All memories: those for all assistants and those for one.
    Any,
    /// Only memories restricted to this assistant.
    Assistant(Uuid),
}

/// Returns those of these memories that belong to the caller and have not expired, in this order.
///
/// # Errors
/// Returns an error if storage fails.
pub fn with_ids(reader: &Reader, caller: &Caller, ids: &[Uuid]) -> Result<Page<Row<Memory>>> {
    let mut items = Vec::new();
    for id in ids {
        items.extend(own(reader, caller.tenant, caller.user, *id)?);
    }
    Ok(Page { items, next: None })
}

/// Returns a page of the caller's memories that have not expired, oldest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(reader: &Reader, caller: &Caller, filter: &MemoryFilter) -> Result<Page<Row<Memory>>> {
    let (now, own) = (Timestamp::now(), caller.user.as_bytes().to_vec());
    let read = |after, limit| {
        reader.scan::<Memory>(caller.tenant, Scan::table().prefix(own.clone()).after(after).limit(limit))
    };
    let is_in_scope = |memory: &Memory| match filter.scope {
        MemoryScope::AllAssistants => memory.assistant_id.is_none(),
        MemoryScope::Any => true,
        MemoryScope::Assistant(id) => memory.assistant_id == Some(id),
    };
    let is_wanted = |row: &Row<Memory>| {
        let is_from_source = filter.source.is_none_or(|source| row.source == source);
        Ok(is_current(row, now) && is_in_scope(row) && is_from_source)
    };
    Ok(filter_page(filter.after.clone(), filter.limit, read, is_wanted)?)
}
