//! Google's Gemini interface: `generateContent`, streaming.
//!
//! Its calls of tools have no names of their own, so they are given some, and the results find their call by
//! it. What it signs of a model's thoughts is told and given back, as in [`crate::thoughts`].

mod embed;
mod encode;
mod list;
mod parts;
mod schema;
mod stream;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;

use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError};
use crate::upstream::{Answer, Ask, Host};
pub(crate) use embed::GeminiEmbedder;
pub(crate) use list::list;
use stream::Reader;

/// The server; all its models are asked through it.
pub(crate) struct Gemini {
    host: Arc<Host>,
}

impl Gemini {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host }
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }
}

/// The path of what is asked of a model. Those that were tuned have their own kind in their name already.
fn path(model: &str, what: &str) -> String {
    let kind = if model.contains('/') { "" } else { "models/" };
    format!("{kind}{model}:{what}")
}

#[async_trait]
impl ChatModel for Gemini {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let body = encode::body(&request).map_err(|error| line.cleaned(error))?;
        let mut url = line.url(&path(&request.model, "streamGenerateContent"));
        url.query_pairs_mut().append_pair("alt", "sse");
        let reader = Reader::new(request.input_chars());
        let reply = line.ask(Ask::json(url, &request.model, body)).await?;
        Ok(Box::pin(Answer::new(reply, reader)))
    }
}

/// The reader of this dialect's streams, for the fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    stream::Reader::new(0)
}
