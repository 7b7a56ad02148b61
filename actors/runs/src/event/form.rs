//! Forms that workflows ask people to fill in.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::ValueType;

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct FormField {
    /// Name of the field in the outputs.
    pub name: String,
    /// Label that is shown to people.
    pub label: String,
    #[serde(rename = "type")]
    pub kind: ValueType,
    /// Whether the form cannot be submitted without a value.
    pub required: bool,
    /// The permitted values. Any value is permitted if the list is empty.
    pub options: Vec<Value>,
    /// Initial value of the field.
    pub default: Option<Value>,
}

/// A button of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FormAction {
    /// Name of the button, which is also the name of the port.
    pub name: String,
    /// Label that is shown to people.
    #[serde(default)]
    pub label: String,
}
