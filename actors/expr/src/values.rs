//! The values of a template, and how it refers to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// The values that a template may refer to, by the first part of their name.
pub type Values = BTreeMap<String, Arc<Value>>;

/// A value that a template refers to: `write.text` is `["write", "text"]`.
pub type Reference = Vec<String>;
