//! Requests and responses of data items.

use assist::data::{DataPage, Filter, Query};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::DataItem;
use storage::{Row, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::{Faults, Validate, record_view};

/// A new data item.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAssistantDataRequest {
    /// The object, which must match the assistant's `data_schema`. Together with its metadata, at most 64 KiB as JSON.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// Additional data that is stored with the object and not validated against the schema.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
}

impl Validate for CreateAssistantDataRequest {}

/// A change to a data item.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateAssistantDataRequest {
    /// The new object. Stays unchanged if omitted.
    #[schema(value_type = Option<Object>)]
    pub data: Option<Map<String, Value>>,
    /// The new metadata. Stays unchanged if omitted.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// Whether `data` and `metadata` are merged into the stored values, as a JSON merge patch (RFC 7396), instead of replacing them.
    pub merge: bool,
    /// The version that is changed. If the current version differs, the response is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateAssistantDataRequest {}

/// A change to one of several data items.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DataItemUpdate {
    pub id: Uuid,
    /// The new object. Stays unchanged if omitted.
    #[schema(value_type = Option<Object>)]
    pub data: Option<Map<String, Value>>,
    /// The new metadata. Stays unchanged if omitted.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// The version that is changed.
    pub version: Option<u64>,
}

/// Changes to several data items: either `updates`, or `filter` with `set`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct BulkUpdateAssistantDataRequest {
    /// Changes to individual items.
    #[schema(max_items = 1000)]
    pub updates: Option<Vec<DataItemUpdate>>,
    /// Whether the objects of `updates` are merged into the stored values instead of replacing them.
    pub merge: bool,
    /// Selects the items to change: `[{"field": "a.b.0", "op": "eq", "value": 1}]`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
    /// Values that are merged into each item that matches the filter, as a JSON merge patch.
    #[schema(value_type = Option<Object>)]
    pub set: Option<Map<String, Value>>,
}

impl Validate for BulkUpdateAssistantDataRequest {
    fn validate(&self, faults: &mut Faults) {
        match (&self.updates, &self.filter, &self.set) {
            (Some(_), None, None) => {}
            (None, Some(filter), Some(_)) => check_filter(filter, faults),
            (None, ..) => faults.add(["updates"], "either this or `filter` with `set` is needed", "missing"),
            (Some(_), ..) => {
                faults.add(["updates"], "cannot be combined with `filter` or `set`", "not_together");
            }
        }
        let mut seen = std::collections::HashSet::new();
        for (at, update) in self.updates.iter().flatten().enumerate() {
            if !seen.insert(update.id) {
                faults.add(["updates", &at.to_string(), "id"], "appears more than once", "duplicate");
            }
        }
    }
}

/// Data items to delete: either `ids` or `filter`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct DeleteAssistantDataRequest {
    /// Ids of the items. Ids of items that do not exist are ignored.
    #[schema(max_items = 1000)]
    pub ids: Option<Vec<Uuid>>,
    /// Selects the items to delete: `[{"field": "a.b.0", "op": "eq", "value": 1}]`. An empty list selects all items.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
}

impl Validate for DeleteAssistantDataRequest {
    fn validate(&self, faults: &mut Faults) {
        match (&self.ids, &self.filter) {
            (Some(_), None) => {}
            (None, Some(filter)) => check_filter(filter, faults),
            (None, None) => faults.add(["ids"], "either this or `filter` is needed", "missing"),
            (Some(_), Some(_)) => faults.add(["ids"], "cannot be combined with `filter`", "not_together"),
        }
    }
}

/// Search method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataSearchMode {
    /// Search by words.
    Text,
    /// Search by meaning.
    Vector,
    /// Search by both, with combined results.
    #[default]
    Hybrid,
}

/// A search among data items.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SearchAssistantDataRequest {
    /// The question, in the words of the user.
    #[schema(min_length = 1, max_length = 2000)]
    pub query: String,
    #[serde(default)]
    pub mode: DataSearchMode,
    /// Searches only items that match this filter.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
    /// Maximum number of results.
    #[serde(default = "ten")]
    #[schema(minimum = 1, maximum = 100, default = 10)]
    pub limit: u32,
}

fn ten() -> u32 {
    10
}

impl Validate for SearchAssistantDataRequest {
    const TRIMMED: &'static [&'static str] = &["query"];

    fn validate(&self, faults: &mut Faults) {
        if let Some(filter) = &self.filter {
            check_filter(filter, faults);
        }
    }
}

/// Query parameters of a list of data items.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct QueryAssistantData {
    /// Only items that match all of these conditions, as JSON: `[{"field": "a.b.0", "op": "eq", "value": 1}]`. Valid operators are `eq`,
    /// `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `contains`, `exists` and `starts_with`.
    pub filter: Option<String>,
    /// Comma-separated paths of fields to sort by. A leading `-` sorts a field in descending order. `$id`, `$created_at` and `$updated_at`
    /// are properties of the item itself. If omitted, the oldest items come first.
    #[param(max_length = 500)]
    pub order_by: Option<String>,
    /// Maximum number of items per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for QueryAssistantData {
    fn default() -> Self {
        Self { filter: None, order_by: None, limit: 50, cursor: None }
    }
}

impl QueryAssistantData {
    /// Returns the query, or the faults of the filter.
    pub fn query(&self) -> Result<Query, Vec<assist::data::Fault>> {
        let filter = self.filter.as_deref().map(serde_json::from_str::<Value>).transpose();
        let filter = filter.map_err(|why| {
            vec![assist::data::Fault::new(["filter"], "malformed", format!("is not JSON: {why}"))]
        })?;
        let filter = read_filter(filter.as_ref())?;
        let (order_by, after) = (self.order_by.clone().unwrap_or_default(), self.cursor.clone());
        Ok(Query { filter, order_by, limit: self.limit as usize, after })
    }
}

impl Validate for QueryAssistantData {
    fn validate(&self, faults: &mut Faults) {
        for fault in self.query().err().into_iter().flatten() {
            faults.add(fault.loc.iter().map(String::as_str), fault.msg.as_str(), fault.kind);
        }
    }
}

/// Parses a filter. Faults are located below `filter`.
pub fn read_filter(filter: Option<&Value>) -> Result<Filter, Vec<assist::data::Fault>> {
    let read = filter.map(Filter::read).transpose();
    let located =
        |faults: Vec<assist::data::Fault>| faults.into_iter().map(|it| it.below(&["filter"])).collect();
    read.map(Option::unwrap_or_default).map_err(located)
}

fn check_filter(filter: &Value, faults: &mut Faults) {
    for fault in read_filter(Some(filter)).err().into_iter().flatten() {
        faults.add(fault.loc.iter().map(String::as_str), fault.msg.as_str(), fault.kind);
    }
}

record_view! {
    /// A data item of an assistant.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct AssistantDataItem from row: Row<DataItem>, row.body => {
        /// Id of the item.
        id: Uuid = row.id.1,
        /// The stored object.
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        /// Additional data that is stored with the object and not validated against the schema.
        #[schema(value_type = Object)]
        metadata: Map<String, Value>,
        /// The user who created the item.
        created_by: Uuid,
        /// The embedding model of the item's vector. An item without a vector is found by words only.
        embedding_model: Option<String>,
        /// Version of the item: how often it was written, from 1.
        version: u64 = row.version,
        /// When the item was created.
        created_at: Timestamp = row.created_at,
        /// When the item was last changed.
        updated_at: Timestamp = row.updated_at,
    }
}

/// The data item that was created.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateAssistantDataResponse {
    #[serde(flatten)]
    pub item: AssistantDataItem,
}

/// The data items that were changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateAssistantDataResponse {
    /// The items after the change.
    pub items: Vec<AssistantDataItem>,
    /// Number of items that were changed.
    pub updated: usize,
}

impl From<Vec<Row<DataItem>>> for UpdateAssistantDataResponse {
    fn from(rows: Vec<Row<DataItem>>) -> Self {
        Self { updated: rows.len(), items: rows.into_iter().map(AssistantDataItem::from).collect() }
    }
}

/// Result of a deletion of data items.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteAssistantDataResponse {
    /// Number of items that were deleted.
    pub deleted: usize,
}

/// A page of data items.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryAssistantDataResponse {
    pub items: Vec<AssistantDataItem>,
    /// Cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

impl From<DataPage> for QueryAssistantDataResponse {
    fn from(page: DataPage) -> Self {
        Self { items: page.items.into_iter().map(AssistantDataItem::from).collect(), next_cursor: page.next }
    }
}

/// A search result.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundDataItem {
    #[serde(flatten)]
    pub item: AssistantDataItem,
    /// Relevance of the item; higher is better. Scores are comparable within one response only.
    pub score: f32,
}

/// The data items that were found, best match first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchAssistantDataResponse {
    pub items: Vec<FoundDataItem>,
    pub mode: DataSearchMode,
    /// Number of items that match the filter but can be found by words only, because they have no vector of the embedding model. Any update
    /// of an item, even without changes, computes its vector.
    pub without_vector: usize,
    /// Why the search by meaning was skipped, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub degraded: Option<String>,
}
