//! Branches: the path from a first message of a conversation to one of its other messages, read from its end.

use storage::records::{Conversation, Message, MessageNode, MessageRole};
use storage::{Cursor, IndexKey, Page, Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::unknown_message;
use crate::paging::PAGE_BYTES;
use crate::{Refusal, Result};

/// Bytes that an item of an outline takes in addition to its preview.
const OUTLINE_ITEM: usize = 150;

/// Which branch of a conversation to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchEnd {
    /// The branch that the conversation shows.
    #[default]
    Current,
    /// The branch that ends with this message.
    At(Uuid),
    /// The branch that contains this message, and after it the newest message of each fork.
    Through(Uuid),
}

/// Which part of a branch to read.
#[derive(Clone, Debug, Default)]
pub struct BranchPart {
    pub end: BranchEnd,
    /// Only messages before this position.
    pub before: Option<u32>,
    /// Maximum number of messages.
    pub limit: usize,
    /// The cursor that the previous page returned, which also determines the branch.
    pub after: Option<Cursor>,
}

/// Messages of a branch from its end upwards, with the size of the whole branch.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPage<T> {
    /// The last message of the branch; `None` if the conversation has no messages.
    pub leaf_id: Option<Uuid>,
    /// Number of messages of the branch.
    pub messages: u32,
    /// Number of messages of the user on the branch.
    pub user_messages: u32,
    /// The requested messages, the last one first.
    pub page: Page<T>,
}

/// A message with its place on a branch and in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchMessage {
    pub message: Row<Message>,
    /// Number of the message on its branch, from 1.
    pub position: u32,
    /// The messages with the same parent, including this one, the oldest first.
    pub siblings: Vec<Uuid>,
}

/// Reads messages of a branch from its end upwards. The cost is proportional to the size of the page.
///
/// # Errors
/// `invalid` for a message that does not exist.
pub fn branch(
    reader: &Reader,
    tenant: TenantId,
    conversation: &Row<Conversation>,
    part: &BranchPart,
) -> Result<BranchPage<BranchMessage>> {
    let tree = Tree { reader, tenant, conversation: conversation.id };
    let mut bytes = 0;
    tree.page(conversation, part, |items: &[BranchMessage], node| {
        if items.len() == part.limit || bytes >= PAGE_BYTES {
            return Ok(Visit::Full);
        }
        let message = reader.get::<Message>(tenant, &node.id)?.ok_or_else(changed)?;
        bytes += storage::json_bytes(&message.body);
        let siblings = tree.children(node.parent_id)?;
        Ok(Visit::Take(BranchMessage { message, position: node.depth + 1, siblings }))
    })
}

/// Reads the nodes of the user's messages of a branch from its end upwards, without reading any message.
///
/// # Errors
/// `invalid` for a message that does not exist.
pub fn outline(
    reader: &Reader,
    tenant: TenantId,
    conversation: &Row<Conversation>,
    part: &BranchPart,
) -> Result<BranchPage<Row<MessageNode>>> {
    let tree = Tree { reader, tenant, conversation: conversation.id };
    let mut bytes = 0;
    tree.page(conversation, part, |items: &[Row<MessageNode>], node| {
        if node.role != MessageRole::User {
            return Ok(Visit::Skip);
        }
        if items.len() == part.limit || bytes >= PAGE_BYTES {
            return Ok(Visit::Full);
        }
        bytes += node.preview.len() + OUTLINE_ITEM;
        Ok(Visit::Take(node.clone()))
    })
}

/// What a page does with a message of its branch.
enum Visit<T> {
    Take(T),
    Skip,
    /// The page ends before this message.
    Full,
}

/// The message was deleted while its branch was read: the payload was replaced.
fn changed() -> Refusal {
    Refusal::not_found("message")
}

struct Tree<'a> {
    reader: &'a Reader,
    tenant: TenantId,
    conversation: Uuid,
}

impl Tree<'_> {
    fn page<T>(
        &self,
        conversation: &Conversation,
        part: &BranchPart,
        mut visit: impl FnMut(&[T], &Row<MessageNode>) -> Result<Visit<T>>,
    ) -> Result<BranchPage<T>> {
        let mut found = BranchPage {
            leaf_id: None,
            messages: 0,
            user_messages: 0,
            page: Page { items: Vec::new(), next: None },
        };
        let (leaf, below) = match &part.after {
            Some(cursor) => {
                let (leaf, last) = self.of_cursor(cursor)?;
                (Some(leaf), Some(last))
            }
            None => (self.leaf(conversation, part.end)?, None),
        };
        let Some(leaf) = leaf else { return Ok(found) };
        found.leaf_id = Some(leaf.id.1);
        (found.messages, found.user_messages) = (leaf.depth + 1, leaf.user_messages);
        let mut at = match &below {
            Some(last) => self.parent(last)?,
            None => Some(leaf.clone()),
        };
        if let (Some(before), Some(node)) = (part.before, &at)
            && node.depth + 1 >= before
        {
            at = match before.checked_sub(2) {
                Some(depth) => Some(self.ancestor(node.clone(), depth)?),
                None => None,
            };
        }
        let mut last = below;
        while let Some(node) = at {
            match visit(&found.page.items, &node)? {
                Visit::Take(item) => found.page.items.push(item),
                Visit::Skip => {}
                Visit::Full => {
                    found.page.next = last.map(|last| Cursor::after_pair::<MessageNode>(&leaf.id, &last.id));
                    break;
                }
            }
            at = self.parent(&node)?;
            last = Some(node);
        }
        Ok(found)
    }

    fn node(&self, id: Uuid) -> storage::Result<Option<Row<MessageNode>>> {
        self.reader.get(self.tenant, &(self.conversation, id))
    }

    fn parent(&self, node: &MessageNode) -> Result<Option<Row<MessageNode>>> {
        let Some(id) = node.parent_id else { return Ok(None) };
        Ok(self.node(id)?)
    }

    /// Returns the ancestor with this depth, or the node itself.
    fn ancestor(&self, mut node: Row<MessageNode>, depth: u32) -> Result<Row<MessageNode>> {
        while node.depth > depth {
            let jump = match node.jump_id {
                Some(id) => self.node(id)?.filter(|jump| jump.depth >= depth),
                None => None,
            };
            node = match jump {
                Some(jump) => jump,
                None => self.parent(&node)?.ok_or_else(changed)?,
            };
        }
        Ok(node)
    }

    /// Returns the ids of the messages below a message, or of the first messages, the oldest first.
    fn children(&self, parent: Option<Uuid>) -> storage::Result<Vec<Uuid>> {
        let rows = self.reader.scan::<MessageNode>(self.tenant, self.below(parent))?.items;
        Ok(rows.into_iter().map(|row| row.id.1).collect())
    }

    fn below(&self, parent: Option<Uuid>) -> Scan {
        let prefix = IndexKey::new().id(&self.conversation).id(&parent.unwrap_or_default());
        Scan::index("by_parent").prefix(prefix)
    }

    fn leaf(&self, conversation: &Conversation, end: BranchEnd) -> Result<Option<Row<MessageNode>>> {
        let required = |id, field| self.node(id)?.ok_or_else(|| unknown_message(field));
        match end {
            BranchEnd::Current => match conversation.current_message_id {
                Some(id) => Ok(self.node(id)?),
                None => Ok(None),
            },
            BranchEnd::At(id) => required(id, "leaf_id").map(Some),
            BranchEnd::Through(id) => {
                let mut node: Row<MessageNode> = required(id, "through_id")?;
                loop {
                    let newest = self.below(Some(node.id.1)).reverse().limit(1);
                    match self.reader.scan::<MessageNode>(self.tenant, newest)?.items.pop() {
                        Some(child) => node = child,
                        None => return Ok(Some(node)),
                    }
                }
            }
        }
    }

    /// Returns the leaf of the branch, and the last message of the previous page.
    fn of_cursor(&self, cursor: &Cursor) -> Result<(Row<MessageNode>, Row<MessageNode>)> {
        let (leaf, last) = cursor.pair::<MessageNode>()?;
        let stale =
            || Refusal::invalid("query", ["cursor"], "the branch of this cursor has changed", "not_found");
        if leaf.0 != self.conversation || last.0 != self.conversation {
            return Err(Refusal::invalid("query", ["cursor"], "is not a cursor of this list", "malformed"));
        }
        let (leaf, last) = (self.node(leaf.1)?, self.node(last.1)?);
        Ok((leaf.ok_or_else(stale)?, last.ok_or_else(stale)?))
    }
}
