//! The messages of a conversation as a tree, before they are stored.

use std::collections::{HashMap, HashSet};

use storage::BlobId;
use storage::records::{Attachment, Feedback, Message, MessageRole, Part, ToolCall};
use uuid::Uuid;

use crate::{Faults, Patch};

/// A message sent by a client.
#[derive(Clone, Debug)]
pub struct MessageInput {
    /// Id of the message; generated if omitted.
    pub id: Option<Uuid>,
    /// The parent message. If cleared, the message is a root. If omitted, the parent is the previous
    /// message in the list.
    pub parent_id: Patch<Uuid>,
    /// The author of the message.
    pub role: MessageRole,
    /// Content of the message.
    pub parts: Vec<Part>,
    /// The model that wrote the message.
    pub model: Option<String>,
    /// Tools that the model called while it wrote the message.
    pub tool_calls: Vec<ToolCall>,
    /// Attached files; only files that the conversation already contains.
    pub attachments: Vec<Attachment>,
    /// The user's feedback on the message.
    pub feedback: Option<Feedback>,
}

impl MessageInput {
    /// Returns this message with the measurements of the message that it replaces.
    pub(super) fn over(self, old: Message, parent_id: Option<Uuid>) -> Message {
        Message {
            parent_id,
            role: self.role,
            parts: self.parts,
            model: self.model.or(old.model),
            tool_calls: self.tool_calls,
            attachments: self.attachments,
            feedback: self.feedback,
            run_id: old.run_id,
            usage: old.usage,
            cost_nanos: old.cost_nanos,
            status: old.status,
            error: old.error,
            memory_ids: old.memory_ids,
        }
    }
}

/// Returns the files in the parts and the attachments of a message.
pub(super) fn files<'a>(
    parts: &'a [Part],
    attachments: &'a [Attachment],
) -> impl Iterator<Item = &'a BlobId> {
    let parts = parts.iter().filter_map(|part| match part {
        Part::File { blob_id, .. } => Some(blob_id),
        _ => None,
    });
    parts.chain(attachments.iter().map(|file| &file.blob_id))
}

/// Messages with their ids and parents.
pub(super) struct Tree(pub Vec<(Uuid, Option<Uuid>, MessageInput)>);

impl Tree {
    /// Assigns an id and a parent to each message. The default parent is the previous message.
    pub fn plant(messages: Vec<MessageInput>) -> Self {
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

    pub fn last(&self) -> Option<Uuid> {
        self.0.last().map(|(id, ..)| *id)
    }

    /// Returns every fault: duplicates, orphans, cycles, files from other conversations, and a current
    /// message that is not in the tree.
    pub fn faults(&self, current: Option<Uuid>, known: &HashSet<BlobId>) -> Faults {
        let mut faults = Faults::new("body");
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
            if self::files(&message.parts, &message.attachments).any(|blob| !known.contains(blob)) {
                add(at, "attachments", "the conversation has no such file", "not_found");
            }
        }
        if current.is_some_and(|current| !parents.contains_key(&current)) {
            faults.add(["current_message_id"], "there is no such message", "not_found");
        }
        faults
    }
}

/// Returns whether the path from a message to its root ends. It also ends at an orphan, which has its
/// own fault.
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

    fn message(id: u128, parent: Patch<Uuid>) -> MessageInput {
        MessageInput {
            id: Some(Uuid::from_u128(id)),
            parent_id: parent,
            role: MessageRole::User,
            parts: vec![Part::Text { text: "x".to_owned() }],
            model: None,
            tool_calls: Vec::new(),
            attachments: Vec::new(),
            feedback: None,
        }
    }

    fn faults(messages: Vec<MessageInput>) -> usize {
        let tree = Tree::plant(messages);
        tree.faults(tree.last(), &HashSet::new()).into_vec().len()
    }

    fn under(id: u128) -> Patch<Uuid> {
        Patch::Set(Uuid::from_u128(id))
    }

    #[test]
    fn plant_links_each_message_to_the_previous_one() {
        let tree = Tree::plant(vec![message(1, Patch::Keep), message(2, Patch::Keep)]);
        assert_eq!(tree.0[0].1, None);
        assert_eq!(tree.0[1].1, Some(Uuid::from_u128(1)));
    }

    #[test]
    fn faults_reports_duplicates_orphans_and_cycles() {
        assert_eq!(faults(vec![message(1, Patch::Clear), message(2, under(1)), message(3, under(1))]), 0);
        assert_eq!(faults(vec![message(1, Patch::Clear), message(1, Patch::Clear)]), 1, "duplicate");
        assert_eq!(faults(vec![message(1, under(9)), message(2, under(1))]), 1, "orphan");
        assert_eq!(faults(vec![message(1, under(1))]), 1, "its own parent");
        assert_eq!(faults(vec![message(1, under(2)), message(2, under(1))]), 2, "cycle");
        assert_eq!(faults(vec![message(3, under(2)), message(2, under(1)), message(1, Patch::Clear)]), 0);
    }

    #[test]
    fn faults_walks_a_long_branch_once() {
        let branch = (1..=20_000).rev().map(|id| match id {
            1 => message(1, Patch::Clear),
            id => message(id, under(id - 1)),
        });
        assert_eq!(faults(branch.collect()), 0);
    }
}
