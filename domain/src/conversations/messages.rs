//! Changes to the messages of a conversation. An edit creates a sibling; a replacement must be a valid tree.

use std::collections::{HashMap, HashSet};

use storage::records::{Conversation, Feedback, Message, MessageStatus, Part, Run};
use storage::{BlobId, MessageWrite, Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::tree::{self, MessageInput, Tree};
use super::{no_such, own, require_idle};
use crate::{Caller, Patch, Precondition, Refusal, Result};

/// A change to a message.
#[derive(Clone, Debug, Default)]
pub struct MessageEdit {
    pub message_id: Uuid,
    /// The new text. It creates a sibling of the message.
    pub content: Option<String>,
    /// The user's feedback, which changes the message itself.
    pub feedback: Patch<Feedback>,
}

/// All messages of a conversation, on all branches.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The messages. A parent may be anywhere in the list.
    pub messages: Vec<MessageInput>,
    /// The last message of the selected branch. If omitted, the last message of the list.
    pub current_message_id: Option<Uuid>,
    /// The version of the conversation that is replaced, which is checked in addition to the precondition.
    pub version: Option<u64>,
}

/// Edits a message of one of the caller's conversations, or stores the caller's feedback on it. Returns the changed
/// message, or its new sibling.
///
/// # Errors
/// `not_found`, `not_allowed`; `invalid` for a message that does not exist, `stream_active` for a message that is being
/// written.
pub fn edit(tx: &mut Tx, caller: &Caller, conversation: Uuid, change: MessageEdit) -> Result<Row<Message>> {
    let tenant = caller.tenant;
    let mut home = own(tx, caller, conversation)?;
    let id = (conversation, change.message_id);
    let mut row = tx.get::<Message>(tenant, &id)?.ok_or_else(|| no_such("message_id", "message"))?;
    if row.status == MessageStatus::Streaming {
        return Err(Refusal::stream_active(row.run_id.unwrap_or_default()));
    }
    if !change.feedback.is_keep() {
        change.feedback.apply(&mut row.feedback);
        row = tx.update_message(tenant, row)?;
    }
    let Some(content) = change.content else { return Ok(row) };
    let sibling = Message {
        parent_id: row.parent_id,
        role: row.role,
        parts: edited(&row, content),
        attachments: row.attachments.clone(),
        ..Message::default()
    };
    let sibling = tx.insert_message(tenant, (conversation, storage::new_id()), sibling)?;
    home.current_message_id = Some(sibling.id.1);
    home.message_count += 1;
    tx.update(tenant, home)?;
    Ok(sibling)
}

/// Returns the parts of an edited message: its files and the new text.
fn edited(old: &Message, content: String) -> Vec<Part> {
    let files = old.parts.iter().filter(|part| matches!(part, Part::File { .. })).cloned();
    files.chain([Part::Text { text: content }]).collect()
}

/// Replaces all messages of one of the caller's conversations. Returns the conversation and its messages in the given
/// order.
///
/// # Errors
/// `not_found`, `not_allowed`, `stale`, `stream_active` while a run is active, and `invalid` with every fault of the
/// tree.
pub fn replace(
    tx: &mut Tx,
    caller: &Caller,
    conversation: Uuid,
    expected: &Precondition,
    new: Replacement,
) -> Result<(Row<Conversation>, Vec<Row<Message>>)> {
    let tenant = caller.tenant;
    let mut home = own(tx, caller, conversation)?;
    expected.check(home.version)?;
    Precondition::Any.check_both(new.version, "conversation", home.version)?;
    require_idle(tx, caller, conversation)?;
    let old = messages(tx, tenant, conversation)?;
    let tree = Tree::plant(new.messages);
    let current = new.current_message_id.or(tree.last());
    let faults = tree.faults(current, &blobs(&old)).into_vec();
    if !faults.is_empty() {
        return Err(Refusal::faulty(faults));
    }
    let mut old: HashMap<Uuid, Row<Message>> = old.into_iter().map(|row| (row.id.1, row)).collect();
    let mut writes = Vec::with_capacity(tree.0.len());
    for (id, parent_id, message) in tree.0 {
        let write = match old.remove(&id) {
            Some(mut row) => {
                row.body = message.over(row.body.clone(), parent_id);
                MessageWrite::Changed(row)
            }
            None => MessageWrite::New(id, message.over(Message::default(), parent_id)),
        };
        writes.push(write);
    }
    let removed: Vec<_> = old.into_values().collect();
    let stored = tx.replace_messages(tenant, conversation, writes, &removed)?;
    removed.iter().try_for_each(|removed| forget_answer(tx, tenant, removed))?;
    home.current_message_id = current;
    home.message_count = stored.len() as u64;
    Ok((tx.update(tenant, home)?, stored))
}

/// Returns all messages of a conversation, in the order of their ids.
fn messages(reader: &Reader, tenant: TenantId, conversation: Uuid) -> storage::Result<Vec<Row<Message>>> {
    Ok(reader.scan::<Message>(tenant, Scan::table().prefix(conversation.as_bytes()))?.items)
}

/// Removes the reference to a deleted message from the run that wrote it.
fn forget_answer(tx: &mut Tx, tenant: TenantId, removed: &Row<Message>) -> storage::Result<()> {
    let Some(run) = removed.run_id else { return Ok(()) };
    let Some(mut run) = tx.get::<Run>(tenant, &run)?.filter(|run| run.message_id == Some(removed.id.1))
    else {
        return Ok(());
    };
    run.message_id = None;
    tx.update(tenant, run).map(drop)
}

/// Returns the files of messages.
fn blobs(messages: &[Row<Message>]) -> HashSet<BlobId> {
    messages.iter().flat_map(|row| tree::files(&row.parts, &row.attachments)).cloned().collect()
}
