//! What can be set of a conversation, and what it may refer to.

use serde_json::{Map, Value};
use storage::records::{Conversation, Message, TitleSource};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::{no_such, own, user_data};
use crate::assistants::access;
use crate::{Caller, Patch, Precondition, Result, projects};

/// Whether the caller may choose the model of this name. Answered above this crate, where models are known.
pub type OffersModel<'a> = &'a dyn Fn(&Reader, &Caller, &str) -> storage::Result<bool>;

/// A conversation to create.
#[derive(Clone, Debug, Default)]
pub struct NewConversation {
    /// Its title; made from the first exchange without one.
    pub title: Option<String>,
    /// The assistant that answers.
    pub assistant_id: Option<Uuid>,
    /// The project that it belongs to.
    pub project_id: Option<Uuid>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether it is the platform's own, and not listed with others.
    pub is_system: bool,
    /// Kept for clients.
    pub user_data: Map<String, Value>,
}

#[derive(Clone, Debug, Default)]
pub struct ConversationChange {
    /// Its title; cleared, it is made from the next exchange.
    pub title: Patch<String>,
    /// The assistant that answers from now on.
    pub assistant_id: Patch<Uuid>,
    /// The project that it belongs to.
    pub project_id: Patch<Uuid>,
    /// The model that answers.
    pub model: Patch<String>,
    /// Whether it is archived.
    pub archived: Patch<bool>,
    /// Whether it is listed first.
    pub pinned: Patch<bool>,
    /// The message at the end of the branch shown.
    pub current_message_id: Option<Uuid>,
    /// The version that is changed, beside the precondition.
    pub version: Option<u64>,
}

/// Creates a conversation of the caller's.
///
/// # Errors
/// `invalid` for a reference to what does not exist for the caller, `too_large` for too much user data, `not_allowed` for a
/// project in which the caller is not an editor.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    offers: OffersModel<'_>,
    new: NewConversation,
) -> Result<Row<Conversation>> {
    let references =
        References { assistant: new.assistant_id, project: new.project_id, model: new.model.as_deref() };
    references.check(tx, caller, offers)?;
    user_data::check_size(&new.user_data)?;
    let (title, title_source) = titled(new.title);
    let mut conversation = Conversation {
        title,
        title_source,
        assistant_id: new.assistant_id,
        owner: caller.user,
        model: new.model,
        is_system: new.is_system,
        user_data: new.user_data,
        ..Conversation::default()
    };
    tx.place_conversation(caller.tenant, &mut conversation, new.project_id)?;
    Ok(tx.insert(caller.tenant, storage::new_id(), conversation)?)
}

/// Changes one of the caller's conversations.
///
/// # Errors
/// Those of [`create`]; `not_found`, `not_allowed`, and `stale` for another version.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    offers: OffersModel<'_>,
    (id, expected): (Uuid, &Precondition),
    change: ConversationChange,
) -> Result<Row<Conversation>> {
    let mut row = own(tx, caller, id)?;
    expected.check(row.version)?;
    Precondition::Any.check_both(change.version, "conversation", row.version)?;
    // What stays need not exist any more: its assistant may have been deleted since.
    let references = References {
        assistant: change.assistant_id.as_set().copied().filter(|id| row.assistant_id != Some(*id)),
        project: change.project_id.as_set().copied().filter(|id| row.project_id != Some(*id)),
        model: change.model.as_set().map(String::as_str).filter(|id| row.model.as_deref() != Some(*id)),
    };
    references.check(tx, caller, offers)?;
    if let Some(message) = change.current_message_id {
        let exists = tx.get::<Message>(caller.tenant, &(id, message))?.is_some();
        exists.then_some(()).ok_or_else(|| no_such("current_message_id", "message"))?;
        row.current_message_id = Some(message);
    }
    let mut title = row.title.clone();
    change.title.apply(&mut title);
    if title.as_deref().map(str::trim) != row.title.as_deref() {
        (row.title, row.title_source) = titled(title);
    }
    let mut project = row.project_id;
    change.project_id.apply(&mut project);
    tx.place_conversation(caller.tenant, &mut row.body, project)?;
    change.assistant_id.apply(&mut row.assistant_id);
    change.model.apply(&mut row.model);
    change.archived.apply_or_default(&mut row.archived);
    change.pinned.apply_or_default(&mut row.pinned);
    Ok(tx.update(caller.tenant, row)?)
}

fn titled(title: Option<String>) -> (Option<String>, TitleSource) {
    match title.as_deref().map(str::trim) {
        Some(title) => (Some(title.to_owned()), TitleSource::Given),
        None => (None, TitleSource::None),
    }
}

/// What a conversation refers to.
struct References<'a> {
    assistant: Option<Uuid>,
    project: Option<Uuid>,
    model: Option<&'a str>,
}

impl References<'_> {
    fn check(&self, reader: &Reader, caller: &Caller, offers: OffersModel<'_>) -> Result<()> {
        if let Some(id) = self.assistant {
            let assistant = access::visible(reader, caller, id)?;
            let assistant = assistant.ok_or_else(|| no_such("assistant_id", "assistant"))?;
            access::require_feature(&assistant, caller)?;
        }
        if let Some(id) = self.project {
            projects::conversations::check_target(reader, caller, id)?
                .ok_or_else(|| no_such("project_id", "project"))?;
        }
        match self.model {
            Some(model) if !offers(reader, caller, model)? => Err(no_such("model", "model")),
            _ => Ok(()),
        }
    }
}
