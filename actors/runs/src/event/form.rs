//! Forms that workflows ask people to fill in.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::ValueType;

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct FormField {
    /// Its name in the outputs.
    pub name: String,
    /// For people.
    pub label: String,
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// Whether the form cannot be sent without it.
    pub required: bool,
    /// The only values allowed, if any are listed.
    pub options: Vec<Value>,
    /// What it holds at first.
    pub default: Option<Value>,
}

/// A button of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FormAction {
    /// Its name, which is the port.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub label: String,
}
