//! The area `utils`: splitting and extracting texts, improving prompts, and filtering documents by a query.
//! Requests are not stored; only the usage of models is recorded for billing.

pub(crate) mod arrange;
mod chunks;
mod file_text;
pub(crate) mod filter;
pub(crate) mod improve;
pub(crate) mod share;

use crate::http::operations;

/// The kind under which usage records list the model calls of this area.
const KIND: &str = "utils";

operations!(mod chunks, file_text, improve, filter);
