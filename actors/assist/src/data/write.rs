//! Changes of data items. Each function is part of a transaction: if it fails, the transaction must be aborted.

use std::ops::ControlFlow;

use serde_json::{Map, Value};
use storage::records::{Assistant, DataCount, DataItem};
use storage::{CountedResource, Reader, Row, TenantId, Tx};
use uuid::Uuid;

use super::query::each;
use super::{DataError, Fault, MAX_BYTES, MAX_CHANGES, Schema, merge};

/// An item to be created.
#[derive(Clone, Debug, Default)]
pub struct NewItem {
    /// The JSON object of the item.
    pub data: Map<String, Value>,
    /// Metadata that are stored with it.
    pub metadata: Map<String, Value>,
    /// The user who creates the item.
    pub user: Uuid,
    /// Vector of the item, if it has one.
    pub embedding: Option<Embedding>,
}

/// A vector and the model that computed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Full ID of the model.
    pub model: String,
    /// The vector in the encoding of [`DataItem::vector`].
    pub vector: String,
}

/// A change of an item.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The new object. `None` leaves it unchanged.
    pub data: Option<Map<String, Value>>,
    /// The new metadata. `None` leaves them unchanged.
    pub metadata: Option<Map<String, Value>>,
    /// Whether `data` and `metadata` are merged into the existing ones (see [`merge`]) instead of replacing them.
    pub merge: bool,
    /// The version that has to be current. `None` accepts any version.
    pub version: Option<u64>,
    /// The embedding of the changed object. The existing one is removed when the object changes.
    pub embedding: Option<Embedding>,
}

/// The schema of an assistant's items. The transaction then depends on the assistant, so that the schema cannot change
/// concurrently.
fn schema_of(tx: &Tx, tenant: TenantId, assistant: Uuid) -> Result<Option<Schema>, DataError> {
    let row = tx.get::<Assistant>(tenant, &assistant)?.ok_or(DataError::NotFound("assistant"))?;
    match &row.data_schema {
        None => Ok(None),
        Some(schema) => Schema::read(schema).map(Some).map_err(|why| {
            let message = format!("the assistant's schema is invalid: {why}");
            DataError::Invalid(vec![Fault::new(["data"], "schema", message)])
        }),
    }
}

/// Returns the faults of an item, located at `data` and `metadata`.
fn faults(schema: Option<&Schema>, item: &DataItem) -> Vec<Fault> {
    let size = |value: &Map<String, Value>| serde_json::to_vec(value).map_or(usize::MAX, |json| json.len());
    let bytes =
        size(&item.data).saturating_add(if item.metadata.is_empty() { 0 } else { size(&item.metadata) });
    if bytes > MAX_BYTES {
        let message = format!("has {bytes} bytes as JSON with its metadata; the most is {MAX_BYTES}");
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

/// Updates the number of items. Every transaction that adds or deletes items writes the count, so concurrent ones
/// conflict.
fn count(tx: &mut Tx, tenant: TenantId, assistant: Uuid, change: i64) -> Result<(), DataError> {
    let row = tx.get::<DataCount>(tenant, &assistant)?;
    let items = row.as_ref().map_or(0, |row| row.items).saturating_add_signed(change);
    if change > 0 {
        tx.require_place(CountedResource::DataItems, items - 1)?;
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

/// Creates an item.
///
/// # Errors
/// `Invalid` with faults at `data`, `LimitReached` from the store, `NotFound("assistant")`.
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

/// Changes one item of an assistant.
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

/// Changes several items, all or none.
///
/// # Errors
/// `TooMany`, `NotFound`, and `Invalid` with all faults of all items. The locations of these faults, and of missing or
/// stale items, start with the index of the change.
pub fn update_all(
    tx: &mut Tx,
    tenant: TenantId,
    assistant: Uuid,
    changes: Vec<(Uuid, Change)>,
) -> Result<Vec<Row<DataItem>>, DataError> {
    if changes.len() > MAX_CHANGES {
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

/// Deletes an item. Returns whether it existed.
pub fn delete(tx: &mut Tx, tenant: TenantId, assistant: Uuid, id: Uuid) -> Result<bool, DataError> {
    Ok(delete_all(tx, tenant, assistant, &[id])? == 1)
}

/// Deletes several items. Returns the number of those that existed.
///
/// # Errors
/// `TooMany` if there are more items than one change may have, or the error of the store.
pub fn delete_all(tx: &mut Tx, tenant: TenantId, assistant: Uuid, ids: &[Uuid]) -> Result<usize, DataError> {
    if ids.len() > MAX_CHANGES {
        return Err(DataError::TooMany);
    }
    let mut removed = 0;
    for id in ids {
        removed += usize::from(tx.delete::<DataItem>(tenant, &(assistant, *id))?);
    }
    if removed > 0 {
        count(tx, tenant, assistant, -i64::try_from(removed).unwrap_or(i64::MAX))?;
    }
    Ok(removed)
}

/// Returns up to `most` items that do not match a schema, each with its first fault. In the transaction that sets the
/// schema, no item can be added or changed concurrently.
pub fn breaking(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    schema: &Schema,
    most: usize,
) -> storage::Result<Vec<(Uuid, Fault)>> {
    // Makes the transaction depend on the count, which every added item changes.
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
