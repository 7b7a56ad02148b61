//! Computes the positions of the messages that were written before positions were stored.

use super::Migration;
use crate::engine::{Batch, Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::message_tree::place_all;
use crate::reader::{Reader, entries};
use crate::record::{Record, Row};
use crate::records::{Message, MessageNode};
use std::collections::HashMap;
use uuid::Uuid;

pub(super) const PLACE: Migration =
    Migration { name: "store the positions of messages in their conversations", work: place };

/// Rows that are read at a time.
const CHUNK: usize = 64;

fn place(reader: &Reader, batch: &mut Batch) -> Result<()> {
    let mut at = None;
    let mut nodes = HashMap::new();
    for pair in reader.walk(KeyRange::prefix(&Message::TABLE), Direction::Forward, CHUNK) {
        let (key, value) = pair?;
        let (tenant, id) = (keys::tenant(&key)?, <(Uuid, Uuid)>::decode(&key[HEAD..])?);
        if at != Some((tenant, id.0)) {
            put(batch, at, std::mem::take(&mut nodes))?;
            at = Some((tenant, id.0));
        }
        // A row that cannot be read has no position. The doctor reports it.
        if let Ok(row) = Row::<Message>::decode(id, &value) {
            nodes.insert(id.1, MessageNode::unplaced(&row));
        }
    }
    put(batch, at, nodes)
}

fn put(
    batch: &mut Batch,
    conversation: Option<(TenantId, Uuid)>,
    nodes: HashMap<Uuid, MessageNode>,
) -> Result<()> {
    let Some((tenant, conversation)) = conversation else { return Ok(()) };
    for (id, node) in place_all(nodes) {
        let at = node.message_created_at;
        let row = Row { id: (conversation, id), version: 1, created_at: at, updated_at: at, body: node };
        put_node(batch, tenant, &row)?;
    }
    Ok(())
}

/// Writes a node with its index entries.
pub(crate) fn put_node(batch: &mut Batch, tenant: TenantId, row: &Row<MessageNode>) -> Result<()> {
    batch.put(keys::record_key(MessageNode::TABLE, tenant, &row.id), row.encode()?);
    let mut id = Vec::with_capacity(32);
    row.id.encode(&mut id);
    for index in MessageNode::INDEXES {
        entries(index, tenant, row).for_each(|entry| batch.put(entry, id.clone()));
    }
    Ok(())
}
