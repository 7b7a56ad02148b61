//! `host.data`: the data items of the caller's assistant.

use serde_json::{Map, Value, json};
use storage::records::DataItem;
use storage::{Row, Tx};
use uuid::Uuid;

use super::Services;
use crate::data::{self, Change, DataError, Filter, NewItem, Query};

impl Services<'_> {
    fn assistant(&self) -> Result<Uuid, String> {
        self.require("data")?;
        self.caller.assistant_id.ok_or_else(|| "there is no assistant whose data this could be".to_owned())
    }

    async fn write<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx) -> Result<T, DataError> + Send + 'static,
    ) -> Result<T, String> {
        let fence = self.caller.fence;
        let fenced = move |tx: &mut Tx| {
            fence.map_or(Ok(()), |fence| fence.check(tx)).map_err(DataError::from)?;
            work(tx)
        };
        self.run_context.store.run(fenced).await.map_err(|why| why.to_string())
    }

    /// `query({filter, order_by, limit, cursor})`: returns `{items, next_cursor}`.
    pub(super) async fn query(&self, args: &[Value]) -> Result<Value, String> {
        let (tenant, assistant) = (self.caller.tenant, self.assistant()?);
        let settings = options(args.first(), "data.query({filter, order_by, limit, cursor})")?;
        let filter = settings.get("filter").map_or_else(|| Ok(Filter::default()), Filter::read);
        let filter = filter.map_err(|faults| {
            DataError::Invalid(faults.into_iter().map(|fault| fault.below(&["filter"])).collect()).to_string()
        })?;
        let text = |name: &str| settings.get(name).and_then(Value::as_str).map(str::to_owned);
        let limit = settings.get("limit").and_then(Value::as_u64).unwrap_or_default();
        let query = Query {
            filter,
            order_by: text("order_by").unwrap_or_default(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            after: text("cursor"),
        };
        let found =
            self.run_context.store.read(move |reader| data::query(reader, tenant, assistant, &query)).await;
        let page = found.map_err(|why| why.to_string())?;
        let items: Vec<Value> = page.items.into_iter().map(shown).collect();
        Ok(json!({"items": items, "next_cursor": page.next}))
    }

    /// `create(data, {metadata})`: returns the new item.
    pub(super) async fn create(&self, args: Vec<Value>) -> Result<Value, String> {
        let (tenant, assistant, user) = (self.caller.tenant, self.assistant()?, self.caller.user);
        let data = object(args.first(), "data.create(data)")?;
        let metadata = match options(args.get(1), "data.create(data, {metadata})")?.get("metadata") {
            None | Some(Value::Null) => Map::new(),
            metadata => object(metadata, "data.create(data, {metadata})")?,
        };
        let new = NewItem { data, metadata, user, embedding: None };
        self.write(move |tx| data::create(tx, tenant, assistant, new.clone())).await.map(shown)
    }

    /// `update(id, data, {merge, metadata, version})`: returns the changed item.
    pub(super) async fn update(&self, args: Vec<Value>) -> Result<Value, String> {
        let (tenant, assistant) = (self.caller.tenant, self.assistant()?);
        let id = id(args.first())?;
        let usage = "data.update(id, data, {merge, metadata, version})";
        let settings = options(args.get(2), usage)?;
        let optional = |value: Option<&Value>| match value {
            None | Some(Value::Null) => Ok(None),
            value => object(value, usage).map(Some),
        };
        let change = Change {
            data: optional(args.get(1))?,
            metadata: optional(settings.get("metadata"))?,
            merge: settings.get("merge") == Some(&Value::Bool(true)),
            version: settings.get("version").and_then(Value::as_u64),
            embedding: None,
        };
        self.write(move |tx| data::update(tx, tenant, assistant, id, change.clone())).await.map(shown)
    }

    /// `delete(id)`: returns whether the item existed.
    pub(super) async fn delete(&self, args: &[Value]) -> Result<Value, String> {
        let (tenant, assistant) = (self.caller.tenant, self.assistant()?);
        let id = id(args.first())?;
        self.write(move |tx| data::delete(tx, tenant, assistant, id)).await.map(Value::Bool)
    }
}

/// The form of an item that scripts see.
fn shown(row: Row<DataItem>) -> Value {
    json!({
        "id": row.id.1, "version": row.version, "data": row.data, "metadata": row.metadata,
        "created_at": row.created_at, "updated_at": row.updated_at,
    })
}

fn object(value: Option<&Value>, usage: &str) -> Result<Map<String, Value>, String> {
    let object = value.and_then(Value::as_object);
    object.cloned().ok_or_else(|| format!("{usage} wants an object"))
}

fn options(value: Option<&Value>, usage: &str) -> Result<Map<String, Value>, String> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        value => object(value, usage),
    }
}

fn id(value: Option<&Value>) -> Result<Uuid, String> {
    let id = value.and_then(Value::as_str).and_then(|text| text.parse().ok());
    id.ok_or_else(|| "the id of a data item is wanted".to_owned())
}
