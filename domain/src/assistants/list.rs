//! Listing assistants.

use storage::records::{Assistant, AssistantType, GrantLevel};
use storage::{Cursor, Page, Reader, Row, Scan};

use super::access;
use crate::paging::filter_page;
use crate::{Caller, Result};

/// Which assistants to list.
#[derive(Clone, Debug, Default)]
pub struct AssistantFilter {
    /// Only assistants of this type.
    pub kind: Option<AssistantType>,
    /// Only assistants whose name, description or category contains each of these words, in any order and case.
    pub search: Option<String>,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// Returns a page of the assistants that the caller may see, oldest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(reader: &Reader, caller: &Caller, filter: &AssistantFilter) -> Result<Page<Row<Assistant>>> {
    page(reader, caller, filter, |row| row.deleted_at.is_none() && access::level(row, caller).is_some())
}

/// Returns a page of the assistants in the bin that the caller may restore, oldest first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list_bin(reader: &Reader, caller: &Caller, filter: &AssistantFilter) -> Result<Page<Row<Assistant>>> {
    page(reader, caller, filter, |row| {
        row.deleted_at.is_some() && access::level(row, caller) == Some(GrantLevel::Owner)
    })
}

fn page(
    reader: &Reader,
    caller: &Caller,
    filter: &AssistantFilter,
    is_visible: impl Fn(&Row<Assistant>) -> bool,
) -> Result<Page<Row<Assistant>>> {
    let search = filter.search.as_deref().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = search.split_whitespace().collect();
    let is_wanted = |row: &Row<Assistant>| {
        Ok(is_visible(row) && filter.kind.is_none_or(|kind| row.kind == kind) && contains_words(row, &words))
    };
    let read = |after, limit| reader.scan(caller.tenant, Scan::table().after(after).limit(limit));
    Ok(filter_page(filter.after.clone(), filter.limit, read, is_wanted)?)
}

fn contains_words(assistant: &Assistant, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let category = assistant.category.as_deref().unwrap_or_default();
    let text = [assistant.name.as_str(), &assistant.description, category].join("\n").to_lowercase();
    words.iter().all(|word| text.contains(word))
}
