//! The notation in graphs of those parts of configurations that are read into types of another shape, for the schema.
#![expect(dead_code, reason = "describes what graphs contain")]

use runs::event::ValueType;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// An operation on a list. Its templates can read `item` and `index`.
#[derive(Serialize, ToSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
#[schema(as = WorkflowListStep)]
pub enum ListStepSpec {
    /// Retains the items for which `where` is true.
    #[schema(title = "WorkflowListFilter")]
    Filter {
        #[serde(rename = "where")]
        #[schema(value_type = Value)]
        condition: Value,
    },
    /// Sorts the items.
    Sort {
        /// The sort key.
        #[schema(value_type = Value)]
        by: Value,
        /// Whether the greatest value comes first.
        descending: Option<bool>,
    },
    /// Retains at most `count` items from `start` on.
    Slice {
        /// The index of the first item to retain. A negative one counts from the end.
        start: Option<i64>,
        count: Option<u64>,
    },
    /// Replaces each item.
    Map {
        /// The new value of the item.
        #[schema(value_type = Value)]
        to: Value,
    },
    /// Removes items for which `by` has the same value as for an earlier item.
    Unique {
        #[schema(value_type = Value)]
        by: Value,
    },
}

/// The number of branches that a join waits for: `all` that are not skipped, `any`, the first, or `n`.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = WorkflowJoinMode)]
pub enum JoinModeSpec {
    Word(JoinWordSpec),
    Count { n: u32 },
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowJoinWord)]
pub enum JoinWordSpec {
    All,
    Any,
}

/// What happens to branches that are no longer needed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowJoinOthers)]
pub enum JoinOthersSpec {
    Cancel,
    Keep,
}

/// A field of a form.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkflowFormField)]
pub struct FormFieldSpec {
    /// The name of the field in the outputs.
    #[schema(min_length = 1)]
    name: String,
    /// The label for people. Defaults to the name.
    label: Option<String>,
    /// The type of the value. Defaults to `any`.
    #[serde(rename = "type")]
    kind: Option<ValueType>,
    /// Whether the form cannot be submitted without a value.
    required: Option<bool>,
    /// The permitted values. Any value is permitted if there are none.
    #[schema(value_type = Option<Vec<Value>>)]
    options: Option<Vec<Value>>,
    /// The initial value.
    #[schema(value_type = Option<Value>)]
    default: Option<Value>,
}

/// A button of a form. It is also a port.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkflowFormAction)]
pub struct FormActionSpec {
    #[schema(min_length = 1)]
    name: String,
    /// The label for people. Defaults to the name.
    label: Option<String>,
}
