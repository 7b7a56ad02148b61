//! Writes of messages together with their positions in the tree of their conversation.

use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::Row;
use crate::records::{Message, MessageNode};
use crate::tx::Tx;
use std::collections::HashMap;
use uuid::Uuid;

impl Tx {
    /// Stores a new message below its parent, which must be stored already.
    ///
    /// # Errors
    /// See [`insert`](Self::insert).
    pub fn insert_message(
        &mut self,
        tenant: TenantId,
        id: (Uuid, Uuid),
        body: Message,
    ) -> Result<Row<Message>> {
        let row = self.insert(tenant, id, body)?;
        let node = placed(self, tenant, &row)?;
        self.insert(tenant, id, node)?;
        self.note_unindexed(tenant, &id);
        Ok(row)
    }

    /// Stores a message whose content has changed. Its parent and its author must be the same; so must the text, if the
    /// author is the user.
    ///
    /// # Errors
    /// See [`update`](Self::update).
    pub fn update_message(&mut self, tenant: TenantId, row: Row<Message>) -> Result<Row<Message>> {
        self.note_unindexed(tenant, &row.id);
        self.update(tenant, row)
    }

    /// Completes a replacement of all messages of a conversation: stores their positions, after their parents, authors or texts have changed. The
    /// nodes of messages that were deleted must be deleted already.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub fn place_messages(&mut self, tenant: TenantId, all: &[Row<Message>]) -> Result<()> {
        let Some(conversation) = all.first().map(|row| row.id.0) else { return Ok(()) };
        let unplaced = all.iter().map(|row| (row.id.1, MessageNode::unplaced(row)));
        for (id, node) in place_all(unplaced.collect()) {
            let id = (conversation, id);
            self.note_unindexed(tenant, &id);
            match self.get::<MessageNode>(tenant, &id)? {
                Some(old) if old.body == node => {}
                Some(old) => drop(self.update(tenant, Row { body: node, ..old })?),
                None => drop(self.insert(tenant, id, node)?),
            }
        }
        Ok(())
    }

    /// Deletes a message. Returns whether it existed.
    ///
    /// # Errors
    /// See [`delete`](Self::delete).
    pub fn delete_message(&mut self, tenant: TenantId, id: &(Uuid, Uuid)) -> Result<bool> {
        self.delete::<MessageNode>(tenant, id)?;
        self.note_unindexed(tenant, id);
        self.delete::<Message>(tenant, id)
    }
}

fn placed(reader: &Reader, tenant: TenantId, row: &Row<Message>) -> Result<MessageNode> {
    let mut node = MessageNode::unplaced(row);
    let ancestor = |id| Ok(reader.get::<MessageNode>(tenant, &(row.id.0, id))?.map(|row| row.body));
    if let Some(parent) = node.parent_id {
        node.place::<crate::Error>(parent, ancestor)?;
    }
    Ok(node)
}

/// Computes the nodes of all messages of a conversation, given as nodes without positions.
pub(crate) fn place_all(unplaced: HashMap<Uuid, MessageNode>) -> HashMap<Uuid, MessageNode> {
    let mut placed = HashMap::with_capacity(unplaced.len());
    for id in unplaced.keys() {
        // Upwards to an ancestor that has been placed; damaged data may contain a cycle.
        let (mut path, mut at) = (Vec::new(), Some(*id));
        while let Some(id) = at.filter(|id| !placed.contains_key(id) && path.len() < unplaced.len()) {
            let Some(node) = unplaced.get(&id) else { break };
            path.push((id, node));
            at = node.parent_id;
        }
        for (id, node) in path.into_iter().rev() {
            let mut node = node.clone();
            if let Some(parent) = node.parent_id {
                let ancestor = |id| Ok::<_, std::convert::Infallible>(placed.get(&id).cloned());
                let Ok(()) = node.place(parent, ancestor);
            }
            placed.insert(id, node);
        }
    }
    placed
}
