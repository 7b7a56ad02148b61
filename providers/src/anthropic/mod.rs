//! Anthropic's Messages interface.
//!
//! Requests are put into its words: the instructions stand on top, turns of the same role are one, results of
//! tools are blocks of the user's turn. What only the OpenAI interface knows is left out, since a field it does
//! not know is refused; content it has no form for is an error that names it.

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

/// The server; all its models are asked through it.
pub(crate) struct Anthropic {
    host: Arc<Host>,
}

/// A model of the Messages API.
pub(crate) struct Messages {
    host: Arc<Host>,
    /// Tokens an answer may have, if that is known.
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

/// The reader of this dialect's streams, for the fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    stream::Reader::new(0)
}
