//! Who reaches a conversation: its owner, and the members of the project that it is in, who read it.

use std::ops::Deref;

use storage::authority::{Feature, Ground, Reason};
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Reader, Row};
use uuid::Uuid;

use super::schema::ConversationResponse;
use crate::http::{Api, Caller, Loadable, Refusal, lacking};
use domain::projects;

/// A conversation that the caller may read.
pub struct Readable {
    row: Row<Conversation>,
    /// Whether it is another's, and read as a member of its project.
    pub guest: bool,
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
        let Some(row) = reader.get::<Conversation>(caller.tenant, &id)? else { return Ok(None) };
        let reached = !grounds(reader, caller, &row)?.is_empty();
        Ok(reached.then(|| Self { guest: row.owner != caller.user, row }))
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(grounds(reader, caller, &self.row)?)
    }
}

/// One that the caller may change: those who only read it are told so.
impl Loadable for Row<Conversation> {
    const PARAM: &'static str = "conversation_id";
    const NAME: &'static str = "conversation";
    const LEVEL: Option<GrantLevel> = Some(GrantLevel::Owner);

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(Readable::load(reader, caller, id)?.map(|found| found.row))
    }

    fn grounds(&self, reader: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(grounds(reader, caller, self)?)
    }
}

/// The caller's own conversation, within a transaction: 403 for one that they only read.
pub fn own(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Row<Conversation>> {
    let found = Readable::load(reader, caller, id)?.ok_or_else(|| Refusal::not_found("conversation"))?;
    match found.guest {
        false => Ok(found.row),
        true => Err(lacking(GrantLevel::Owner, Some(GrantLevel::Viewer))),
    }
}

/// A conversation as this caller may see it: what its owner's clients keep with it is the owner's alone.
pub fn shown(row: Row<Conversation>, caller: &Caller) -> ConversationResponse {
    let read_only = row.owner != caller.user;
    let mut shown = ConversationResponse::from(row);
    if read_only {
        shown.conversation.user_data.clear();
        shown.read_only = true;
    }
    shown
}

/// Why somebody reaches it. Whoever is in its project reads it, whatever else they may do there; administering the
/// tenant is no reason.
fn grounds(reader: &Reader, caller: &Caller, row: &Row<Conversation>) -> storage::Result<Vec<Ground>> {
    if row.owner == caller.user {
        return Ok(vec![Ground { level: GrantLevel::Owner, reason: Reason::Owns }]);
    }
    let Some(project) = row.project_id.filter(|_| caller.features.contains(Feature::Projects)) else {
        return Ok(Vec::new());
    };
    let Some(project) = reader.get::<Project>(caller.tenant, &project)? else { return Ok(Vec::new()) };
    let members = projects::reading_grounds(&project, caller).into_iter();
    Ok(members.map(|ground| Ground { level: GrantLevel::Viewer, ..ground }).collect())
}
