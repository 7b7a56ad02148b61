//! Creation, change and deletion of data items.

use std::ops::ControlFlow;
use std::sync::Arc;

use actix_web::web::Data;
use assist::data::{self, Change, Filter, NewItem, Schema, located};
use serde_json::Value;
use storage::records::{Assistant, DataItem, GrantLevel};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::schema::{
    BulkUpdateAssistantDataRequest, CreateAssistantDataRequest, CreateAssistantDataResponse,
    DeleteAssistantDataRequest, DeleteAssistantDataResponse, UpdateAssistantDataRequest,
    UpdateAssistantDataResponse, read_filter,
};
use super::vectors::{self, PreparedVectors};
use crate::App;
use crate::http::scopes::AssistantsWrite;
use crate::http::{Api, Caller, Loaded, Refusal, ToEdit};
use domain::assistants::access;

/// Writes the data items of an assistant that the caller may change.
pub struct DataItemWriter {
    app: Data<App>,
    caller: Arc<Caller>,
    assistant: Row<Assistant>,
}

impl DataItemWriter {
    /// Creates a desk for a caller who may change the assistant.
    pub fn new(app: Data<App>, assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>) -> Self {
        let Loaded { auth, it } = assistant;
        Self { app, caller: auth.caller(), assistant: it }
    }

    /// Runs a transaction, and checks inside it that the caller may still change the assistant.
    async fn run<T: Send + 'static>(
        &self,
        mut write: impl FnMut(&mut Tx, &App, &Caller, Uuid) -> Api<T> + Send + 'static,
    ) -> Api<T> {
        let (app, caller, id) = (self.app.clone().into_inner(), self.caller.clone(), self.assistant.id);
        let work = move |tx: &mut Tx| {
            access::at_least(tx, &caller, id, GrantLevel::Editor)?;
            write(tx, &app, &caller, id)
        };
        self.app.store.run(work).await
    }

    /// Computes the vector of a new item, and stores the item with it and with the bill in one transaction.
    pub async fn create(&self, new: CreateAssistantDataRequest) -> Api<CreateAssistantDataResponse> {
        let CreateAssistantDataRequest { data, metadata } = new;
        self.check_object(&data)?;
        let spent = vectors::embed(&self.app, &self.caller, vec![vectors::text_of(&data)]).await;
        let vector = spent
            .as_ref()
            .and_then(|embeddings| Some((embeddings.model.clone(), embeddings.vectors.first()?.clone())));
        let embedding = vector.map(|(model, vector)| vectors::embedding(&model, &vector));
        let item = NewItem { data, metadata, user: self.caller.user, embedding };
        let row = self.run(move |tx, app, caller, id| {
            vectors::bill(tx, app, caller, id, spent.as_ref())?;
            Ok(data::create(tx, caller.tenant, id, item.clone())?)
        });
        Ok(CreateAssistantDataResponse { item: row.await?.into() })
    }

    /// Rejects an invalid object before its embedding is paid for.
    fn check_object(&self, data: &serde_json::Map<String, Value>) -> Api<()> {
        let size = serde_json::to_vec(data).map_or(usize::MAX, |json| json.len());
        if size > data::MAX_BYTES {
            let why = format!("has {size} bytes as JSON; the most is {}", data::MAX_BYTES);
            return Err(Refusal::invalid("body", ["data"], why, "too_long"));
        }
        let schema = self.assistant.data_schema.as_ref().and_then(|schema| Schema::read(schema).ok());
        let faults = schema.map(|schema| schema.faults(&Value::Object(data.clone()))).unwrap_or_default();
        let faults: Vec<_> = faults.into_iter().map(|fault| fault.below(&["data"])).collect();
        if faults.is_empty() { Ok(()) } else { Err(Refusal::faulty(located("body", faults))) }
    }

    /// Changes one item.
    pub async fn update(
        &self,
        item: Uuid,
        change: UpdateAssistantDataRequest,
    ) -> Api<UpdateAssistantDataResponse> {
        let UpdateAssistantDataRequest { data, metadata, merge, version } = change;
        let change = Change { data, metadata, merge, version, embedding: None };
        let prepared =
            PreparedVectors::make(&self.app, &self.caller, self.assistant.id, vec![(item, change)]).await?;
        let rows = self.run(move |tx, app, caller, id| {
            let mut rows = Vec::new();
            for (item, change) in prepared.changes(tx, caller, id)? {
                rows.push(data::update(tx, caller.tenant, id, item, change)?);
            }
            vectors::bill(tx, app, caller, id, prepared.spent.as_ref())?;
            Ok(rows)
        });
        Ok(rows.await?.into())
    }

    /// Changes several items, all or none.
    pub async fn update_all(
        &self,
        request: BulkUpdateAssistantDataRequest,
    ) -> Api<UpdateAssistantDataResponse> {
        let filter = read_filter(request.filter.as_ref())
            .map_err(|faults| Refusal::faulty(located("body", faults)))?;
        let set = request.set.filter(|_| request.filter.is_some());
        let changes = match &set {
            Some(set) => {
                let change = Change { data: Some(set.clone()), merge: true, ..Change::default() };
                self.fitting(&filter).await?.into_iter().map(|id| (id, change.clone())).collect()
            }
            None => changes_of(request.updates.unwrap_or_default(), request.merge),
        };
        if changes.len() > data::MAX_CHANGES {
            return Err(data::DataError::TooMany.into());
        }
        let prepared = PreparedVectors::make(&self.app, &self.caller, self.assistant.id, changes).await?;
        let rows = self.run(move |tx, app, caller, id| {
            let mut changes = prepared.changes(tx, caller, id)?;
            if set.is_some() {
                // Items that matched before may have been deleted, or may no longer match.
                changes = still_fitting(tx, caller, id, &filter, changes)?;
            }
            let place = if set.is_some() { "set" } else { "updates" };
            let rows = data::update_all(tx, caller.tenant, id, changes).map_err(|why| below(place, why))?;
            vectors::bill(tx, app, caller, id, prepared.spent.as_ref())?;
            Ok(rows)
        });
        Ok(rows.await?.into())
    }

    /// Deletes an item. Responds with 404 if it does not exist.
    pub async fn delete(&self, item: Uuid) -> Api<DeleteAssistantDataResponse> {
        let removed = self.run(move |tx, _, caller, id| Ok(data::delete(tx, caller.tenant, id, item)?));
        match removed.await? {
            true => Ok(DeleteAssistantDataResponse { deleted: 1 }),
            false => Err(Refusal::not_found("data item")),
        }
    }

    /// Deletes the existing items with the given ids, or all items that match the filter.
    pub async fn delete_all(&self, request: DeleteAssistantDataRequest) -> Api<DeleteAssistantDataResponse> {
        let filter = request.filter.as_ref().map(|filter| read_filter(Some(filter))).transpose();
        let filter = filter.map_err(|faults| Refusal::faulty(located("body", faults)))?;
        let ids = request.ids.unwrap_or_default();
        let deleted = self.run(move |tx, _, caller, id| {
            let ids = match &filter {
                Some(filter) => fitting(tx, caller, id, filter)?,
                None => ids.clone(),
            };
            let mut deleted = 0;
            for some in ids.chunks(data::MAX_CHANGES) {
                deleted += data::delete_all(tx, caller.tenant, id, some)?;
            }
            Ok(deleted)
        });
        Ok(DeleteAssistantDataResponse { deleted: deleted.await? })
    }

    async fn fitting(&self, filter: &Filter) -> Api<Vec<Uuid>> {
        let (caller, id, filter) = (self.caller.clone(), self.assistant.id, filter.clone());
        Ok(self.app.store.read(move |reader| fitting(reader, &caller, id, &filter)).await?)
    }
}

/// Returns the ids of the items that match the filter, oldest first.
fn fitting(reader: &Reader, caller: &Caller, assistant: Uuid, filter: &Filter) -> storage::Result<Vec<Uuid>> {
    let mut found = Vec::new();
    data::each(reader, caller.tenant, assistant, |row: Row<DataItem>| {
        if filter.fits(&row.data) {
            found.push(row.id.1);
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn still_fitting(
    reader: &Reader,
    caller: &Caller,
    assistant: Uuid,
    filter: &Filter,
    changes: Vec<(Uuid, Change)>,
) -> storage::Result<Vec<(Uuid, Change)>> {
    let mut remaining = Vec::with_capacity(changes.len());
    for (id, change) in changes {
        if data::get(reader, caller.tenant, assistant, id)?.is_some_and(|row| filter.fits(&row.data)) {
            remaining.push((id, change));
        }
    }
    Ok(remaining)
}

fn changes_of(updates: Vec<super::schema::DataItemUpdate>, merge: bool) -> Vec<(Uuid, Change)> {
    let change = |update: super::schema::DataItemUpdate| {
        let super::schema::DataItemUpdate { id, data, metadata, version } = update;
        (id, Change { data, metadata, merge, version, embedding: None })
    };
    updates.into_iter().map(change).collect()
}

/// Locates the faults of several changes below the field of the request that contains the changes.
fn below(place: &str, why: data::DataError) -> Refusal {
    match why {
        data::DataError::Invalid(faults) => {
            data::DataError::Invalid(faults.into_iter().map(|fault| fault.below(&[place])).collect()).into()
        }
        other => other.into(),
    }
}
