//! Chat: answers without a stored conversation, the OpenAI-compatible API, and the models.

mod answer;
mod chat_run;
mod completion;
pub mod default_model;
mod embeddings;
mod export;
mod functions;
pub(crate) mod messages;
mod models;
mod partner;
mod responses;
mod streams;
pub(crate) mod view;

pub use view::ModelPrices;

use crate::http::operations;

operations!(mod
    completion, partner, responses, embeddings, super::audio::partner, streams, models, default_model, functions, export
);
