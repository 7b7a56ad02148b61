//! Where a completion's input goes in the conversation's tree.

use storage::records::{Attachment, Conversation, Message, MessageRole, MessageStatus};
use storage::{Row, TenantId, Tx};
use uuid::Uuid;

use super::request::{Input, NewMessage, StartError};
use super::start::message;

/// Characters that one message may have.
const LONGEST_MESSAGE: usize = 1_000_000;

/// Where the answer goes.
pub(crate) struct Placed {
    /// The message that is answered.
    pub parent_id: Uuid,
    /// Messages that were added.
    pub added: u64,
}

/// Adds what is new, and says what is answered.
pub(crate) fn place(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: &mut Row<Conversation>,
    input: &Input,
) -> Result<Placed, StartError> {
    match input {
        Input::Message { text, attachments, parent } => {
            let parent = match parent {
                Some(id) => Some(answerable(tx, tenant, conversation.id, *id, "parent_message_id")?),
                None => conversation.current_message_id,
            };
            let parent_id = add(tx, tenant, conversation.id, parent, text, attachments)?;
            Ok(Placed { parent_id, added: 1 })
        }
        Input::Messages(messages) => take_over(tx, tenant, conversation, messages),
        Input::Regenerate { message_id } => {
            let id = (conversation.id, *message_id);
            let row = tx.get::<Message>(tenant, &id)?.ok_or(StartError::NotFound("message"))?;
            let parent = match row.role {
                MessageRole::User => Some(*message_id),
                MessageRole::Assistant => row.parent_id,
                MessageRole::System | MessageRole::Tool => None,
            };
            let parent_id = parent.ok_or_else(|| {
                invalid("regenerate_message_id", "there is no question that this message answers")
            })?;
            Ok(Placed { parent_id, added: 0 })
        }
    }
}

fn invalid(loc: &'static str, msg: impl Into<String>) -> StartError {
    StartError::Invalid { loc, msg: msg.into() }
}

/// A message that another may follow.
fn answerable(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: Uuid,
    id: Uuid,
    loc: &'static str,
) -> Result<Uuid, StartError> {
    let row = tx.get::<Message>(tenant, &(conversation, id))?;
    let row = row.ok_or_else(|| invalid(loc, "no message of this conversation"))?;
    if row.status == MessageStatus::Streaming {
        return Err(invalid(loc, "this message is still being written"));
    }
    Ok(id)
}

fn add(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: Uuid,
    parent: Option<Uuid>,
    text: &str,
    attachments: &[Attachment],
) -> Result<Uuid, StartError> {
    if text.trim().is_empty() && attachments.is_empty() {
        return Err(invalid("message", "the message is empty"));
    }
    if text.chars().count() > LONGEST_MESSAGE {
        let msg = format!("the message is longer than {LONGEST_MESSAGE} characters");
        return Err(invalid("message", msg));
    }
    let id = Uuid::now_v7();
    tx.insert(tenant, (conversation, id), message(parent, MessageRole::User, text, attachments))?;
    Ok(id)
}

/// Takes over a conversation as a client has it. Messages that the server knows by their id stay
/// as they are; the rest follow the last known one; the last must be the user's.
fn take_over(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: &Row<Conversation>,
    messages: &[NewMessage],
) -> Result<Placed, StartError> {
    let last = messages.last().ok_or_else(|| invalid("messages", "there is no message"))?;
    if last.role != MessageRole::User {
        return Err(invalid("messages", "the last message has to be the user's"));
    }
    let (mut parent, mut added) = (None, 0);
    for new in messages {
        if let Some(id) = new.id
            && let Some(known) = tx.get::<Message>(tenant, &(conversation.id, id))?
        {
            if known.parent_id != parent {
                return Err(invalid("messages", format!("message {id} does not follow the one before it")));
            }
            parent = Some(id);
            continue;
        }
        if new.role == MessageRole::Tool {
            return Err(invalid("messages", "a tool's message cannot be taken over"));
        }
        let id = new.id.unwrap_or_else(Uuid::now_v7);
        let row = message(parent, new.role, &new.text, &new.attachments);
        tx.insert(tenant, (conversation.id, id), row)?;
        parent = Some(id);
        added += 1;
    }
    let parent_id = parent.ok_or_else(|| invalid("messages", "there is no message"))?;
    Ok(Placed { parent_id, added })
}
