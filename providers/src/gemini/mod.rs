//! Client for Google's Gemini API (`generateContent`), with streaming.
//!
//! The API's tool calls may have no ids, so ids are generated, and results are matched to their calls by id. Signed
//! reasoning is passed to the client and sent back, as described in [`crate::thoughts`].

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

/// The server, used for all of its models.
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

/// Returns the path of a method of a model. Names of tuned models already contain the collection.
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

/// Returns the decoder for this protocol's streams, for fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    stream::Reader::new(0)
}
