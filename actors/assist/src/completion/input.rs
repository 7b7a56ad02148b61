//! Inserts a completion's input into the conversation's message tree.

use runs::StartError;
use storage::records::{Attachment, Conversation, Message, MessageRole, MessageStatus, Part};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::request::{Input, NewMessage};

/// Maximum number of characters of one message.
const MAX_MESSAGE_LENGTH: usize = 1_000_000;

/// Where the answer is inserted.
pub struct AnswerPosition {
    /// The message that is answered.
    pub parent_id: Uuid,
    /// Number of messages that were added.
    pub added: u64,
}

/// Adds new messages, and returns the position of the answer.
pub fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: &mut Row<Conversation>,
    input: &Input,
) -> Result<AnswerPosition, StartError> {
    match input {
        Input::Message { text, attachments, parent } => {
            let parent = match parent {
                Some(id) => Some(answerable(tx, tenant, conversation.id, *id, "parent_message_id")?),
                None => conversation.current_message_id,
            };
            let parent_id = add(tx, tenant, conversation.id, parent, text, attachments)?;
            Ok(AnswerPosition { parent_id, added: 1 })
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
            Ok(AnswerPosition { parent_id, added: 0 })
        }
    }
}

fn invalid(loc: &'static str, msg: impl Into<String>) -> StartError {
    StartError::Invalid { loc, msg: msg.into() }
}

/// Checks that another message may follow this one.
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
    if text.chars().count() > MAX_MESSAGE_LENGTH {
        let msg = format!("the message is longer than {MAX_MESSAGE_LENGTH} characters");
        return Err(invalid("message", msg));
    }
    let id = Uuid::now_v7();
    tx.insert_message(tenant, (conversation, id), message(parent, MessageRole::User, text, attachments))?;
    Ok(id)
}

/// Imports a conversation from a client. Messages whose ID is known stay unchanged, and the others are added after the
/// last known one. The last message must come from the user. If it is known and its text was edited, it is added as an
/// alternative to the stored one.
fn take_over(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: &Row<Conversation>,
    messages: &[NewMessage],
) -> Result<AnswerPosition, StartError> {
    let home = conversation.id;
    let last = messages.last().ok_or_else(|| invalid("messages", "there is no message"))?;
    if last.role != MessageRole::User {
        return Err(invalid("messages", "the last message has to be the user's"));
    }
    let (mut before, mut parent, mut added) = (None, None, 0);
    for (at, new) in messages.iter().enumerate() {
        let known = match new.id {
            Some(id) => tx.get::<Message>(tenant, &(home, id))?,
            None => None,
        };
        let Some(known) = known else {
            parent = Some(add_with_client_id(tx, tenant, home, parent, new)?);
            (before, added) = (None, added + 1);
            continue;
        };
        if at > 0 && !follows(tx, tenant, &known, before.as_ref())? {
            let id = known.id.1;
            return Err(invalid("messages", format!("message {id} does not follow the one before it")));
        }
        parent = Some(known.id.1);
        before = Some(known);
    }
    if let Some(question) = before {
        let (parent_id, added) = ask_again(tx, tenant, question, last)?;
        return Ok(AnswerPosition { parent_id, added });
    }
    if last.text.trim().is_empty() && last.attachments.is_empty() {
        return Err(invalid("messages", "the last message is empty"));
    }
    let parent_id = parent.ok_or_else(|| invalid("messages", "there is no message"))?;
    Ok(AnswerPosition { parent_id, added })
}

/// Adds an unknown message under the ID that the client gave it.
fn add_with_client_id(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: Uuid,
    parent: Option<Uuid>,
    new: &NewMessage,
) -> Result<Uuid, StartError> {
    if new.role == MessageRole::Tool {
        return Err(invalid("messages", "a tool's message cannot be taken over"));
    }
    if new.text.chars().count() > MAX_MESSAGE_LENGTH {
        let msg = format!("a message is longer than {MAX_MESSAGE_LENGTH} characters");
        return Err(invalid("messages", msg));
    }
    let id = new.id.unwrap_or_else(Uuid::now_v7);
    tx.insert_message(tenant, (conversation, id), message(parent, new.role, &new.text, &new.attachments))?;
    Ok(id)
}

/// Whether a stored message follows the previous one, or follows a question that is an alternative to it. Clients that
/// edit a question keep its ID, and the edited question is stored beside the original one.
fn follows(
    tx: &Tx,
    tenant: TenantId,
    row: &Row<Message>,
    before: Option<&Row<Message>>,
) -> storage::Result<bool> {
    let (Some(parent), Some(before)) = (row.parent_id, before) else { return Ok(false) };
    if parent == before.id.1 {
        return Ok(true);
    }
    let parent = tx.get::<Message>(tenant, &(row.id.0, parent))?;
    Ok(parent.is_some_and(|parent| stands_beside(&parent, before)))
}

/// Whether two questions are alternatives at the same position.
fn stands_beside(one: &Message, other: &Message) -> bool {
    one.parent_id == other.parent_id && one.role == MessageRole::User && other.role == MessageRole::User
}

/// Asks a stored question again. Returns its ID and the number of messages added. If its text has changed, it is added
/// as an alternative to the stored one; asking the same alternative again results in one question with two answers.
fn ask_again(
    tx: &mut Tx,
    tenant: TenantId,
    question: Row<Message>,
    new: &NewMessage,
) -> Result<(Uuid, u64), StartError> {
    if question.role != MessageRole::User {
        return Err(invalid("messages", "the last message has to be the user's"));
    }
    if has_content(&question, new) {
        return Ok((question.id.1, 0));
    }
    let home = question.id.0;
    let mut same = None;
    tx.visit::<Message>(tenant, Scan::table().prefix(home.as_bytes()), |row| {
        same = (stands_beside(&row, &question) && has_content(&row, new)).then_some(row.id.1);
        same.is_none()
    })?;
    if let Some(same) = same {
        return Ok((same, 0));
    }
    let files = if new.attachments.is_empty() { &question.attachments } else { &new.attachments };
    Ok((add(tx, tenant, home, question.parent_id, &new.text, files)?, 1))
}

/// Whether a stored message has this content. An empty message from the client counts as unchanged.
fn has_content(stored: &Message, new: &NewMessage) -> bool {
    let texts = stored.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.trim()),
        _ => None,
    });
    let same_text = texts.collect::<Vec<_>>().join("\n\n") == new.text.trim();
    let same_files = stored.attachments.iter().map(|file| &file.blob_id);
    let same_files = same_files.eq(new.attachments.iter().map(|file| &file.blob_id));
    match (new.text.trim().is_empty(), new.attachments.is_empty()) {
        (true, true) => true,
        (false, true) => same_text,
        _ => same_text && same_files,
    }
}

/// Creates the record of a message.
fn message(parent_id: Option<Uuid>, role: MessageRole, text: &str, attachments: &[Attachment]) -> Message {
    let parts = match text {
        "" => Vec::new(),
        text => vec![Part::Text { text: text.to_owned() }],
    };
    Message { parent_id, role, parts, attachments: attachments.to_vec(), ..Message::default() }
}
