//! What can be set of a conversation, and what it must refer to.

use assist::offer::ModelChoices;
use providers::Models;
use storage::records::{Conversation, Message, TitleSource};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::schema::{ConversationResponse, CreateConversationRequest, PatchConversationRequest};
use super::{own, remove, user_data};
use crate::api::assistants::access;
use crate::http::{Api, Caller, IfMatch, Refusal};
use domain::projects;

/// Makes a conversation of the caller's.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    new: CreateConversationRequest,
) -> Api<ConversationResponse> {
    let refers = Refers { assistant: new.assistant_id, project: new.project_id, model: new.model.as_deref() };
    refers.check(tx, caller, models)?;
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
    let mut made = ConversationResponse::from(tx.insert(caller.tenant, storage::new_id(), conversation)?);
    made.messages = Some(Vec::new());
    Ok(made)
}

/// Changes what can be set of one of the caller's conversations.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    models: &Models,
    id: Uuid,
    if_match: &IfMatch,
    new: PatchConversationRequest,
) -> Api<ConversationResponse> {
    let mut row = own(tx, caller, id)?;
    if_match.check(row.version)?;
    same_version(&row, new.version)?;
    // What is only kept need not exist any more: its assistant may have been deleted since.
    let refers = Refers {
        assistant: new.assistant_id.as_set().copied().filter(|id| row.assistant_id != Some(*id)),
        project: new.project_id.as_set().copied().filter(|id| row.project_id != Some(*id)),
        model: new.model.as_set().map(String::as_str).filter(|id| row.model.as_deref() != Some(*id)),
    };
    refers.check(tx, caller, models)?;
    if let Some(message) = new.current_message_id {
        let known = tx.get::<Message>(caller.tenant, &(id, message))?.is_some();
        known.then_some(()).ok_or_else(|| no_such("current_message_id", "message"))?;
        row.current_message_id = Some(message);
    }
    let mut title = row.title.clone();
    new.title.apply(&mut title);
    if title.as_deref().map(str::trim) != row.title.as_deref() {
        (row.title, row.title_source) = titled(title);
    }
    let mut project = row.project_id;
    new.project_id.apply(&mut project);
    tx.place_conversation(caller.tenant, &mut row.body, project)?;
    new.assistant_id.apply(&mut row.assistant_id);
    new.model.apply(&mut row.model);
    new.archived.apply_or_default(&mut row.archived);
    new.pinned.apply_or_default(&mut row.pinned);
    Ok(tx.update(caller.tenant, row)?.into())
}

/// Refuses a change that was made with an older version in mind.
pub fn same_version(row: &Row<Conversation>, version: Option<u64>) -> Api<()> {
    match version {
        Some(version) if version != row.version => Err(storage::Error::Stale("conversation").into()),
        _ => Ok(()),
    }
}

fn titled(title: Option<String>) -> (Option<String>, TitleSource) {
    match title.as_deref().map(str::trim) {
        Some(title) => (Some(title.to_owned()), TitleSource::Given),
        None => (None, TitleSource::None),
    }
}

/// What a conversation refers to.
struct Refers<'a> {
    assistant: Option<Uuid>,
    project: Option<Uuid>,
    model: Option<&'a str>,
}

impl Refers<'_> {
    /// All of it must exist, for this caller.
    fn check(&self, reader: &Reader, caller: &Caller, models: &Models) -> Api<()> {
        if let Some(id) = self.assistant {
            let assistant = access::visible(reader, caller, id)?;
            let assistant = assistant.ok_or_else(|| no_such("assistant_id", "assistant"))?;
            access::require_feature(&assistant, caller)?;
        }
        if let Some(id) = self.project {
            projects::conversations::check_target(reader, caller, id)?
                .ok_or_else(|| no_such("project_id", "project"))?;
        }
        let Some(model) = self.model else { return Ok(()) };
        let terms = ModelChoices::read(reader, caller.tenant, caller.user)?;
        terms.find(models, model).map(drop).ok_or_else(|| no_such("model", "model"))
    }
}

/// A 422 at a field that names something that is not there.
pub fn no_such(field: &str, what: &str) -> Refusal {
    Refusal::invalid("body", [field], format!("there is no such {what}"), "not_found")
}

/// Refuses a change to the messages while a run writes to them.
pub fn not_streaming(reader: &Reader, caller: &Caller, conversation: Uuid) -> Api<()> {
    match remove::live_runs(reader, caller.tenant, conversation)?.first() {
        None => Ok(()),
        Some(run) => Err(runs::stream_active(*run)),
    }
}
