//! Searching messages.

use actix_web::web::Data;
use assist::message_search::{FoundMessage, MessageSearchError, Search};
use domain::conversations::MessageFilter;
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::MessageRole;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, Auth, Code, Faults, Json, Paging, Query, Refusal, Validate, operations};

/// Which messages to search for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchMessages {
    /// Words that a message contains, in any order. Case, accents and English endings do not matter.
    #[param(min_length = 1, max_length = 200)]
    pub query: String,
    /// Only messages of this conversation.
    pub conversation_id: Option<Uuid>,
    /// Only messages of conversations in this project.
    pub project_id: Option<Uuid>,
    /// Only messages of conversations with this assistant.
    pub assistant_id: Option<Uuid>,
    /// Only messages of this author.
    #[param(inline)]
    pub role: Option<MessageRole>,
    /// Only messages that were created at this time or later.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from: Option<Timestamp>,
    /// Only messages that were created before this time.
    #[param(value_type = Option<Timestamp>, inline)]
    pub until: Option<Timestamp>,
}

impl Validate for SearchMessages {
    fn validate(&self, faults: &mut Faults) {
        if self.from.zip(self.until).is_some_and(|(from, until)| from > until) {
            faults.add(["until"], "is before `from`", "out_of_range");
        }
    }
}

/// A page of messages that a search found, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageSearchResponse {
    /// The messages. A page may have fewer than `limit`, although there are more.
    pub items: Vec<MessageSearchItem>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A message that a search found.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageSearchItem {
    pub conversation_id: Uuid,
    /// `null` until a title is set or generated.
    pub conversation_title: Option<String>,
    /// The project that the conversation belongs to.
    pub project_id: Option<Uuid>,
    /// Whether the conversation belongs to another user and the caller reads it as a member of its project.
    pub read_only: bool,
    /// Id of the message. `GET …/messages?through_id=` reads a branch that contains it.
    pub message_id: Uuid,
    /// Author of the message.
    pub role: MessageRole,
    /// Time at which the message was created.
    pub created_at: Timestamp,
    pub snippet: MessageSnippet,
}

/// Part of the text of a message.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageSnippet {
    /// The text around the first match, without line breaks.
    pub text: String,
    /// Where the words of the query are in the text, in order.
    pub ranges: Vec<MatchRange>,
}

/// The position of a word in a text.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatchRange {
    /// Start of the word, in characters (Unicode code points).
    pub start: usize,
    /// End of the word, in characters.
    pub end: usize,
}

/// Search the messages of all conversations that the caller may read.
///
/// Finds messages that contain all words of `query` in their text or in the names of their files, in the caller's own conversations and
/// those of the projects of which the caller is a member. Every message that was complete before the request is found; a message that is
/// being written is found once it is complete. While the messages of a tenant are indexed for the first time, the response can be 503
/// with the code `indexing` and the `progress`; a request then waits up to 10 seconds for the index.
#[utoipa::path(get, path = "/api/conversations/search", params(SearchMessages, Paging))]
async fn search_messages(
    auth: Auth<ConversationsRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
    Query(query): Query<SearchMessages>,
) -> Api<Json<MessageSearchResponse>> {
    let caller = auth.caller();
    let user = caller.user;
    let SearchMessages { query, conversation_id, project_id, assistant_id, role, from, until } = query;
    let filter = MessageFilter {
        conversation: conversation_id,
        project: project_id,
        assistant: assistant_id,
        role,
        from,
        until,
    };
    let search = Search { query, filter, limit: paging.limit as usize, after: paging.after()? };
    let page = app.message_search.search(caller, search).await.map_err(refusal)?;
    let items = page.items.into_iter().map(|found| item(found, user)).collect();
    Ok(Json(MessageSearchResponse { items, next_cursor: page.next.as_ref().map(ToString::to_string) }))
}

fn item(found: FoundMessage, user: Uuid) -> MessageSearchItem {
    let FoundMessage { conversation, message, excerpt } = found;
    let ranges = excerpt.ranges.into_iter().map(|(start, end)| MatchRange { start, end });
    MessageSearchItem {
        conversation_id: conversation.id,
        conversation_title: conversation.title.clone(),
        project_id: conversation.project_id,
        read_only: conversation.owner != user,
        message_id: message.id.1,
        role: message.role,
        created_at: message.created_at,
        snippet: MessageSnippet { text: excerpt.text, ranges: ranges.collect() },
    }
}

fn refusal(why: MessageSearchError) -> Refusal {
    match why {
        MessageSearchError::Storage(why) => why.into(),
        MessageSearchError::Index(why) => Refusal::new(Code::Internal).because(why),
        MessageSearchError::Indexing { progress } => {
            let refusal = Refusal::new(Code::Indexing).retry_after(2);
            let detail = |percent| format!("the messages are being indexed: {percent} % are complete");
            match progress {
                Some(percent) => refusal.detail(detail(percent)).extra("progress", percent),
                None => refusal,
            }
        }
    }
}

operations!(search_messages);
