//! Writes of messages together with their positions in the tree of their conversation.

use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::Row;
use crate::records::{Message, MessageNode};
use crate::tx::Tx;
use std::collections::HashMap;
use uuid::Uuid;

/// A message of a conversation whose messages are all replaced.
pub enum MessageWrite {
    /// A message that the conversation did not have, with its id.
    New(Uuid, Message),
    /// A message that the conversation has. All its fields can have changed.
    Changed(Row<Message>),
}

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
        let row = self.insert_row(tenant, id, body)?;
        let node = placed(self, tenant, &row)?;
        self.insert_row(tenant, id, node)?;
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
        self.update_row(tenant, row)
    }

    /// Replaces all messages of a conversation, with their positions, and returns the stored ones. `removed` are those
    /// that remain of the earlier ones; they are deleted.
    ///
    /// # Errors
    /// See [`insert`](Self::insert) and [`update`](Self::update).
    pub fn replace_messages(
        &mut self,
        tenant: TenantId,
        conversation: Uuid,
        messages: Vec<MessageWrite>,
        removed: &[Row<Message>],
    ) -> Result<Vec<Row<Message>>> {
        let write = |message| match message {
            MessageWrite::New(id, body) => self.insert_row(tenant, (conversation, id), body),
            MessageWrite::Changed(row) => self.update_row(tenant, row),
        };
        let stored = messages.into_iter().map(write).collect::<Result<Vec<_>>>()?;
        for message in removed {
            self.delete_message(tenant, &message.id)?;
        }
        self.place_messages(tenant, conversation, &stored)?;
        Ok(stored)
    }

    /// Stores the positions of all messages of a conversation.
    fn place_messages(&mut self, tenant: TenantId, conversation: Uuid, all: &[Row<Message>]) -> Result<()> {
        let unplaced = all.iter().map(|row| (row.id.1, MessageNode::unplaced(row)));
        for (id, node) in place_all(unplaced.collect()) {
            let id = (conversation, id);
            self.note_unindexed(tenant, &id);
            match self.get::<MessageNode>(tenant, &id)? {
                Some(old) if old.body == node => {}
                Some(old) => drop(self.update_row(tenant, Row { body: node, ..old })?),
                None => drop(self.insert_row(tenant, id, node)?),
            }
        }
        Ok(())
    }

    /// Deletes a message. Returns whether it existed.
    ///
    /// # Errors
    /// See [`delete`](Self::delete).
    pub fn delete_message(&mut self, tenant: TenantId, id: &(Uuid, Uuid)) -> Result<bool> {
        self.delete_row::<MessageNode>(tenant, id)?;
        self.note_unindexed(tenant, id);
        self.delete_row::<Message>(tenant, id)
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
