//! Data items of assistants.

use crate::record::{Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// A JSON object stored by an assistant. Its id is (assistant, item).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct DataItem {
    /// The object.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    /// Metadata, which is not validated against the schema.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    /// The user who created it.
    pub created_by: Uuid,
    /// Full id of the model that embedded it.
    pub embedding_model: Option<String>,
    /// The embedding vector, as written by `knowledge::Quantized`, in Base64.
    pub vector: Option<String>,
}

impl Record for DataItem {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"di";
    const NAME: &'static str = "data_item";
    const GROWTH: Growth<Self> = Growth::metered(
        |_, row| Owner::User(row.created_by),
        "per assistant, `limits.data_items_per_assistant`; 64 KiB each",
    );
}
