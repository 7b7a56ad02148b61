//! Listing and searching conversations.

use std::sync::Arc;

use domain::conversations::{self, AssistantCriterion, ConversationFilter};
use storage::{Cursor, Timestamp};

use super::schema::{AssistantFilterMode, ConversationsListResponse, ListConversations, SearchIn};
use super::streams::active_in;
use crate::App;
use crate::http::{Api, Caller};

/// Returns a page of the caller's conversations, the most recently changed first, each with its live run.
pub async fn listed(
    app: &App,
    caller: Arc<Caller>,
    query: ListConversations,
) -> Api<ConversationsListResponse> {
    let (tenant, filter) = (caller.tenant, filter(query)?);
    let page = app.store.read(move |reader| conversations::list(reader, &caller, &filter)).await?;
    let mut page = ConversationsListResponse::from(page);
    for item in &mut page.items {
        item.active_stream = active_in(app, tenant, item.conversation.id);
    }
    Ok(page)
}

fn filter(query: ListConversations) -> Api<ConversationFilter> {
    let assistant = match (query.assistant_filter_mode, query.assistant_id) {
        (None, None) => None,
        (None | Some(AssistantFilterMode::Only), Some(id)) => Some(AssistantCriterion::Is(id)),
        (Some(AssistantFilterMode::Only), None) => Some(AssistantCriterion::Any),
        (Some(AssistantFilterMode::Exclude), Some(id)) => Some(AssistantCriterion::IsNot(id)),
        (Some(AssistantFilterMode::Exclude), None) | (Some(AssistantFilterMode::None), _) => {
            Some(AssistantCriterion::None)
        }
    };
    Ok(ConversationFilter {
        search: query.search,
        only_titles: query.search_in == SearchIn::Title,
        assistant,
        is_system: query.is_system,
        archived: query.archived,
        pinned: query.pinned,
        include_projects: query.include_projects,
        changed_until: query.after_timestamp.map(before),
        limit: query.limit as usize,
        after: query.cursor.as_deref().map(Cursor::parse).transpose()?,
    })
}

/// The last millisecond before `at`. `at` is in seconds, or in milliseconds if as seconds it would be thousands of years in the future.
pub fn before(at: f64) -> Timestamp {
    let millis = if at.abs() >= 1e11 { at } else { at * 1000.0 };
    Timestamp::from_millis(millis.round() as i64 - 1)
}
