//! What data items are asked for with, and how they are shown.

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
    /// The object, held against the assistant's `data_schema`. At most 64 KiB as JSON, together with
    /// its metadata.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// What is kept with it and not held against the schema.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
}

impl Validate for CreateAssistantDataRequest {}

/// A change to a data item.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateAssistantDataRequest {
    /// The object; left out, it stays.
    #[schema(value_type = Option<Object>)]
    pub data: Option<Map<String, Value>>,
    /// What is kept with it; left out, that stays.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// Whether the above are merged into what is there, as a JSON merge patch is (RFC 7396), instead
    /// of replacing it.
    pub merge: bool,
    /// The version that is changed; if it is another by now, the answer is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateAssistantDataRequest {}

/// One of several changes.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DataItemUpdate {
    pub id: Uuid,
    /// The object; left out, it stays.
    #[schema(value_type = Option<Object>)]
    pub data: Option<Map<String, Value>>,
    /// What is kept with it; left out, that stays.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// The version that is changed.
    pub version: Option<u64>,
}

/// Changes to several data items: either `updates`, or `filter` with `set`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct BulkUpdateAssistantDataRequest {
    /// Each change.
    #[schema(max_items = 1000)]
    pub updates: Option<Vec<DataItemUpdate>>,
    /// Whether the objects of `updates` are merged into what is there instead of replacing it.
    pub merge: bool,
    /// Those items that fit: `[{"field": "a.b.0", "op": "eq", "value": 1}]`.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
    /// What is merged into each of those, as a JSON merge patch is.
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
                faults.add(["updates"], "goes neither with `filter` nor with `set`", "not_together");
            }
        }
        let mut seen = std::collections::HashSet::new();
        for (at, update) in self.updates.iter().flatten().enumerate() {
            if !seen.insert(update.id) {
                faults.add(["updates", &at.to_string(), "id"], "stands twice", "duplicate");
            }
        }
    }
}

/// Data items to delete: either `ids` or `filter`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct DeleteAssistantDataRequest {
    /// These. Those that are not there are passed over.
    #[schema(max_items = 1000)]
    pub ids: Option<Vec<Uuid>>,
    /// Those that fit: `[{"field": "a.b.0", "op": "eq", "value": 1}]`. An empty list is all.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
}

impl Validate for DeleteAssistantDataRequest {
    fn validate(&self, faults: &mut Faults) {
        match (&self.ids, &self.filter) {
            (Some(_), None) => {}
            (None, Some(filter)) => check_filter(filter, faults),
            (None, None) => faults.add(["ids"], "either this or `filter` is needed", "missing"),
            (Some(_), Some(_)) => faults.add(["ids"], "does not go with `filter`", "not_together"),
        }
    }
}

/// Ways to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataSearchMode {
    /// By words.
    Text,
    /// By meaning.
    Vector,
    /// By both, put together.
    #[default]
    Hybrid,
}

/// What is looked for among the data items.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SearchAssistantDataRequest {
    /// In the words of the caller.
    #[schema(min_length = 1, max_length = 2000)]
    pub query: String,
    #[serde(default)]
    pub mode: DataSearchMode,
    /// Only among those that fit.
    #[schema(value_type = Option<Vec<Object>>)]
    pub filter: Option<Value>,
    /// How many at most.
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

/// Which data items to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct QueryAssistantData {
    /// Those that fit all of these, as JSON: `[{"field": "a.b.0", "op": "eq", "value": 1}]`. An `op` is
    /// `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `contains`, `exists` or `starts_with`.
    pub filter: Option<String>,
    /// Paths of fields with commas between them, each with a `-` before it for the greatest first;
    /// `$id`, `$created_at` and `$updated_at` are the item's own. Without it, the oldest come first.
    #[param(max_length = 500)]
    pub order_by: Option<String>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for QueryAssistantData {
    fn default() -> Self {
        Self { filter: None, order_by: None, limit: 50, cursor: None }
    }
}

impl QueryAssistantData {
    /// What is asked for, or what is wrong with the filter.
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

/// Reads a filter; its faults stand at `filter`.
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
    /// A data item.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct AssistantDataItem from row: Row<DataItem>, row.body => {
        /// The item's id.
        id: Uuid = row.id.1,
        /// The object.
        #[schema(value_type = Object)]
        data: Map<String, Value>,
        /// What is stored with it and not checked against the schema.
        #[schema(value_type = Object)]
        metadata: Map<String, Value>,
        /// The user who created it.
        created_by: Uuid,
        /// The model whose vector it has; without one, only words find it.
        embedding_model: Option<String>,
        /// How often it was written, from 1.
        version: u64 = row.version,
        /// When it was created.
        created_at: Timestamp = row.created_at,
        /// When it was last changed.
        updated_at: Timestamp = row.updated_at,
    }
}

/// The data item that was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateAssistantDataResponse {
    #[serde(flatten)]
    pub item: AssistantDataItem,
}

/// The data items that were changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateAssistantDataResponse {
    /// The items as they are now.
    pub items: Vec<AssistantDataItem>,
    /// How many.
    pub updated: usize,
}

impl From<Vec<Row<DataItem>>> for UpdateAssistantDataResponse {
    fn from(rows: Vec<Row<DataItem>>) -> Self {
        Self { updated: rows.len(), items: rows.into_iter().map(AssistantDataItem::from).collect() }
    }
}

/// The data items that were deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteAssistantDataResponse {
    /// How many.
    pub deleted: usize,
}

/// A page of data items.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryAssistantDataResponse {
    pub items: Vec<AssistantDataItem>,
    /// Where the next page begins; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl From<DataPage> for QueryAssistantDataResponse {
    fn from(page: DataPage) -> Self {
        Self { items: page.items.into_iter().map(AssistantDataItem::from).collect(), next_cursor: page.next }
    }
}

/// A data item that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundDataItem {
    #[serde(flatten)]
    pub item: AssistantDataItem,
    /// How well it fits; more is better, and only within one answer.
    pub score: f32,
}

/// The data items that were found, the best first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchAssistantDataResponse {
    pub items: Vec<FoundDataItem>,
    pub mode: DataSearchMode,
    /// Items that fit the filter and that only words can find, since they have no vector of the
    /// embedding model. Changing them, even by nothing, has them embedded.
    pub without_vector: usize,
    /// Why meaning was not searched, where it should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}
