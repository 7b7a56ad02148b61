//! Tests of data items: validation, queries, and concurrent changes.

use crate::stage::Stage;
use assist::data::{self, Change, DataError, Embedding, Filter, MAX_BYTES, NewItem, Query, Schema};
use serde_json::{Map, Value, json};
use storage::records::{Assistant, DataCount, DataItem};
use storage::{Row, Tx, new_id};
use uuid::Uuid;

crate::tests![
    items_have_limits,
    the_count_holds_for_two_at_once,
    schemas_are_held_and_cannot_be_broken_into,
    changes_are_all_or_nothing,
    vectors_go_with_what_they_stand_for,
    lists_are_ordered_and_paged,
    what_makes_no_sense_is_told,
];

fn object(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn item(data: Value) -> NewItem {
    NewItem { data: object(data), user: Uuid::nil(), ..NewItem::default() }
}

impl Stage {
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, DataError> + Send + 'static,
    ) -> Result<T, DataError> {
        self.run_context.store.run(work).await
    }

    async fn create(&self, new: NewItem) -> Result<Row<DataItem>, DataError> {
        let (tenant, assistant) = (self.tenant, self.assistant);
        self.write(move |tx| data::create(tx, tenant, assistant, new.clone())).await
    }

    async fn update(&self, id: Uuid, change: Change) -> Result<Row<DataItem>, DataError> {
        let (tenant, assistant) = (self.tenant, self.assistant);
        self.write(move |tx| data::update(tx, tenant, assistant, id, change.clone())).await
    }

    async fn query(&self, query: Query) -> Result<(Vec<Value>, Option<String>), DataError> {
        let (tenant, assistant) = (self.tenant, self.assistant);
        let page =
            self.run_context.store.read(move |reader| data::query(reader, tenant, assistant, &query)).await?;
        Ok((page.items.into_iter().map(|row| Value::Object(row.body.data)).collect(), page.next))
    }

    async fn count(&self) -> u64 {
        let (tenant, assistant) = (self.tenant, self.assistant);
        let read = self.run_context.store.read(move |reader| reader.get::<DataCount>(tenant, &assistant));
        read.await.unwrap().map_or(0, |row| row.items)
    }
}

async fn items_have_limits() {
    let stage = Stage::new().await;
    // {"t":"..."} has 8 bytes in addition to the text.
    let fits = stage.create(item(json!({"t": "x".repeat(MAX_BYTES - 8)}))).await.unwrap();
    let large = stage.create(item(json!({"t": "x".repeat(MAX_BYTES - 7)}))).await.unwrap_err();
    assert!(matches!(&large, DataError::Invalid(faults) if faults[0].loc == ["data"]), "{large}");
    let metadata = object(json!({"a": 1}));
    let both = stage.update(fits.id.1, Change { metadata: Some(metadata), ..Change::default() }).await;
    assert!(matches!(both, Err(DataError::Invalid(_))));
    let (tenant, other) = (stage.tenant, new_id());
    let missing_assistant = stage.write(move |tx| data::create(tx, tenant, other, item(json!({})))).await;
    assert!(matches!(missing_assistant, Err(DataError::NotFound("assistant"))));
    let missing = stage.update(new_id(), Change::default()).await;
    assert!(matches!(missing, Err(DataError::NotFound("data item"))));
}

async fn the_count_holds_for_two_at_once() {
    let stage = Stage::new().await;
    let (tenant, assistant) = (stage.tenant, stage.assistant);
    let first = stage.create(item(json!({}))).await.unwrap();
    let nearly = stage.run_context.store.run(move |tx| {
        let mut row = tx.require::<DataCount>(tenant, &assistant)?;
        row.items = most_items() - 3;
        tx.update(tenant, row)
    });
    nearly.await.unwrap();
    let all = (0..12).map(|n| stage.create(item(json!({"n": n}))));
    let all = futures::future::join_all(all).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 3);
    assert!(
        all.iter()
            .all(|result| matches!(result, Ok(_) | Err(DataError::Storage(storage::Error::LimitReached(_)))))
    );
    assert_eq!(stage.count().await, most_items());
    // Deletes one item, once: concurrent deletions of the same item must not be counted twice.
    let id = first.id.1;
    let gone = (0..4).map(|_| stage.write(move |tx| data::delete(tx, tenant, assistant, id)));
    let gone = futures::future::join_all(gone).await;
    assert_eq!(gone.into_iter().filter(|gone| matches!(gone, Ok(true))).count(), 1);
    assert_eq!(stage.count().await, most_items() - 1);
    stage.create(item(json!({}))).await.unwrap();
    assert!(matches!(
        stage.create(item(json!({}))).await,
        Err(DataError::Storage(storage::Error::LimitReached(_)))
    ));
}

async fn schemas_are_held_and_cannot_be_broken_into() {
    let stage = Stage::new().await;
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let row = stage.create(item(json!({"n": "old"}))).await.unwrap();
    let read = Schema::read(&schema).unwrap();
    let (tenant, assistant) = (stage.tenant, stage.assistant);
    let breaking =
        stage.run_context.store.read(move |reader| data::breaking(reader, tenant, assistant, &read, 3)).await;
    let breaking = breaking.unwrap();
    assert_eq!((breaking.len(), breaking[0].0), (1, row.id.1));
    // A schema is set while items are created: whichever comes first, no item violates the schema in the end.
    for round in 0..5 {
        let stage = Stage::new().await;
        let (tenant, assistant, schema) = (stage.tenant, stage.assistant, schema.clone());
        let set = stage.write(move |tx| {
            let read = Schema::read(&schema).unwrap();
            if !data::breaking(tx, tenant, assistant, &read, 1)?.is_empty() {
                return Ok(false);
            }
            let mut row = tx.require::<Assistant>(tenant, &assistant)?;
            row.data_schema = Some(schema.clone());
            tx.update(tenant, row)?;
            Ok(true)
        });
        let (set, created) = tokio::join!(set, stage.create(item(json!({"n": "bad"}))));
        assert!(set.unwrap() != created.is_ok(), "round {round}");
    }
    stage
        .update(row.id.1, Change { data: Some(object(json!({"n": 1}))), ..Change::default() })
        .await
        .unwrap();
    let schema_of = schema.clone();
    stage.change(move |assistant| assistant.data_schema = Some(schema_of.clone())).await;
    let why = stage.create(item(json!({"n": "x"}))).await.unwrap_err();
    assert!(matches!(&why, DataError::Invalid(faults) if faults[0].loc == ["data", "n"]), "{why}");
    let patch = Change { data: Some(object(json!({"n": null}))), merge: true, ..Change::default() };
    assert!(matches!(stage.update(row.id.1, patch).await, Err(DataError::Invalid(_))));
}

async fn changes_are_all_or_nothing() {
    let stage = Stage::new().await;
    let one = stage.create(item(json!({"n": 1, "o": {"a": 1, "b": 2}}))).await.unwrap();
    let two = stage.create(item(json!({"n": 2}))).await.unwrap();
    let (tenant, assistant) = (stage.tenant, stage.assistant);
    let to = |data: Value| Change { data: Some(object(data)), merge: true, ..Change::default() };
    let stale = Change { version: Some(9), ..Change::default() };
    let bad = vec![(one.id.1, to(json!({"n": 5}))), (two.id.1, stale), (new_id(), to(json!({})))];
    let why = stage.write(move |tx| data::update_all(tx, tenant, assistant, bad.clone())).await.unwrap_err();
    let DataError::Invalid(faults) = why else { panic!("{why}") };
    let places: Vec<_> = faults.iter().map(|fault| (fault.loc.join("."), fault.kind)).collect();
    assert_eq!(places, [("1.version".to_owned(), "stale"), ("2.id".to_owned(), "not_found")]);
    assert_eq!(stage.query(Query::default()).await.unwrap().0[0]["n"], json!(1));
    let good = vec![(one.id.1, to(json!({"o": {"a": null}}))), (two.id.1, to(json!({"n": 3})))];
    let done = stage.write(move |tx| data::update_all(tx, tenant, assistant, good.clone())).await.unwrap();
    assert_eq!((done[0].version, done[1].version), (2, 2));
    let expected = vec![json!({"n": 1, "o": {"b": 2}}), json!({"n": 3})];
    assert_eq!(stage.query(Query::default()).await.unwrap().0, expected);
    let many = vec![(one.id.1, Change::default()); 1_001];
    let why = stage.write(move |tx| data::update_all(tx, tenant, assistant, many.clone())).await;
    assert!(matches!(why, Err(DataError::TooMany)));
}

async fn vectors_go_with_what_they_stand_for() {
    let stage = Stage::new().await;
    let embedding = Some(Embedding { model: "m".into(), vector: "AAAA".into() });
    let row = stage.create(NewItem { embedding: embedding.clone(), ..item(json!({"n": 1})) }).await.unwrap();
    assert_eq!(row.embedding_model.as_deref(), Some("m"));
    let id = row.id.1;
    let metadata = Change { metadata: Some(object(json!({"a": 1}))), ..Change::default() };
    assert!(stage.update(id, metadata).await.unwrap().vector.is_some());
    let same = Change { data: Some(object(json!({"n": 1}))), ..Change::default() };
    assert!(stage.update(id, same).await.unwrap().vector.is_some());
    let other = Change { data: Some(object(json!({"n": 2}))), ..Change::default() };
    let changed = stage.update(id, other).await.unwrap();
    assert_eq!((changed.body.vector, changed.body.embedding_model), (None, None));
    let new = Change { data: Some(object(json!({"n": 3}))), embedding, ..Change::default() };
    assert!(stage.update(id, new).await.unwrap().vector.is_some());
}

async fn lists_are_ordered_and_paged() {
    let stage = Stage::new().await;
    let (tenant, assistant) = (stage.tenant, stage.assistant);
    // More items than are retained for a short page; half of them without `b`.
    let inserted = stage.write(move |tx| {
        for n in 0..450u64 {
            let mixed = n * 7919 % 450;
            let data = if n % 2 == 0 { json!({"a": mixed, "b": mixed % 3}) } else { json!({"a": mixed}) };
            data::create(tx, tenant, assistant, item(data))?;
        }
        Ok(())
    });
    inserted.await.unwrap();
    let numbers = |items: &[Value]| items.iter().map(|it| it["a"].as_u64().unwrap()).collect::<Vec<_>>();
    for (order_by, filter, limit) in [
        ("a", json!(null), 100),
        ("-a", json!(null), 7),
        ("b,-a", json!(null), 64),
        ("", json!(null), 33),
        ("-b, a", json!([{"field": "a", "op": "lt", "value": 100}]), 9),
        ("$created_at", json!({"field": "b", "op": "exists"}), 50),
    ] {
        let query = |limit, after| Query {
            filter: Filter::read(&filter).unwrap(),
            order_by: order_by.to_owned(),
            limit,
            after,
        };
        let (whole, none) = stage.query(query(450, None)).await.unwrap();
        assert_eq!(none, None);
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let (items, next) = stage.query(query(limit, after)).await.unwrap();
            assert!(items.len() == limit || next.is_none(), "{order_by}");
            paged.extend(items);
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(numbers(&paged), numbers(&whole), "{order_by}");
        let mut sorted = whole.clone();
        match order_by {
            "a" => sorted.sort_by_key(|it| it["a"].as_u64()),
            "-a" => sorted.sort_by_key(|it| std::cmp::Reverse(it["a"].as_u64())),
            "b,-a" => sorted.sort_by_key(|it| (it["b"].as_u64(), std::cmp::Reverse(it["a"].as_u64()))),
            "-b, a" => sorted.sort_by_key(|it| (std::cmp::Reverse(it["b"].as_u64()), it["a"].as_u64())),
            _ => {}
        }
        assert_eq!(numbers(&sorted), numbers(&whole), "{order_by}");
        assert_eq!(
            whole.len(),
            if order_by == "-b, a" {
                100
            } else if order_by == "$created_at" {
                225
            } else {
                450
            }
        );
    }
}

async fn what_makes_no_sense_is_told() {
    let stage = Stage::new().await;
    for n in 0..3 {
        stage.create(item(json!({"n": n}))).await.unwrap();
    }
    let (_, next) = stage.query(Query { limit: 1, ..Query::default() }).await.unwrap();
    let next = next.expect("a cursor");
    for (query, place) in [
        (Query { limit: 1_001, ..Query::default() }, "limit"),
        (Query { order_by: "$secret".into(), ..Query::default() }, "order_by"),
        (Query { order_by: "a,,b".into(), ..Query::default() }, "order_by"),
        (Query { order_by: "a,b,c,d,e,f".into(), ..Query::default() }, "order_by"),
        (Query { after: Some("nonsense".into()), ..Query::default() }, "cursor"),
        (Query { after: Some(next), order_by: "n".into(), ..Query::default() }, "cursor"),
    ] {
        let why = stage.query(query).await.unwrap_err();
        assert!(matches!(&why, DataError::Invalid(faults) if faults[0].loc == [place]), "{why}");
    }
}

/// The default limit on items of an assistant.
fn most_items() -> u64 {
    storage::CountLimits::default().data_items_per_assistant
}
