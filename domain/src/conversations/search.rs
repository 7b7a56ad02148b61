//! Which messages a search of messages covers.

use std::collections::BTreeSet;

use storage::authority::Feature;
use storage::records::{Conversation, Message, MessageRole, Part};
use storage::{Reader, Row, Scan, Timestamp};
use uuid::Uuid;

use super::readable;
use crate::{Caller, projects};

/// Which messages to search.
#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    /// Only messages of this conversation.
    pub conversation: Option<Uuid>,
    /// Only messages of conversations in this project.
    pub project: Option<Uuid>,
    /// Only messages of conversations with this assistant.
    pub assistant: Option<Uuid>,
    /// Only messages of this author.
    pub role: Option<MessageRole>,
    /// Only messages from this time on.
    pub from: Option<Timestamp>,
    /// Only messages before this time.
    pub until: Option<Timestamp>,
}

/// Conversations that contain everything that a caller may read, and possibly more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchScope {
    /// The conversations of this user.
    pub owner: Option<Uuid>,
    /// Further conversations.
    pub conversations: Vec<Uuid>,
}

impl MessageFilter {
    /// Returns the conversations to search.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn scope(&self, reader: &Reader, caller: &Caller) -> storage::Result<SearchScope> {
        if let Some(id) = self.conversation {
            return Ok(SearchScope { owner: None, conversations: vec![id] });
        }
        let projects = match self.project {
            Some(id) => BTreeSet::from([id]),
            None if caller.features.contains(Feature::Projects) => projects::granted_to(reader, caller)?,
            None => BTreeSet::new(),
        };
        let mut conversations = Vec::new();
        for project in projects {
            let within = Scan::index("by_project").prefix(project.as_bytes());
            conversations.extend(reader.ids::<Conversation>(caller.tenant, within)?);
        }
        let owner = self.project.is_none().then_some(caller.user);
        Ok(SearchScope { owner, conversations })
    }

    /// Returns the conversation if the caller may read it and its messages are to be searched. Conversations that the
    /// platform created for its own purposes are not.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn conversation(
        &self,
        reader: &Reader,
        caller: &Caller,
        id: Uuid,
    ) -> storage::Result<Option<Row<Conversation>>> {
        let wanted = |row: &Row<Conversation>| {
            self.project.is_none_or(|project| row.project_id == Some(project))
                && self.assistant.is_none_or(|assistant| row.assistant_id == Some(assistant))
                && !row.is_system
        };
        Ok(readable(reader, caller, id)?.filter(wanted))
    }

    /// Returns whether a message of such a conversation is to be searched.
    pub fn includes(&self, message: &Row<Message>) -> bool {
        self.role.is_none_or(|role| message.role == role)
            && self.from.is_none_or(|from| message.created_at >= from)
            && self.until.is_none_or(|until| message.created_at < until)
    }
}

/// Returns the text of a message that searches look at: what it says, and the names of its files.
pub fn searched_text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let files = message.attachments.iter().map(|file| file.filename.as_str());
    texts.chain(files).collect::<Vec<_>>().join("\n")
}
