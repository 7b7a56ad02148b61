//! The area `utils`: passages of a text, the text of a file, better prompts, and documents that fit a
//! query. Nothing of what is sent is kept, but for the bill of what models took.

mod arrange;
mod chunks;
mod file_text;
mod filter;
mod improve;
mod share;

use crate::http::operations;

/// What bills call the calls of models made here.
const KIND: &str = "utils";

operations!(mod chunks, file_text, improve, filter);
