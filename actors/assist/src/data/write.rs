//! Writing data items. Each function is a part of a transaction: where one fails, the transaction is to fail.

use std::ops::ControlFlow;

use serde_json::{Map, Value};
use storage::records::{Assistant, DataCount, DataItem};
use storage::{Counted, Reader, Row, TenantId, Tx};
use uuid::Uuid;

use super::query::each;
use super::{DataError, Fault, MOST_BYTES, MOST_CHANGES, Schema, merge};

/// An item that is to be made.
#[derive(Clone, Debug, Default)]
pub struct NewItem {
    /// The object.
    pub data: Map<String, Value>,
    /// What is kept with it.
    pub metadata: Map<String, Value>,
    /// Who makes it.
    pub user: Uuid,
    /// Its vector, where it has one.
    pub embedding: Option<Embedding>,
}

/// A vector and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Full id of the model.
    pub model: String,
    /// As [`DataItem::vector`] keeps it.
    pub vector: String,
}

/// How an item is to change.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The object; without one, it stays.
    pub data: Option<Map<String, Value>>,
    /// What is kept with it; without anything, that stays.
    pub metadata: Option<Map<String, Value>>,
    /// Whether the above are merged into what is there (see [`merge`]) instead of replacing it.
    pub merge: bool,
    /// The version that is to be changed; without one, whichever it is.
    pub version: Option<u64>,
    /// The vector of the object as it will be. The old one goes when the object changes.
    pub embedding: Option<Embedding>,
}

/// The schema of an assistant's items. From now on the transaction depends on the assistant, so that no schema
/// can come in between.
fn schema_of(tx: &Tx, tenant: TenantId, assistant: Uuid) -> Result<Option<Schema>, DataError> {
    let row = tx.get::<Assistant>(tenant, &assistant)?.ok_or(DataError::NotFound("assistant"))?;
    match &row.data_schema {
        None => Ok(None),
        Some(schema) => Schema::read(schema).map(Some).map_err(|why| {
            let message = format!("the assistant's schema is wrong: {why}");
            DataError::Invalid(vec![Fault::new(["data"], "schema", message)])
        }),
    }
}

/// What is wrong with an item, at `data` and `metadata`.
fn faults(schema: Option<&Schema>, item: &DataItem) -> Vec<Fault> {
    let size = |value: &Map<String, Value>| serde_json::to_vec(value).map_or(usize::MAX, |json| json.len());
    let bytes =
        size(&item.data).saturating_add(if item.metadata.is_empty() { 0 } else { size(&item.metadata) });
    if bytes > MOST_BYTES {
        let message = format!("has {bytes} bytes as JSON with its metadata; the most is {MOST_BYTES}");
        return vec![Fault::new(["data"], "too_long", message)];
    }
    let Some(schema) = schema else { return Vec::new() };
    let faults = schema.faults(&Value::Object(item.data.clone()));
    faults.into_iter().map(|fault| fault.below(&["data"])).collect()
}

fn check(schema: Option<&Schema>, item: &DataItem) -> Result<(), DataError> {
    let faults = faults(schema, item);
    if faults.is_empty() { Ok(()) } else { Err(DataError::Invalid(faults)) }
}

/// Counts items that come or go. Every transaction that adds or deletes writes the count, so two of them do not pass
/// each other.
fn count(tx: &mut Tx, tenant: TenantId, assistant: Uuid, change: i64) -> Result<(), DataError> {
    let row = tx.get::<DataCount>(tenant, &assistant)?;
    let items = row.as_ref().map_or(0, |row| row.items).saturating_add_signed(change);
    if change > 0 {
        tx.require_place(Counted::DataItems, items - 1)?;
    }
    match row {
        Some(mut row) => {
            row.items = items;
            tx.update(tenant, row)?;
        }
        None => {
            tx.insert(tenant, assistant, DataCount { items })?;
        }
    }
    Ok(())
}

/// Makes an item.
///
/// # Errors
/// `Invalid` with faults at `data`, `LimitReached` of the store, `NotFound("assistant")`.
pub fn create(
    tx: &mut Tx,
    tenant: TenantId,
    assistant: Uuid,
    new: NewItem,
) -> Result<Row<DataItem>, DataError> {
    let schema = schema_of(tx, tenant, assistant)?;
    let (embedding_model, vector) = new.embedding.map(|it| (it.model, it.vector)).unzip();
    let (data, metadata) = (new.data, new.metadata);
    let item = DataItem { data, metadata, created_by: new.user, embedding_model, vector };
    check(schema.as_ref(), &item)?;
    count(tx, tenant, assistant, 1)?;
    Ok(tx.insert(tenant, (assistant, storage::new_id()), item)?)
}

/// Changes an item.
///
/// # Errors
/// `Invalid` with faults at `data`, `NotFound`, `Stale`.
pub fn update(
    tx: &mut Tx,
    tenant: TenantId,
    assistant: Uuid,
    id: Uuid,
    change: Change,
) -> Result<Row<DataItem>, DataError> {
    let schema = schema_of(tx, tenant, assistant)?;
    change_one(tx, tenant, (assistant, id), change, schema.as_ref())
}

/// Changes items, all or none.
///
/// # Errors
/// `TooMany`, `NotFound`, and `Invalid` with every fault of every item; their places, and those of items that are
/// missing or stale, begin with the change's number.
pub fn update_all(
    tx: &mut Tx,
    tenant: TenantId,
    assistant: Uuid,
    changes: Vec<(Uuid, Change)>,
) -> Result<Vec<Row<DataItem>>, DataError> {
    if changes.len() > MOST_CHANGES {
        return Err(DataError::TooMany);
    }
    let schema = schema_of(tx, tenant, assistant)?;
    let (mut done, mut faults) = (Vec::with_capacity(changes.len()), Vec::new());
    for (at, (id, change)) in changes.into_iter().enumerate() {
        let at = at.to_string();
        match change_one(tx, tenant, (assistant, id), change, schema.as_ref()) {
            Ok(row) => done.push(row),
            Err(DataError::Invalid(wrong)) => {
                faults.extend(wrong.into_iter().map(|fault| fault.below(&[at.as_str()])));
            }
            Err(DataError::NotFound(what)) => {
                faults.push(Fault::new([at.as_str(), "id"], "not_found", format!("there is no such {what}")));
            }
            Err(why @ DataError::Stale) => {
                faults.push(Fault::new([at.as_str(), "version"], "stale", why.to_string()));
            }
            Err(other) => return Err(other),
        }
    }
    if faults.is_empty() { Ok(done) } else { Err(DataError::Invalid(faults)) }
}

fn change_one(
    tx: &mut Tx,
    tenant: TenantId,
    id: (Uuid, Uuid),
    change: Change,
    schema: Option<&Schema>,
) -> Result<Row<DataItem>, DataError> {
    let mut row = tx.get::<DataItem>(tenant, &id)?.ok_or(DataError::NotFound("data item"))?;
    if change.version.is_some_and(|version| version != row.version) {
        return Err(DataError::Stale);
    }
    let before = row.data.clone();
    let put = |old: &mut Map<String, Value>, new: Option<Map<String, Value>>| match new {
        Some(new) if change.merge => merge(old, &new),
        Some(new) => *old = new,
        None => {}
    };
    put(&mut row.data, change.data);
    put(&mut row.metadata, change.metadata);
    if let Some(Embedding { model, vector }) = change.embedding {
        (row.embedding_model, row.vector) = (Some(model), Some(vector));
    } else if row.data != before {
        (row.embedding_model, row.vector) = (None, None);
    }
    check(schema, &row)?;
    Ok(tx.update(tenant, row)?)
}

/// Deletes an item; returns whether it existed.
pub fn delete(tx: &mut Tx, tenant: TenantId, assistant: Uuid, id: Uuid) -> Result<bool, DataError> {
    Ok(delete_all(tx, tenant, assistant, &[id])? == 1)
}

/// Deletes those of these items that are there: how many.
///
/// # Errors
/// `TooMany`.
pub fn delete_all(tx: &mut Tx, tenant: TenantId, assistant: Uuid, ids: &[Uuid]) -> Result<usize, DataError> {
    if ids.len() > MOST_CHANGES {
        return Err(DataError::TooMany);
    }
    let mut gone = 0;
    for id in ids {
        gone += usize::from(tx.delete::<DataItem>(tenant, &(assistant, *id))?);
    }
    if gone > 0 {
        count(tx, tenant, assistant, -i64::try_from(gone).unwrap_or(i64::MAX))?;
    }
    Ok(gone)
}

/// The first few items that do not fit a schema, each with its first fault. In the transaction that sets the schema
/// no item can come or change in between.
pub fn breaking(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    schema: &Schema,
    most: usize,
) -> storage::Result<Vec<(Uuid, Fault)>> {
    // Adding an item changes the count.
    reader.get::<DataCount>(tenant, &assistant)?;
    let mut wrong = Vec::new();
    each(reader, tenant, assistant, |row| {
        let id = row.id.1;
        let fault = schema.faults(&Value::Object(row.body.data)).into_iter().next();
        wrong.extend(fault.map(|fault| (id, fault)));
        if wrong.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(wrong)
}
