//! One search.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use domain::Caller;
use domain::conversations::{MessageFilter, SearchScope, searched_text};
use knowledge::messages::{Excerpt, SearchWords, order_at};
use knowledge::{MessageHit, MessageKey, MessageQuery};
use storage::records::{Conversation, Message};
use storage::{Cursor, Reader, Row};
use uuid::Uuid;

use super::index::number;
use super::{MessageSearch, MessageSearchError};

/// Maximum number of hits that one page examines. Hits that filters leave out make the page shorter, not slower.
const EXAMINED: usize = 2_000;
/// Minimum number of hits that are examined together.
const CHUNK: usize = 50;
/// Length of an excerpt in characters.
const EXCERPT: usize = 240;

/// A search for messages.
#[derive(Clone, Debug)]
pub struct Search {
    /// The words that a message has to contain.
    pub query: String,
    pub filter: MessageFilter,
    /// Maximum number of messages per page.
    pub limit: usize,
    /// The cursor that the previous page returned.
    pub after: Option<Cursor>,
}

/// A message that a search found.
#[derive(Clone, Debug)]
pub struct FoundMessage {
    pub conversation: Arc<Row<Conversation>>,
    pub message: Row<Message>,
    /// The part of its text around the first match.
    pub excerpt: Excerpt,
}

/// A page of the messages that a search found, the newest first.
#[derive(Clone, Debug, Default)]
pub struct SearchPage {
    pub items: Vec<FoundMessage>,
    /// The cursor of the next page, which may be empty; `None` on the last page.
    pub next: Option<Cursor>,
}

impl MessageSearch {
    /// Finds the messages that contain all words and that the caller may read, the newest first. Includes every message
    /// that was committed before the call.
    ///
    /// # Errors
    /// The index cannot be used, or is still being built; an invalid cursor; storage fails.
    pub async fn search(
        &self,
        caller: Arc<Caller>,
        search: Search,
    ) -> Result<SearchPage, MessageSearchError> {
        let words = SearchWords::new(&search.query);
        let mut last = search.after.as_ref().map(hit_of).transpose()?;
        let mut page = SearchPage::default();
        let orders = orders(&search.filter);
        if words.is_empty() || orders.0 > orders.1 {
            return Ok(page);
        }
        let tenant = caller.tenant;
        self.ensure(tenant).await?;
        let (filter, by) = (search.filter.clone(), caller.clone());
        let scope: SearchScope = self.0.store.read(move |reader| filter.scope(reader, &by)).await?;
        let mut examined = 0;
        loop {
            let highest = last.map_or(orders.1, |hit: MessageHit| hit.order.min(orders.1));
            let query = MessageQuery {
                words: words.clone(),
                owner: scope.owner,
                conversations: scope.conversations.clone(),
                roles: search.filter.role.map(number).into_iter().collect(),
                orders: (orders.0, highest),
                limit: search.limit.saturating_mul(2).max(CHUNK),
            };
            let mut hits = self.0.index.search(tenant.0, query).await?;
            // Those that an earlier page examined.
            hits.retain(|hit| last.is_none_or(|last| *hit < last));
            if hits.is_empty() {
                return Ok(page);
            }
            examined += hits.len();
            let check = Check { caller: caller.clone(), filter: search.filter.clone(), words: words.clone() };
            let missing = search.limit - page.items.len();
            let read = self.0.store.read(move |reader| check.hits(reader, &hits, missing)).await?;
            page.items.extend(read.0);
            last = Some(read.1);
            if page.items.len() >= search.limit || examined >= EXAMINED {
                page.next = last.as_ref().map(cursor_of);
                return Ok(page);
            }
        }
    }
}

/// The lowest and the highest order that a filter allows.
fn orders(filter: &MessageFilter) -> (u64, u64) {
    let lowest = filter.from.map_or(0, |from| order_at(from.as_millis()));
    let beyond = filter.until.map(|until| order_at(until.as_millis()));
    // Before the first order there is none; the range is then empty.
    beyond.map_or((lowest, u64::MAX), |beyond| match beyond.checked_sub(1) {
        Some(highest) => (lowest, highest),
        None => (1, 0),
    })
}

/// What each hit is checked against.
struct Check {
    caller: Arc<Caller>,
    filter: MessageFilter,
    words: SearchWords,
}

impl Check {
    /// Returns the messages of up to `limit` hits that the rows confirm, and the last hit that was examined.
    fn hits(
        &self,
        reader: &Reader,
        hits: &[MessageHit],
        limit: usize,
    ) -> storage::Result<(Vec<FoundMessage>, MessageHit)> {
        let mut conversations: HashMap<Uuid, Option<Arc<Row<Conversation>>>> = HashMap::new();
        let (mut found, mut last) = (Vec::new(), hits[0]);
        for hit in hits {
            if found.len() == limit {
                break;
            }
            last = *hit;
            let id = hit.key.conversation;
            let conversation = match conversations.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    free.insert(self.filter.conversation(reader, &self.caller, id)?.map(Arc::new))
                }
            };
            let Some(conversation) = conversation else { continue };
            let message = reader.get::<Message>(self.caller.tenant, &(id, hit.key.message))?;
            let Some(message) = message.filter(|message| self.filter.includes(message)) else { continue };
            let text = searched_text(&message);
            if self.words.are_in(&text) {
                let excerpt = self.words.excerpt(&text, EXCERPT);
                found.push(FoundMessage { conversation: conversation.clone(), message, excerpt });
            }
        }
        Ok((found, last))
    }
}

/// The position after a hit: its order, and its message.
fn cursor_of(hit: &MessageHit) -> Cursor {
    let order = (Uuid::from_u64_pair(hit.order, 0), Uuid::nil());
    Cursor::after_pair::<Message>(&order, &(hit.key.conversation, hit.key.message))
}

fn hit_of(cursor: &Cursor) -> storage::Result<MessageHit> {
    let ((order, _), (conversation, message)) = cursor.pair::<Message>()?;
    Ok(MessageHit { order: order.as_u64_pair().0, key: MessageKey { conversation, message } })
}
