//! The placeholder for the default model when no model can answer.

use std::sync::Arc;

use async_trait::async_trait;

use super::model::Model;
use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError, ProviderErrorKind};

/// The model's name under its provider.
const NAME: &str = "unavailable";
/// The tag that distinguishes the placeholder from usable models.
pub const UNAVAILABLE: &str = "unavailable";

/// Refuses every request, with the reason why no model can answer.
struct Unavailable(ProviderError);

#[async_trait]
impl ChatModel for Unavailable {
    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ProviderError> {
        Err(self.0.clone())
    }
}

/// Returns the default model of a server whose providers have listed no models. Requests that name no model get an
/// error with the provider and its message instead of a response of the built-in model. The placeholder does not
/// appear in lists.
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
