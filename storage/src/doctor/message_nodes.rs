//! The positions of messages in the trees of their conversations.

use super::rows::row_of;
use super::{Doctor, place_of};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::message_tree::place_all;
use crate::migrations::message_nodes::put_node;
use crate::reader::entries;
use crate::record::{Record, Row};
use crate::records::{Conversation, Message, MessageNode};
use std::collections::HashMap;
use uuid::Uuid;

impl Doctor<'_> {
    /// Checks that each message has a node with its position, and each node a message.
    pub(super) fn message_nodes(&mut self) -> Result<()> {
        self.begin("positions of messages");
        let (mut at, mut unplaced) = (None, Some(HashMap::new()));
        for pair in self.table(Message::TABLE) {
            let (key, value) = pair?;
            let Ok(id) = <(Uuid, Uuid)>::decode(&key[HEAD..]) else { continue };
            let tenant = keys::tenant(&key)?;
            self.checked();
            if at != Some((tenant, id.0)) {
                self.nodes_of_conversation(at, unplaced.replace(HashMap::new()))?;
                at = Some((tenant, id.0));
            }
            // Without a message, the positions of those below it are unknown.
            match Row::<Message>::decode(id, &value) {
                Ok(row) => unplaced.iter_mut().for_each(|nodes| {
                    nodes.insert(id.1, MessageNode::unplaced(&row));
                }),
                Err(_) => unplaced = None,
            }
        }
        self.nodes_of_conversation(at, unplaced)?;
        for pair in self.table(MessageNode::TABLE) {
            let (key, value) = pair?;
            let Ok((tenant, row)) = row_of::<MessageNode>(&key, &value) else { continue };
            self.checked();
            let message = keys::record_key(Message::TABLE, tenant, &row.id);
            if self.reader.raw_get(&message)?.is_none() {
                let place = place_of(MessageNode::NAME, &key);
                self.repair_entry(place, "its message does not exist", "node deleted", |batch| {
                    MessageNode::INDEXES
                        .iter()
                        .flat_map(|index| entries(index, tenant, &row))
                        .for_each(|entry| batch.delete(entry));
                    batch.delete(key);
                })?;
            }
        }
        self.commit()
    }

    fn nodes_of_conversation(
        &mut self,
        conversation: Option<(TenantId, Uuid)>,
        unplaced: Option<HashMap<Uuid, MessageNode>>,
    ) -> Result<()> {
        let (Some((tenant, conversation)), Some(unplaced)) = (conversation, unplaced) else { return Ok(()) };
        // The message itself is the problem if it has no conversation.
        let home = keys::record_key(Conversation::TABLE, tenant, &conversation);
        if self.reader.raw_get(&home)?.is_none() {
            return Ok(());
        }
        for (id, node) in place_all(unplaced) {
            let id = (conversation, id);
            let stored = self.reader.get::<MessageNode>(tenant, &id).ok().flatten();
            if stored.as_ref().is_some_and(|row| row.body == node) {
                continue;
            }
            let place = place_of(MessageNode::NAME, &keys::record_key(MessageNode::TABLE, tenant, &id));
            let created_at = node.message_created_at;
            let version = stored.as_ref().map_or(1, |row| row.version + 1);
            let row = Row { id, version, created_at, updated_at: created_at, body: node };
            let what = "it is missing, or is not at the place of its message";
            let mut written = Ok(());
            self.repair_entry(place, what, "node written", |batch| {
                let old = stored.iter().flat_map(|old| {
                    MessageNode::INDEXES.iter().flat_map(|index| entries(index, tenant, old))
                });
                old.for_each(|entry| batch.delete(entry));
                written = put_node(batch, tenant, &row);
            })?;
            written?;
        }
        Ok(())
    }
}
