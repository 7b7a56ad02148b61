//! The types of values in workflows.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Text.
    String,
    Number,
    /// A number without a fraction.
    Integer,
    /// True or false.
    Boolean,
    /// Values by name.
    Object,
    /// A list.
    Array,
    /// A file: `{blob_id, filename, media_type, size}`.
    File,
    /// No restriction: any JSON value, including null.
    #[default]
    Any,
}

impl ValueType {
    pub const ALL: [Self; 8] = [
        Self::String,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Object,
        Self::Array,
        Self::File,
        Self::Any,
    ];

    /// Whether a value is of this type. `null` is of type `any` only.
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
            }
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::File => value.get("blob_id").is_some_and(Value::is_string),
            Self::Any => true,
        }
    }

    /// The most specific type that can be derived from a value alone.
    pub const fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Any,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether a value of type `actual` may be used where this type is expected.
    pub const fn accepts(self, actual: Self) -> bool {
        match (self, actual) {
            (Self::Any, _) | (_, Self::Any) => true,
            (Self::Number | Self::Integer, Self::Number | Self::Integer) => true,
            (Self::Object | Self::File, Self::Object | Self::File) => true,
            (wanted, actual) => wanted as u8 == actual as u8,
        }
    }

    /// Name of the type in a graph.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::File => "file",
            Self::Any => "any",
        }
    }
}
