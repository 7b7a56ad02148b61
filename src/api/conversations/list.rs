//! Listing and searching conversations.

use std::sync::Arc;

use storage::records::{Conversation, Message, Part};
use storage::{Cursor, IndexKey, Page, Reader, Row, Scan, Timestamp};

use super::schema::{AssistantFilterMode, ConversationsListResponse, ListConversations};
use super::streams::active;
use crate::App;
use crate::http::{Api, Caller};
use domain::paging::filter_page;

/// Messages that are looked at together.
const LOOK: usize = 16;

/// A page of the caller's conversations, the latest changed first, each with what is live in it.
pub async fn listed(
    app: &App,
    caller: Arc<Caller>,
    asked: ListConversations,
) -> Api<ConversationsListResponse> {
    let tenant = caller.tenant;
    let mut page = app.store.read(move |reader| list(reader, &caller, &asked)).await?;
    for item in &mut page.items {
        item.active_stream = app.actors.active(tenant, item.conversation.id).map(active);
    }
    Ok(page)
}

fn list(reader: &Reader, caller: &Caller, asked: &ListConversations) -> Api<ConversationsListResponse> {
    let words = words(asked.search.as_deref().unwrap_or_default());
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let wanted =
        |row: &Row<Conversation>| Ok(selected(row, asked) && has_words(reader, caller, row, &words)?);
    let page = |after, limit| page(reader, caller, asked, after, limit);
    Ok(filter_page(after, asked.limit as usize, page, wanted)?.into())
}

fn page(
    reader: &Reader,
    caller: &Caller,
    asked: &ListConversations,
    after: Option<Cursor>,
    limit: usize,
) -> storage::Result<Page<Row<Conversation>>> {
    let owner = IndexKey::new().id(&caller.user).done();
    let mut scan = Scan::index("by_owner_updated").prefix(owner).reverse().after(after).limit(limit);
    if let Some(at) = asked.after_timestamp {
        scan = scan.from(IndexKey::new().moment(before(at)).done());
    }
    reader.scan(caller.tenant, scan)
}

/// The last moment before `at`, which is in seconds, or in milliseconds where seconds would lie
/// thousands of years ahead.
fn before(at: f64) -> Timestamp {
    let millis = if at.abs() >= 1e11 { at } else { at * 1000.0 };
    Timestamp::from_millis(millis.round() as i64 - 1)
}

fn selected(row: &Conversation, asked: &ListConversations) -> bool {
    let assistant = match (asked.assistant_filter_mode, asked.assistant_id) {
        (None, None) => true,
        (None | Some(AssistantFilterMode::Only), Some(id)) => row.assistant_id == Some(id),
        (Some(AssistantFilterMode::Only), None) => row.assistant_id.is_some(),
        (Some(AssistantFilterMode::Exclude), Some(id)) => row.assistant_id != Some(id),
        (Some(AssistantFilterMode::Exclude), None) | (Some(AssistantFilterMode::None), _) => {
            row.assistant_id.is_none()
        }
    };
    assistant
        && row.is_system == asked.is_system
        && row.archived == asked.archived
        && asked.pinned.is_none_or(|pinned| row.pinned == pinned)
        && (asked.include_projects || row.project_id.is_none())
}

fn words(search: &str) -> Vec<String> {
    search.split_whitespace().map(str::to_lowercase).collect()
}

/// Whether each word stands in the title, in one of the messages or in the name of one of their files.
fn has_words(
    reader: &Reader,
    caller: &Caller,
    row: &Row<Conversation>,
    words: &[String],
) -> storage::Result<bool> {
    let mut missing: Vec<&str> = words.iter().map(String::as_str).collect();
    strike(&mut missing, row.title.as_deref().unwrap_or_default());
    let mut after = None;
    while !missing.is_empty() {
        let scan = Scan::table().prefix(row.id.as_bytes()).after(after).limit(LOOK);
        let page = reader.scan::<Message>(caller.tenant, scan)?;
        for message in &page.items {
            message.attachments.iter().for_each(|file| strike(&mut missing, &file.filename));
            for part in &message.parts {
                if let Part::Text { text } = part {
                    strike(&mut missing, text);
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

/// Takes out the words that stand in the text.
fn strike(missing: &mut Vec<&str>, text: &str) {
    if !missing.is_empty() && !text.is_empty() {
        let text = text.to_lowercase();
        missing.retain(|word| !text.contains(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_milliseconds_are_told_apart() {
        assert_eq!(before(1_767_323_045.678).as_millis(), 1_767_323_045_677);
        assert_eq!(before(1_767_323_045_678.0).as_millis(), 1_767_323_045_677);
        assert_eq!(before(0.0).as_millis(), -1);
    }

    #[test]
    fn words_may_stand_anywhere_in_any_case() {
        let words = words("Tide MOON");
        let mut missing: Vec<&str> = words.iter().map(String::as_str).collect();
        strike(&mut missing, "High tides");
        assert_eq!(missing, ["moon"]);
        strike(&mut missing, "the Moon");
        assert!(missing.is_empty());
    }
}
