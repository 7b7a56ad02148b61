//! The settings of a conversation, and the objects that it may refer to.

use serde_json::{Map, Value};
use storage::records::{Conversation, Message, TitleSource};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::{no_such, own, user_data};
use crate::assistants::access;
use crate::{Caller, Patch, Precondition, Result, projects};

/// Returns whether the caller may choose the model with this name. Implemented above this crate, where models are known.
pub type OffersModel<'a> = &'a dyn Fn(&Reader, &Caller, &str) -> storage::Result<bool>;

/// A conversation to create.
#[derive(Clone, Debug, Default)]
pub struct NewConversation {
    /// The title. If omitted, it is generated from the first exchange.
    pub title: Option<String>,
    /// The assistant that responds.
    pub assistant_id: Option<Uuid>,
    /// The project that it belongs to.
    pub project_id: Option<Uuid>,
    /// The model that responds.
    pub model: Option<String>,
    /// Whether it is one of the platform's own conversations, which are not listed with the others.
    pub is_system: bool,
    /// Arbitrary data of the client.
    pub user_data: Map<String, Value>,
}

#[derive(Clone, Debug, Default)]
pub struct ConversationChange {
    /// Changes to the title. If it is cleared, it is generated from the next exchange.
    pub title: Patch<String>,
    /// The assistant that responds from now on.
    pub assistant_id: Patch<Uuid>,
    /// The project that it belongs to.
    pub project_id: Patch<Uuid>,
    /// The model that responds.
    pub model: Patch<String>,
    /// Whether it is archived.
    pub archived: Patch<bool>,
    /// Whether the conversation is pinned.
    pub pinned: Patch<bool>,
    /// The last message of the selected branch.
    pub current_message_id: Option<Uuid>,
    /// The version that the change is based on, which is checked in addition to the precondition.
    pub version: Option<u64>,
}

/// Creates a conversation that the caller owns.
///
/// # Errors
/// `invalid` for a reference to an object that the caller cannot see, `too_large` for too much user data, `not_allowed` for
/// a project in which the caller is not an editor.
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
/// The errors of [`create`]; `not_found`, `not_allowed`, and `stale` for another version.
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
    // Unchanged references are not checked, because the object may have been deleted since.
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

/// The objects that a conversation refers to.
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
