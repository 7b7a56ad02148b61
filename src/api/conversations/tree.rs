//! The tree of a conversation's messages: an edit makes a sibling, and a replacement is a tree or
//! is refused.

use std::collections::{HashMap, HashSet};

use storage::records::{Attachment, Conversation, Message, MessageStatus, Part, Run};
use storage::{BlobId, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::messages::{PayloadMessage, ReplaceConversationPayloadRequest, UpdateConversationMessageRequest};
use super::own;
use super::schema::ConversationResponse;
use super::settings::{no_such, not_streaming, same_version};
use super::view::ConversationMessage;
use crate::http::{Api, Caller, Faults, IfMatch, Patch, Refusal};

/// All messages of a conversation, in the order of their ids.
fn messages(reader: &Reader, tenant: TenantId, conversation: Uuid) -> storage::Result<Vec<Row<Message>>> {
    Ok(reader.scan::<Message>(tenant, Scan::table().prefix(conversation.as_bytes()))?.items)
}

/// Where a message stands in the tree, and since when.
#[derive(Clone, Copy)]
pub struct Place {
    /// The message.
    pub id: Uuid,
    parent_id: Option<Uuid>,
    created_at: Timestamp,
}

impl From<&Row<Message>> for Place {
    fn from(row: &Row<Message>) -> Self {
        Self { id: row.id.1, parent_id: row.parent_id, created_at: row.created_at }
    }
}

/// Messages in the order of time, and no answer before its question: several may have come in the
/// same millisecond, and ids made by clients say nothing of time.
pub fn ordered(mut places: Vec<Place>) -> Vec<Place> {
    let parents = places.iter().map(|place| (place.id, place.parent_id)).collect();
    let mut depths = HashMap::with_capacity(places.len());
    for place in &places {
        depth(place.id, &parents, &mut depths);
    }
    places.sort_by_cached_key(|place| (place.created_at, depths.get(&place.id).copied(), place.id));
    places
}

/// How many messages stand above this one.
fn depth(id: Uuid, parents: &HashMap<Uuid, Option<Uuid>>, depths: &mut HashMap<Uuid, usize>) {
    let (mut way, mut at) = (Vec::new(), Some(id));
    while let Some(id) = at.filter(|id| !depths.contains_key(id) && way.len() <= parents.len()) {
        way.push(id);
        at = parents.get(&id).copied().flatten();
    }
    let above = at.and_then(|id| depths.get(&id).copied()).map_or(0, |depth| depth + 1);
    depths.extend(way.into_iter().rev().zip(above..));
}

/// Edits a message of the caller's, or notes what they think of it.
pub fn edit(
    tx: &mut Tx,
    caller: &Caller,
    conversation: Uuid,
    change: UpdateConversationMessageRequest,
) -> Api<ConversationMessage> {
    let tenant = caller.tenant;
    let mut home = own(tx, caller, conversation)?;
    let id = (conversation, change.message_id);
    let mut row = tx.get::<Message>(tenant, &id)?.ok_or_else(|| no_such("message_id", "message"))?;
    if row.status == MessageStatus::Streaming {
        let stream = row.run_id.unwrap_or_default();
        return Err(runs::stream_active(stream));
    }
    if !change.feedback.is_keep() {
        change.feedback.apply(&mut row.feedback);
        row = tx.update(tenant, row)?;
    }
    let Some(content) = change.content else { return Ok(row.into()) };
    let sibling = Message {
        parent_id: row.parent_id,
        role: row.role,
        parts: edited(&row, content),
        attachments: row.attachments.clone(),
        ..Message::default()
    };
    let sibling = tx.insert(tenant, (conversation, storage::new_id()), sibling)?;
    home.current_message_id = Some(sibling.id.1);
    home.message_count += 1;
    tx.update(tenant, home)?;
    Ok(sibling.into())
}

/// The parts of an edited message: its files stay, its text is the new one.
fn edited(old: &Message, content: String) -> Vec<Part> {
    let files = old.parts.iter().filter(|part| matches!(part, Part::File { .. })).cloned();
    files.chain([Part::Text { text: content }]).collect()
}

/// Replaces all messages of one of the caller's conversations.
pub fn replace(
    tx: &mut Tx,
    caller: &Caller,
    conversation: Uuid,
    if_match: &IfMatch,
    new: ReplaceConversationPayloadRequest,
) -> Api<ConversationResponse> {
    let tenant = caller.tenant;
    let mut home = own(tx, caller, conversation)?;
    if_match.check(home.version)?;
    same_version(&home, new.version)?;
    not_streaming(tx, caller, conversation)?;
    let old = messages(tx, tenant, conversation)?;
    let tree = Tree::plant(new.messages);
    let current = new.current_message_id.or(tree.last());
    let faults = tree.faults(current, &blobs(&old)).into_vec();
    if !faults.is_empty() {
        return Err(Refusal::faulty(faults));
    }
    let mut old: HashMap<Uuid, Row<Message>> = old.into_iter().map(|row| (row.id.1, row)).collect();
    let mut kept = Vec::with_capacity(tree.0.len());
    for (id, parent_id, message) in tree.0 {
        let row = match old.remove(&id) {
            Some(mut row) => {
                row.body = message.over(row.body.clone(), parent_id);
                tx.update(tenant, row)?
            }
            None => tx.insert(tenant, (conversation, id), message.over(Message::default(), parent_id))?,
        };
        kept.push(row.into());
    }
    for gone in old.into_values() {
        tx.delete::<Message>(tenant, &gone.id)?;
        forget_answer(tx, tenant, &gone)?;
    }
    home.current_message_id = current;
    home.message_count = kept.len() as u64;
    let home: Row<Conversation> = tx.update(tenant, home)?;
    Ok(ConversationResponse { messages: Some(kept), ..home.into() })
}

/// The run that wrote a message which is deleted names it no longer.
fn forget_answer(tx: &mut Tx, tenant: TenantId, gone: &Row<Message>) -> storage::Result<()> {
    let Some(run) = gone.run_id else { return Ok(()) };
    let Some(mut run) = tx.get::<Run>(tenant, &run)?.filter(|run| run.message_id == Some(gone.id.1)) else {
        return Ok(());
    };
    run.message_id = None;
    tx.update(tenant, run).map(drop)
}

/// The files that messages have.
fn blobs(messages: &[Row<Message>]) -> HashSet<BlobId> {
    messages.iter().flat_map(|row| files(&row.parts, &row.attachments)).cloned().collect()
}

impl PayloadMessage {
    /// This message, with what the server measured of the one it replaces.
    fn over(self, old: Message, parent_id: Option<Uuid>) -> Message {
        let text = self.content.map(|text| vec![Part::Text { text }]);
        Message {
            parent_id,
            role: self.role,
            parts: self.parts.or(text).unwrap_or_default(),
            model: self.model.or(old.model),
            tool_calls: self.tool_calls,
            attachments: self.attachments,
            feedback: self.feedback,
            run_id: old.run_id,
            usage: old.usage,
            cost_nanos: old.cost_nanos,
            status: old.status,
            error: old.error,
        }
    }
}

/// The files of a message's parts and of its attachments.
fn files<'a>(parts: &'a [Part], attachments: &'a [Attachment]) -> impl Iterator<Item = &'a BlobId> {
    let parts = parts.iter().filter_map(|part| match part {
        Part::File { blob_id, .. } => Some(blob_id),
        _ => None,
    });
    parts.chain(attachments.iter().map(|file| &file.blob_id))
}

/// Messages with their ids and their parents.
struct Tree(Vec<(Uuid, Option<Uuid>, PayloadMessage)>);

impl Tree {
    /// Gives each message its id and its parent: where none is named, the message before it.
    fn plant(messages: Vec<PayloadMessage>) -> Self {
        let mut before = None;
        let planted = messages.into_iter().map(|message| {
            let id = message.id.unwrap_or_else(storage::new_id);
            let parent = match &message.parent_id {
                Patch::Keep => before,
                Patch::Clear => None,
                Patch::Set(parent) => Some(*parent),
            };
            before = Some(id);
            (id, parent, message)
        });
        Self(planted.collect())
    }

    fn last(&self) -> Option<Uuid> {
        self.0.last().map(|(id, ..)| *id)
    }

    /// Names every fault at once: duplicates, orphans, cycles, files from elsewhere, and a current
    /// message that is none of these.
    fn faults(&self, current: Option<Uuid>, known: &HashSet<BlobId>) -> Faults {
        let mut faults = Faults::of("body");
        let mut add = |at: usize, field, why: &str, kind| {
            faults.add(["messages", &at.to_string(), field], why, kind);
        };
        let mut parents = HashMap::with_capacity(self.0.len());
        for (at, (id, parent, _)) in self.0.iter().enumerate() {
            if parents.insert(*id, *parent).is_some() {
                add(at, "id", "another message has this id", "duplicate");
            }
        }
        let mut rooted = HashSet::with_capacity(self.0.len());
        for (at, (id, parent, message)) in self.0.iter().enumerate() {
            if parent.is_some_and(|parent| !parents.contains_key(&parent)) {
                add(at, "parent_id", "there is no such message", "not_found");
            } else if !reaches_a_root(*id, &parents, &mut rooted) {
                add(at, "parent_id", "leads back to the message itself", "cycle");
            }
            let parts = message.parts.as_deref().unwrap_or_default();
            if self::files(parts, &message.attachments).any(|blob| !known.contains(blob)) {
                add(at, "attachments", "the conversation has no such file", "not_found");
            }
        }
        if current.is_some_and(|current| !parents.contains_key(&current)) {
            faults.add(["current_message_id"], "there is no such message", "not_found");
        }
        faults
    }
}

/// Whether the way up from a message ends. A way into an orphan does: that fault is the orphan's.
fn reaches_a_root(id: Uuid, parents: &HashMap<Uuid, Option<Uuid>>, rooted: &mut HashSet<Uuid>) -> bool {
    let mut way = Vec::new();
    let mut walked = HashSet::new();
    let mut at = Some(id);
    while let Some(id) = at {
        if rooted.contains(&id) {
            break;
        }
        if !walked.insert(id) {
            return false;
        }
        way.push(id);
        at = parents.get(&id).copied().flatten();
    }
    rooted.extend(way);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u128, parent: Patch<Uuid>) -> PayloadMessage {
        let json = serde_json::json!({"id": Uuid::from_u128(id), "role": "user", "content": "x"});
        let mut message: PayloadMessage = serde_json::from_value(json).expect("a message");
        message.parent_id = parent;
        message
    }

    fn faults(messages: Vec<PayloadMessage>) -> usize {
        let tree = Tree::plant(messages);
        tree.faults(tree.last(), &HashSet::new()).into_vec().len()
    }

    fn under(id: u128) -> Patch<Uuid> {
        Patch::Set(Uuid::from_u128(id))
    }

    #[test]
    fn a_plain_list_is_a_plain_conversation() {
        let tree = Tree::plant(vec![message(1, Patch::Keep), message(2, Patch::Keep)]);
        assert_eq!(tree.0[0].1, None);
        assert_eq!(tree.0[1].1, Some(Uuid::from_u128(1)));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert_eq!(faults(vec![message(1, Patch::Clear), message(2, under(1)), message(3, under(1))]), 0);
        assert_eq!(faults(vec![message(1, Patch::Clear), message(1, Patch::Clear)]), 1, "duplicate");
        assert_eq!(faults(vec![message(1, under(9)), message(2, under(1))]), 1, "orphan");
        assert_eq!(faults(vec![message(1, under(1))]), 1, "its own parent");
        assert_eq!(faults(vec![message(1, under(2)), message(2, under(1))]), 2, "cycle");
        assert_eq!(faults(vec![message(3, under(2)), message(2, under(1)), message(1, Patch::Clear)]), 0);
    }

    #[test]
    fn a_long_branch_is_walked_once() {
        let branch = (1..=20_000).rev().map(|id| match id {
            1 => message(1, Patch::Clear),
            id => message(id, under(id - 1)),
        });
        assert_eq!(faults(branch.collect()), 0);
    }
}
