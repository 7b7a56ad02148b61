//! Fallbacks for models that cannot answer.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream;

use super::model::{FindModel, Model};
use crate::chat::{
    ChatDelta, ChatModel, ChatRequest, ChatStream, Content, Prices, ProviderError, ProviderErrorKind,
};

/// A model with fallbacks, which are tried in this order.
///
/// The next fallback is tried if a model fails to *begin*: it fails with a retryable error before the first piece of
/// its response. From then on the response is that model's, complete or broken. The fallbacks of a fallback are not
/// tried, so each model is tried at most once.
pub(super) struct Chain {
    /// Full id of the model that is tried first.
    id: String,
    first: Arc<dyn ChatModel>,
    /// Full ids of the models to try next.
    fallbacks: Vec<String>,
    models: Weak<dyn FindModel>,
}

impl Chain {
    pub(super) fn new(
        id: String,
        first: Arc<dyn ChatModel>,
        fallbacks: Vec<String>,
        models: Weak<dyn FindModel>,
    ) -> Self {
        Self { id, first, fallbacks, models }
    }

    /// Sends the request to one of the fallbacks.
    async fn instead(&self, id: &str, request: &ChatRequest) -> Result<ChatStream, ProviderError> {
        let found = self.models.upgrade().and_then(|models| models.find(id));
        let Some(model) = found else {
            return Err(ProviderError::refused("the model is not available"));
        };
        if contains_images(request) && cannot_see(&model) {
            return Err(ProviderError::refused("it does not support images"));
        }
        let stream = begin(model.direct(), without_foreign_reasoning(request, &model)).await?;
        let prices = model.info.prices;
        let answering = ChatDelta::Answering { model: model.info.id.clone() };
        let priced = stream.map(move |delta| delta.map(|delta| paid_at(&prices, delta)));
        Ok(Box::pin(stream::once(async { Ok(answering) }).chain(priced)))
    }
}

#[async_trait]
impl ChatModel for Chain {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let error = match begin(&self.first, request.clone()).await {
            Ok(stream) => return Ok(stream),
            Err(error) if !error.retryable() => return Err(error),
            Err(error) => error,
        };
        let (kind, code) = (error.kind.clone(), error.code.clone());
        let mut tried = format!("{}: {}", self.id, error.message);
        // Fallbacks that the caller may not use are skipped and not named in the error.
        for id in self.fallbacks.iter().filter(|id| !request.keys.bars(id)) {
            tracing::info!(model = self.id, fallback = id, tried, "trying a fallback model");
            match self.instead(id, &request).await {
                Ok(stream) => return Ok(stream),
                Err(error) => tried = format!("{tried}; {id}: {}", error.message),
            }
        }
        Err(ProviderError::new(kind, tried).with_code(code))
    }
}

/// Sends the request and waits for the first piece of the response: a provider may fail after it has answered with
/// status 200.
async fn begin(model: &Arc<dyn ChatModel>, request: ChatRequest) -> Result<ChatStream, ProviderError> {
    let mut stream = model.stream(request).await?;
    match stream.next().await {
        Some(Ok(first)) => Ok(Box::pin(stream::once(async { Ok(first) }).chain(stream))),
        Some(Err(error)) => Err(error),
        None => Err(ProviderError::new(ProviderErrorKind::Protocol, "the response ended before it began")),
    }
}

/// Prepares the request for another model. Removes data that the first model's provider added to earlier turns for
/// itself (signed reasoning), since another provider would reject it.
fn without_foreign_reasoning(request: &ChatRequest, model: &Model) -> ChatRequest {
    let mut request = ChatRequest { model: model.upstream_id.clone(), ..request.clone() };
    for message in &mut request.messages {
        message.extra.remove(crate::thoughts::KEY);
    }
    request
}

fn paid_at(prices: &Prices, delta: ChatDelta) -> ChatDelta {
    match delta {
        ChatDelta::Usage(mut usage) => {
            usage.cost_nanos = Some(prices.cost_nanos(&usage));
            ChatDelta::Usage(usage)
        }
        delta => delta,
    }
}

fn contains_images(request: &ChatRequest) -> bool {
    let picture = |part: &Content| matches!(part, Content::Image { .. } | Content::ImageUrl { .. });
    request.messages.iter().flat_map(|message| &message.content).any(picture)
}

/// Whether the model has capability tags besides `chat` and `vision` is not among them.
fn cannot_see(model: &Model) -> bool {
    let tags = &model.info.capability_tags;
    tags.len() > 1 && !tags.iter().any(|tag| tag == "vision")
}
