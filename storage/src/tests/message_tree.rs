//! The positions of messages, and the notes for the index of searches.

use super::doctor::{harm, look, sound};
use super::{HERE, THERE, store};
use crate::engine::{Batch, Direction, KeyRange};
use crate::keys::record_key;
use crate::migrations::MIGRATIONS;
use crate::records::{Conversation, Message, MessageNode, MessageRole, Part};
use crate::{Record, Row, Scan, Store, StoreOptions, new_id};
use std::collections::HashMap;
use uuid::Uuid;

fn message(parent_id: Option<Uuid>, role: MessageRole, text: &str) -> Message {
    Message { parent_id, role, parts: vec![Part::Text { text: text.into() }], ..Message::default() }
}

/// Adds a conversation whose messages have these parents, by their numbers.
fn tree(store: &Store, parents: &[Option<usize>]) -> (Uuid, Vec<Uuid>) {
    let (home, ids) = (new_id(), parents.iter().map(|_| new_id()).collect::<Vec<_>>());
    store
        .run_blocking(|tx| {
            tx.insert(HERE, home, Conversation::default())?;
            for (at, parent) in parents.iter().enumerate() {
                let role = if at % 3 == 0 { MessageRole::User } else { MessageRole::Assistant };
                let body = message(parent.map(|at| ids[at]), role, &format!("m{at}"));
                tx.insert_message(HERE, (home, ids[at]), body)?;
            }
            Ok::<_, crate::Error>(())
        })
        .unwrap();
    (home, ids)
}

fn nodes(store: &Store, home: Uuid) -> HashMap<Uuid, Row<MessageNode>> {
    let scan = Scan::table().prefix(home.as_bytes());
    let rows = store.read_now(|reader| reader.scan::<MessageNode>(HERE, scan)).unwrap().items;
    rows.into_iter().map(|row| (row.id.1, row)).collect()
}

#[test]
fn jumps_reach_any_ancestor_in_few_steps() {
    let (_dir, store) = store();
    let parents: Vec<Option<usize>> = (0..1_000).map(|at: usize| at.checked_sub(1)).collect();
    let (home, ids) = tree(&store, &parents);
    let nodes = nodes(&store, home);
    for (at, id) in ids.iter().enumerate() {
        assert_eq!((nodes[id].depth, nodes[id].user_messages), (at as u32, at as u32 / 3 + 1));
    }
    for depth in 0..1_000 {
        let (mut at, mut steps) = (ids[999], 0);
        while nodes[&at].depth > depth {
            let jump = nodes[&at].jump_id.filter(|jump| nodes[jump].depth >= depth);
            at = jump.or(nodes[&at].parent_id).unwrap();
            steps += 1;
        }
        assert_eq!(at, ids[depth as usize]);
        assert!(steps <= 3 * 10, "{steps} steps to {depth}");
    }
}

#[test]
fn migration_places_the_messages_of_older_data() {
    let dir = tempfile::tempdir().unwrap();
    let parents = [None, Some(0), Some(1), Some(1), None, Some(3), Some(5)];
    let before = MIGRATIONS.iter().position(|step| step.name.contains("positions of messages")).unwrap();
    let (home, expected) = {
        let store = Store::open_with(StoreOptions::new(dir.path()), None, &MIGRATIONS[..before]).unwrap();
        let (home, _) = tree(&store, &parents);
        let expected = nodes(&store, home);
        for table in [b"mt", b"m3"] {
            let entries = store.inner.engine.scan(KeyRange::prefix(table), Direction::Forward, 100).unwrap();
            assert_eq!(entries.len(), parents.len());
            harm(&store, |batch| entries.into_iter().for_each(|(key, _)| batch.delete(key)));
        }
        (home, expected)
    };
    let store = Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    let found = nodes(&store, home);
    assert_eq!(found.len(), parents.len());
    for (id, node) in &expected {
        assert_eq!(found[id].body, node.body);
    }
    let problems = look(&store, false).problems;
    assert!(problems.iter().all(|problem| !problem.where_.contains("message_node")), "{problems:?}");
}

#[test]
fn doctor_repairs_positions() {
    let (_dir, store, _) = sound();
    let (home, ids) = tree(&store, &[None, Some(0), Some(1)]);
    assert_eq!(look(&store, false).problems, []);
    let expected = nodes(&store, home);
    let key = record_key(MessageNode::TABLE, HERE, &(home, ids[1]));
    let harms: [&dyn Fn(&mut Batch); 3] = [
        &|batch| batch.delete(key.clone()),
        &|batch| {
            let mut row = expected[&ids[1]].clone();
            row.body.depth = 7;
            row.body.parent_id = Some(ids[2]);
            batch.put(key.clone(), row.encode().unwrap());
        },
        &|batch| {
            let row = Row { id: (home, new_id()), ..expected[&ids[1]].clone() };
            crate::migrations::message_nodes::put_node(batch, HERE, &row).unwrap();
        },
    ];
    for damage in harms {
        harm(&store, damage);
        let problems = look(&store, true).problems;
        assert!(
            !problems.is_empty() && problems.iter().all(|problem| problem.repaired.is_some()),
            "{problems:?}"
        );
        // What a repair writes is checked, too.
        look(&store, true);
        assert_eq!(look(&store, false).problems, []);
        let found = nodes(&store, home);
        assert_eq!(found.len(), 3);
        assert!(expected.iter().all(|(id, node)| found[id].body == node.body));
    }
}

#[test]
fn unindexed_messages_are_noted_until_their_last_change_is_indexed() {
    let (_dir, store) = store();
    let (home, ids) = tree(&store, &[None, Some(0)]);
    let unindexed = |tenant| store.read_now(|reader| reader.unindexed(tenant, 10)).unwrap();
    let pending = unindexed(HERE);
    assert_eq!(pending.len(), 2);
    assert_eq!(unindexed(THERE), []);
    // The message changes after it was read for the index.
    store
        .run_blocking(|tx| {
            let row = tx.require::<Message>(HERE, &(home, ids[0]))?;
            tx.update_message(HERE, row).map(drop)
        })
        .unwrap();
    store.run_blocking(|tx| tx.note_indexed(HERE, &pending)).unwrap();
    let left = unindexed(HERE);
    assert_eq!(left.iter().map(|message| message.id).collect::<Vec<_>>(), [(home, ids[0])]);
    store.run_blocking(|tx| tx.note_indexed(HERE, &left)).unwrap();
    assert_eq!(unindexed(HERE), []);
    store.run_blocking(|tx| tx.delete_conversation(HERE, home)).unwrap();
    assert_eq!(unindexed(HERE).len(), 2, "deletions are noted");
    assert!(nodes(&store, home).is_empty());
}
