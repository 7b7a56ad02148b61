//! The order in which the messages of a conversation are shown.

use std::collections::HashMap;

use storage::records::Message;
use storage::{Row, Timestamp};
use uuid::Uuid;

/// The position of a message in the tree, and its age.
#[derive(Clone, Copy, Debug)]
pub struct MessagePlace {
    pub id: Uuid,
    parent_id: Option<Uuid>,
    created_at: Timestamp,
}

impl From<&Row<Message>> for MessagePlace {
    fn from(row: &Row<Message>) -> Self {
        Self { id: row.id.1, parent_id: row.parent_id, created_at: row.created_at }
    }
}

/// Messages in the order of time, and no answer before its question: several may have been added in the same millisecond,
/// and ids that clients make have no order.
pub fn ordered(mut places: Vec<MessagePlace>) -> Vec<MessagePlace> {
    let parents = places.iter().map(|place| (place.id, place.parent_id)).collect();
    let mut depths = HashMap::with_capacity(places.len());
    for place in &places {
        note_depth(place.id, &parents, &mut depths);
    }
    places.sort_by_cached_key(|place| (place.created_at, depths.get(&place.id).copied(), place.id));
    places
}

/// Records how many messages are above this one, and above those on the way up.
fn note_depth(id: Uuid, parents: &HashMap<Uuid, Option<Uuid>>, depths: &mut HashMap<Uuid, usize>) {
    let (mut way, mut at) = (Vec::new(), Some(id));
    while let Some(id) = at.filter(|id| !depths.contains_key(id) && way.len() <= parents.len()) {
        way.push(id);
        at = parents.get(&id).copied().flatten();
    }
    let above = at.and_then(|id| depths.get(&id).copied()).map_or(0, |depth| depth + 1);
    depths.extend(way.into_iter().rev().zip(above..));
}
