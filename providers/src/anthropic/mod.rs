//! Client for Anthropic's Messages API.
//!
//! Requests are converted: the system prompt is a separate field, adjacent turns of the same role are merged, and
//! tool results are blocks of a user turn. Fields that only the OpenAI API supports are omitted, since unknown fields
//! are rejected; content that cannot be expressed is an error that names it.

mod blocks;
mod encode;
mod list;
mod schema;
mod stream;
mod thinking;
mod version;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;

use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError};
use crate::upstream::{Answer, Ask, Host};
pub(crate) use list::list;
use stream::Reader;

/// The server, used for all of its models.
pub(crate) struct Anthropic {
    host: Arc<Host>,
}

/// A model of the Messages API.
pub(crate) struct Messages {
    host: Arc<Host>,
    /// Maximum number of tokens of a response, if known.
    max_output_tokens: Option<u64>,
}

impl Anthropic {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host }
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    pub(crate) fn model(&self, max_output_tokens: Option<u64>) -> Messages {
        Messages { host: Arc::clone(&self.host), max_output_tokens }
    }
}

#[async_trait]
impl ChatModel for Messages {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let body = encode::body(&request, self.max_output_tokens).map_err(|error| line.cleaned(error))?;
        let reader = Reader::new(request.input_chars());
        let reply = line.ask(Ask::json(line.url("messages"), &request.model, body)).await?;
        Ok(Box::pin(Answer::new(reply, reader)))
    }
}

/// Returns the decoder for this protocol's streams, for fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    stream::Reader::new(0)
}
