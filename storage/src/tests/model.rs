//! Compares `Tx` with a simple model: a map of rows, and lists created by sorting.

use super::{HERE, Memory, Thing, engine_at, name_key, store_on};
use crate::engine::Engine;
use crate::{Error, Page, Row, Scan, Store, Tx};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

type Model = BTreeMap<Uuid, (u64, Thing)>;

#[derive(Clone, Debug)]
enum Step {
    Insert(u8, Thing),
    Update(u8, Thing),
    UpdateStale(u8),
    Delete(u8),
    Get(u8),
    ByName(u8),
    Pages { list: u8, prefix: Option<u8>, from: Option<u8>, reverse: bool, limit: usize },
}

fn id(at: u8) -> Uuid {
    Uuid::from_u128(u128::from(at) * 7 + 1)
}

fn body() -> impl Strategy<Value = Thing> {
    let tags = proptest::collection::btree_set("[ab\0]{0,2}", 0..3);
    (0u8..8, 0u8..4, tags, any::<i64>()).prop_map(|(name, group, tags, amount)| Thing {
        name: format!("n{name}"),
        group,
        tags: tags.into_iter().collect(),
        amount,
    })
}

fn steps() -> impl Strategy<Value = Vec<(Vec<Step>, bool)>> {
    let pages =
        (0u8..4, proptest::option::of(0u8..4), proptest::option::of(0u8..4), any::<bool>(), 1usize..6);
    let step = prop_oneof![
        4 => (0u8..10, body()).prop_map(|(at, body)| Step::Insert(at, body)),
        3 => (0u8..10, body()).prop_map(|(at, body)| Step::Update(at, body)),
        1 => (0u8..10).prop_map(Step::UpdateStale),
        2 => (0u8..10).prop_map(Step::Delete),
        1 => (0u8..10).prop_map(Step::Get),
        1 => (0u8..8).prop_map(Step::ByName),
        3 => pages.prop_map(|(list, prefix, from, reverse, limit)| Step::Pages { list, prefix, from, reverse, limit }),
    ];
    proptest::collection::vec((proptest::collection::vec(step, 1..10), proptest::bool::weighted(0.8)), 1..12)
}

fn same(row: Option<Row<Thing>>, model: Option<&(u64, Thing)>) {
    assert_eq!(row.map(|row| (row.version, row.body)), model.cloned());
}

/// The expected result of a scan: each row as often as the list contains it, in order.
fn expected(model: &Model, list: u8, prefix: Option<u8>, from: Option<u8>, reverse: bool) -> Vec<Uuid> {
    let mut entries: Vec<(Vec<u8>, Uuid)> = Vec::new();
    for (id, (_, body)) in model {
        let with_id = |value: Vec<u8>| [value, id.as_bytes().to_vec()].concat();
        match list {
            0 => entries.push((id.as_bytes().to_vec(), *id)),
            1 => entries.push((name_key(&body.name), *id)),
            2 => entries.push((with_id(vec![body.group]), *id)),
            _ => entries.extend(body.tags.iter().map(|tag| (with_id(name_key(tag)), *id))),
        }
    }
    let (prefix, from) = bounds(list, prefix, from);
    entries.retain(|(key, _)| key.starts_with(&prefix));
    if let Some(from) = from {
        let bound = [prefix, from].concat();
        entries.retain(
            |(key, _)| if reverse { *key <= bound || key.starts_with(&bound) } else { *key >= bound },
        );
    }
    entries.sort();
    if reverse {
        entries.reverse();
    }
    entries.into_iter().map(|(_, id)| id).collect()
}

fn bounds(list: u8, prefix: Option<u8>, from: Option<u8>) -> (Vec<u8>, Option<Vec<u8>>) {
    match list {
        0 => (
            prefix.map_or(vec![], |_| vec![0; 15]),
            from.map(|at| if prefix.is_some() { vec![at * 14] } else { id(at * 2).as_bytes().to_vec() }),
        ),
        1 => (
            prefix.map_or(vec![], |_| b"n".to_vec()),
            from.map(|at| if prefix.is_some() { vec![b'0' + at] } else { vec![b'n', b'0' + at] }),
        ),
        2 => (prefix.map_or(vec![], |at| vec![at]), from.filter(|_| prefix.is_none()).map(|at| vec![at])),
        _ => (
            prefix.map_or(vec![], |at| vec![b'a' + at % 2]),
            from.filter(|_| prefix.is_none()).map(|at| vec![b'a' + at % 2]),
        ),
    }
}

fn check_pages(tx: &Tx, model: &Model, step: &Step) -> Result<(), Error> {
    let Step::Pages { list, prefix, from, reverse, limit } = step.clone() else { return Ok(()) };
    let names = [None, Some("name"), Some("by_group"), Some("by_tag")];
    let (start, bound) = bounds(list, prefix, from);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let mut scan =
            names[list as usize].map_or_else(Scan::table, Scan::index).prefix(start.clone()).limit(limit);
        if let Some(bound) = &bound {
            scan = scan.from(bound.clone());
        }
        if reverse {
            scan = scan.reverse();
        }
        let Page { items, next } = tx.scan::<Thing>(HERE, scan.after(after))?;
        assert!(items.len() == limit || next.is_none());
        assert!(!items.is_empty() || found.is_empty(), "an empty page after a cursor");
        for row in items {
            same(Some(row.clone()), model.get(&row.id));
            found.push(row.id);
        }
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, expected(model, list, prefix, from, reverse), "{step:?}");
    Ok(())
}

fn apply(tx: &mut Tx, model: &mut Model, step: &Step) -> Result<(), Error> {
    let name_owner =
        |model: &Model, name: &str| model.iter().find(|(_, (_, body))| body.name == name).map(|(id, _)| *id);
    match step {
        Step::Insert(at, body) => {
            let free = !model.contains_key(&id(*at)) && name_owner(model, &body.name).is_none();
            match tx.insert(HERE, id(*at), body.clone()) {
                Ok(row) => {
                    assert!(free);
                    model.insert(row.id, (1, row.body));
                }
                Err(Error::Taken { .. }) => {
                    assert!(!free);
                    // A caller gives up after an error, so the transaction ends here.
                    return Err(Error::Invalid("taken".into()));
                }
                Err(error) => panic!("{error}"),
            }
        }
        Step::Update(at, body) => {
            let Some(mut row) = tx.get::<Thing>(HERE, &id(*at))? else {
                assert!(!model.contains_key(&id(*at)));
                return Ok(());
            };
            let owner = name_owner(model, &body.name);
            row.body = body.clone();
            match tx.update(HERE, row) {
                Ok(row) => {
                    assert!(owner.is_none_or(|owner| owner == row.id));
                    model.insert(row.id, (row.version, row.body));
                }
                Err(Error::Taken { index: "name", .. }) => {
                    assert!(owner.is_some_and(|owner| owner != id(*at)));
                    return Err(Error::Invalid("taken".into()));
                }
                Err(error) => panic!("{error}"),
            }
        }
        Step::UpdateStale(at) => {
            if let Some(mut row) = tx.get::<Thing>(HERE, &id(*at))? {
                row.version += 1;
                assert!(matches!(tx.update(HERE, row), Err(Error::Stale("thing"))));
            }
        }
        Step::Delete(at) => assert_eq!(tx.delete::<Thing>(HERE, &id(*at))?, model.remove(&id(*at)).is_some()),
        Step::Get(at) => same(tx.get(HERE, &id(*at))?, model.get(&id(*at))),
        Step::ByName(at) => {
            let name = format!("n{at}");
            let found = tx.by_unique::<Thing>(HERE, "name", &name_key(&name))?;
            assert_eq!(found.map(|row| row.id), name_owner(model, &name));
        }
        Step::Pages { .. } => check_pages(tx, model, step)?,
    }
    Ok(())
}

fn hold(store: &Store, transactions: &[(Vec<Step>, bool)]) {
    let mut model = Model::new();
    for (steps, commits) in transactions {
        let mut inside = model.clone();
        let outcome = store.run_blocking(|tx| {
            for step in steps {
                apply(tx, &mut inside, step)?;
            }
            if *commits { Ok(()) } else { Err(Error::Invalid("given up".into())) }
        });
        if outcome.is_ok() {
            model = inside;
        }
        // Compares the content of every list, as the next transaction sees it.
        for list in 0..4 {
            let step =
                Step::Pages { list, prefix: None, from: None, reverse: list.is_multiple_of(2), limit: 3 };
            store.run_blocking(|tx| check_pages(tx, &model, &step)).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn transactions_on_a_memory_engine_behave_like_a_map(transactions in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let memory: Arc<dyn Engine> = Arc::new(Memory::default());
        hold(&store_on(memory, dir.path()), &transactions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn transactions_on_the_embedded_engine_behave_like_a_map(transactions in steps()) {
        let dir = tempfile::tempdir().unwrap();
        hold(&store_on(Arc::new(engine_at(&dir.path().join("engine"))), dir.path()), &transactions);
    }
}
