//! The word index of messages: one for each tenant. It finds the messages that contain all words of a query, the newest
//! first.

mod layout;
mod read;
mod words;

use std::path::PathBuf;

use uuid::Uuid;

use crate::word_index::{IndexError, WordIndexes};
use layout::Messages;
pub use words::{Excerpt, SearchWords};

/// Number of bits of a [`MessageHit::order`] that distinguish messages of the same millisecond.
const TIE_BITS: u32 = 22;

/// Identifies a message within its tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageKey {
    pub conversation: Uuid,
    pub message: Uuid,
}

/// A change to an index.
#[derive(Clone, Debug)]
pub enum MessageChange {
    /// Adds a message, or replaces it.
    Put {
        key: MessageKey,
        /// The user who owns the conversation.
        owner: Uuid,
        /// Milliseconds since 1970.
        created_at: i64,
        /// A number that stands for the author.
        role: u64,
        text: String,
    },
    Remove(MessageKey),
    /// Removes all messages.
    Clear,
}

/// A search for messages.
#[derive(Clone, Debug)]
pub struct MessageQuery {
    pub words: SearchWords,
    /// Searches the conversations of this user.
    pub owner: Option<Uuid>,
    /// Searches these conversations, in addition to those of the owner.
    pub conversations: Vec<Uuid>,
    /// Only messages of these authors; all if empty.
    pub roles: Vec<u64>,
    /// The lowest and the highest order of the messages, both inclusive.
    pub orders: (u64, u64),
    /// Maximum number of hits.
    pub limit: usize,
}

/// A message that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageHit {
    /// Position in the order of creation. Messages of the same millisecond are in an arbitrary, fixed order.
    pub order: u64,
    pub key: MessageKey,
}

/// The lowest order of messages that were created at this time, in milliseconds since 1970.
pub fn order_at(created_at: i64) -> u64 {
    u64::try_from(created_at).unwrap_or_default() << TIE_BITS
}

/// The indexes of all tenants. Cheap to clone. An index is opened on first use, by one process at a time.
#[derive(Clone)]
pub struct MessageIndex(WordIndexes<Messages>);

impl MessageIndex {
    /// Creates the indexes in this folder, which need not exist yet.
    pub fn new(dir: PathBuf) -> Self {
        Self(WordIndexes::new(dir))
    }

    /// The folder of a tenant's index. A damaged index is recreated without any other files in its folder.
    pub fn folder(&self, tenant: Uuid) -> PathBuf {
        self.0.folder(tenant)
    }

    /// Opens the index of a tenant. One that is damaged, or does not exist, is recreated.
    ///
    /// # Errors
    /// The disk fails.
    pub async fn open(&self, tenant: Uuid) -> Result<(), IndexError> {
        self.0.read(tenant, |_| Ok(())).await
    }

    /// Applies changes in order and atomically. When this method returns, searches see the changes, and they survive a
    /// crash.
    ///
    /// # Errors
    /// The disk fails, or another process has the index open.
    pub async fn apply(&self, tenant: Uuid, changes: Vec<MessageChange>) -> Result<(), IndexError> {
        self.0.apply(tenant, changes).await
    }

    /// Returns the messages that contain all words, the newest first. Returns nothing if the query contains no words.
    ///
    /// # Errors
    /// The disk fails. A damaged index is checked and recreated by the next call.
    pub async fn search(&self, tenant: Uuid, query: MessageQuery) -> Result<Vec<MessageHit>, IndexError> {
        self.0.read(tenant, move |open| read::search(open, &query)).await
    }
}
