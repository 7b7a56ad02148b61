//! Loading of conversations that a path names.

use std::ops::Deref;

use storage::authority::Ground;
use storage::records::{Conversation, GrantLevel};
use storage::{Reader, Row};
use uuid::Uuid;

use super::schema::ConversationResponse;
use crate::http::{Api, Caller, Loadable};
use domain::conversations;

/// A conversation that the caller may read.
pub struct Readable {
    row: Row<Conversation>,
    /// Whether the conversation belongs to another user and the caller reads it as a member of its project.
    pub guest: bool,
}

impl Readable {
    pub fn row(&self) -> &Row<Conversation> {
        &self.row
    }
}

impl Deref for Readable {
    type Target = Row<Conversation>;
    fn deref(&self) -> &Row<Conversation> {
        &self.row
    }
}

impl Loadable for Readable {
    const PARAM: &'static str = "conversation_id";
    const NAME: &'static str = "conversation";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = conversations::readable(reader, caller, id)?;
        Ok(row.map(|row| Self { guest: row.owner != caller.user, row }))
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(conversations::grounds(reader, caller, &self.row)?)
    }
}

/// A conversation that the caller may change. Callers who may only read it receive 403.
impl Loadable for Row<Conversation> {
    const PARAM: &'static str = "conversation_id";
    const NAME: &'static str = "conversation";
    const LEVEL: Option<GrantLevel> = Some(GrantLevel::Owner);

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(Readable::load(reader, caller, id)?.map(|found| found.row))
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(conversations::grounds(reader, caller, self)?)
    }
}

/// Returns a conversation as this caller may see it: `user_data` is visible to the owner only.
pub fn shown(row: Row<Conversation>, caller: &Caller) -> ConversationResponse {
    let read_only = row.owner != caller.user;
    let mut shown = ConversationResponse::from(row);
    if read_only {
        shown.conversation.user_data.clear();
        shown.read_only = true;
    }
    shown
}
