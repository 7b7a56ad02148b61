//! Listing and searching conversations.

use storage::records::{Conversation, Message, Part};
use storage::{Cursor, IndexKey, Page, Reader, Row, Scan, Timestamp};
use uuid::Uuid;

use crate::paging::filter_page_within;
use crate::{Caller, Result};

/// Number of messages that are searched at a time.
const CHUNK: usize = 16;
/// Number of conversations whose titles are searched for one page.
const EXAMINED: usize = 10_000;

/// Which conversations to list.
#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    /// Words that the title, a message or the name of a file contains, in any order and case.
    pub search: Option<String>,
    /// Whether only titles are searched.
    pub only_titles: bool,
    /// Only conversations with this assistant.
    pub assistant: Option<AssistantCriterion>,
    /// Only the platform's own conversations, instead of the user's.
    pub is_system: bool,
    /// Only archived conversations, instead of the others.
    pub archived: bool,
    /// Only pinned conversations, or only conversations that are not pinned.
    pub pinned: Option<bool>,
    /// Whether conversations in projects are included.
    pub include_projects: bool,
    /// Only conversations last changed up to this time.
    pub changed_until: Option<Timestamp>,
    /// Maximum number of rows per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// A condition on a conversation's assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssistantCriterion {
    Is(Uuid),
    IsNot(Uuid),
    Any,
    None,
}

impl AssistantCriterion {
    fn matches(self, assistant: Option<Uuid>) -> bool {
        match self {
            Self::Is(id) => assistant == Some(id),
            Self::IsNot(id) => assistant != Some(id),
            Self::Any => assistant.is_some(),
            Self::None => assistant.is_none(),
        }
    }
}

/// Returns a page of the caller's conversations, most recently changed first.
///
/// # Errors
/// Returns an error if storage fails.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    filter: &ConversationFilter,
) -> Result<Page<Row<Conversation>>> {
    let words = words(filter.search.as_deref().unwrap_or_default());
    let is_wanted = |row: &Row<Conversation>| {
        Ok(filter.matches(row)
            && match filter.only_titles {
                true => are_in_title(row, &words),
                false => has_words(reader, caller, row, &words)?,
            })
    };
    let read = |after: Option<Cursor>, limit| {
        let owner = IndexKey::new().id(&caller.user).done();
        let mut scan = Scan::index("by_owner_updated").prefix(owner).reverse().after(after).limit(limit);
        if let Some(at) = filter.changed_until {
            scan = scan.from(IndexKey::new().moment(at).done());
        }
        reader.scan(caller.tenant, scan)
    };
    let most = if filter.only_titles && !words.is_empty() { EXAMINED } else { usize::MAX };
    Ok(filter_page_within(most, filter.after.clone(), filter.limit, read, is_wanted)?)
}

impl ConversationFilter {
    /// Returns whether a conversation matches all conditions except the search.
    fn matches(&self, row: &Conversation) -> bool {
        self.assistant.is_none_or(|assistant| assistant.matches(row.assistant_id))
            && row.is_system == self.is_system
            && row.archived == self.archived
            && self.pinned.is_none_or(|pinned| row.pinned == pinned)
            && (self.include_projects || row.project_id.is_none())
    }
}

fn words(search: &str) -> Vec<String> {
    search.split_whitespace().map(str::to_lowercase).collect()
}

/// Returns whether each word occurs in the title.
fn are_in_title(row: &Conversation, words: &[String]) -> bool {
    let mut missing: Vec<&str> = words.iter().map(String::as_str).collect();
    remove_contained(&mut missing, row.title.as_deref().unwrap_or_default());
    missing.is_empty()
}

/// Returns whether each word occurs in the title, a message or the name of a file.
fn has_words(
    reader: &Reader,
    caller: &Caller,
    row: &Row<Conversation>,
    words: &[String],
) -> storage::Result<bool> {
    let mut missing: Vec<&str> = words.iter().map(String::as_str).collect();
    remove_contained(&mut missing, row.title.as_deref().unwrap_or_default());
    let mut after = None;
    while !missing.is_empty() {
        let scan = Scan::table().prefix(row.id.as_bytes()).after(after).limit(CHUNK);
        let page = reader.scan::<Message>(caller.tenant, scan)?;
        for message in &page.items {
            message.attachments.iter().for_each(|file| remove_contained(&mut missing, &file.filename));
            for part in &message.parts {
                if let Part::Text { text } = part {
                    remove_contained(&mut missing, text);
                }
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(missing.is_empty())
}

/// Removes the words that the text contains.
fn remove_contained(missing: &mut Vec<&str>, text: &str) {
    if !missing.is_empty() && !text.is_empty() {
        let text = text.to_lowercase();
        missing.retain(|word| !text.contains(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remove_contained_finds_words_anywhere_in_any_case() {
        let words = words("Tide MOON");
        let mut missing: Vec<&str> = words.iter().map(String::as_str).collect();
        remove_contained(&mut missing, "High tides");
        assert_eq!(missing, ["moon"]);
        remove_contained(&mut missing, "the Moon");
        assert!(missing.is_empty());
    }
}
