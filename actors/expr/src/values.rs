//! The values of a template, and references to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// The values that a template may refer to, by the first part of their name.
pub type Values = BTreeMap<String, Arc<Value>>;

/// A reference to a value: `write.text` is `["write", "text"]`.
pub type Reference = Vec<String>;
