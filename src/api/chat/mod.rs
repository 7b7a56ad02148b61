//! Chat: answers without a stored conversation, the OpenAI-compatible interface, and the models.

mod answer;
mod asked;
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
mod view;

pub use view::ModelPrices;

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    completion::operations(area);
    partner::operations(area);
    responses::operations(area);
    embeddings::operations(area);
    super::audio::partner_operations(area);
    streams::operations(area);
    models::operations(area);
    default_model::operations(area);
    functions::operations(area);
    export::operations(area);
}
