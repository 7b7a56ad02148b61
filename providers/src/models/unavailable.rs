//! What stands in for a model where none can answer.

use std::sync::Arc;

use async_trait::async_trait;

use super::model::Model;
use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError, ProviderErrorKind};

/// The name of the model under its provider.
const NAME: &str = "unavailable";
/// The tag by which it is told from models that answer.
pub const UNAVAILABLE: &str = "unavailable";

/// Refuses every request, with the reason why no model can answer.
struct Unavailable(ProviderError);

#[async_trait]
impl ChatModel for Unavailable {
    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ProviderError> {
        Err(self.0.clone())
    }
}

/// The default model of a server whose providers have told no models: requests that name none get an error that names
/// the provider and what it said, and not an answer from the built-in model. It is in no list.
pub(super) fn instead<'a>(troubles: impl Iterator<Item = (&'a str, &'a ProviderError)>) -> Model {
    let troubles: Vec<_> = troubles.collect();
    let first = troubles.first();
    let reasons: Vec<String> =
        troubles.iter().map(|(provider, trouble)| format!("provider {provider}: {trouble}")).collect();
    let message = match reasons.is_empty() {
        true => "no model can answer: no configured provider has a chat model, and the built-in one is off \
                 (`models.scribe`)"
            .to_owned(),
        false => format!("no model can answer: {}", reasons.join("; ")),
    };
    let mut error = first.map_or_else(
        || ProviderError::new(ProviderErrorKind::Unavailable { retry_after: None }, ""),
        |(_, trouble)| (*trouble).clone(),
    );
    error.message = message;
    let provider = first.map_or("builtin", |(provider, _)| provider);
    let mut model = Model::new(provider, NAME, Arc::new(Unavailable(error)));
    model.info.info_tags.push(UNAVAILABLE.to_owned());
    model
}
