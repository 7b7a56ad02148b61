//! Where a completion's input goes in the conversation's tree.

use runs::StartError;
use storage::records::{Attachment, Conversation, Message, MessageRole, MessageStatus, Part};
use storage::{Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::request::{Input, NewMessage};

/// Characters that one message may have.
const LONGEST_MESSAGE: usize = 1_000_000;

/// Where the answer goes.
pub struct AnswerPosition {
    /// The message that is answered.
    pub parent_id: Uuid,
    /// Messages that were added.
    pub added: u64,
}

/// Adds what is new, and says what is answered.
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

/// Takes over a conversation as a client has it. Messages that the server knows by their id stay as they are; the rest
/// follow the last known one; the last must be the user's, and one that says something else now than it did is asked in
/// its place.
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
            parent = Some(add_as_told(tx, tenant, home, parent, new)?);
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

/// Adds a message that the server does not know, under the id that its client gave it.
fn add_as_told(
    tx: &mut Tx,
    tenant: TenantId,
    conversation: Uuid,
    parent: Option<Uuid>,
    new: &NewMessage,
) -> Result<Uuid, StartError> {
    if new.role == MessageRole::Tool {
        return Err(invalid("messages", "a tool's message cannot be taken over"));
    }
    if new.text.chars().count() > LONGEST_MESSAGE {
        let msg = format!("a message is longer than {LONGEST_MESSAGE} characters");
        return Err(invalid("messages", msg));
    }
    let id = new.id.unwrap_or_else(Uuid::now_v7);
    tx.insert(tenant, (conversation, id), message(parent, new.role, &new.text, &new.attachments))?;
    Ok(id)
}

/// Whether a stored message follows the one before it: that one, or what was asked in its place. Clients that edit a
/// question keep its id, and the edited one stands beside it.
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

/// Whether two questions were asked at the same place.
fn stands_beside(one: &Message, other: &Message) -> bool {
    one.parent_id == other.parent_id && one.role == MessageRole::User && other.role == MessageRole::User
}

/// A stored question once more, and how many messages that adds. Where it says something else now, it is asked in the
/// place of the old one; asked twice, that is one question with two answers.
fn ask_again(
    tx: &mut Tx,
    tenant: TenantId,
    question: Row<Message>,
    new: &NewMessage,
) -> Result<(Uuid, u64), StartError> {
    if question.role != MessageRole::User {
        return Err(invalid("messages", "the last message has to be the user's"));
    }
    if says(&question, new) {
        return Ok((question.id.1, 0));
    }
    let home = question.id.0;
    let mut same = None;
    tx.visit::<Message>(tenant, Scan::table().prefix(home.as_bytes()), |row| {
        same = (stands_beside(&row, &question) && says(&row, new)).then_some(row.id.1);
        same.is_none()
    })?;
    if let Some(same) = same {
        return Ok((same, 0));
    }
    let files = if new.attachments.is_empty() { &question.attachments } else { &new.attachments };
    Ok((add(tx, tenant, home, question.parent_id, &new.text, files)?, 1))
}

/// Whether a stored message says this. A client that sends nothing of it does not change it.
fn says(stored: &Message, new: &NewMessage) -> bool {
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

/// A user's message as it is stored.
fn message(parent_id: Option<Uuid>, role: MessageRole, text: &str, attachments: &[Attachment]) -> Message {
    let parts = match text {
        "" => Vec::new(),
        text => vec![Part::Text { text: text.to_owned() }],
    };
    Message { parent_id, role, parts, attachments: attachments.to_vec(), ..Message::default() }
}
