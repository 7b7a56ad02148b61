//! Client for servers that implement the OpenAI Chat Completions API.
//!
//! Responses are requested as a stream; a server that sends a single JSON object instead is supported. Until the
//! first byte of a response, requests to a busy, failing or unreachable server are retried, with exponential backoff
//! and jitter or after the pause that the server requests. After the first byte the response either completes or
//! fails, and the request is never sent again.

mod assemble;
mod delta;
mod embed;
mod encode;
mod image;
mod list;
mod repeated;
mod speech;
mod stream;
mod transcription;
mod video;
mod whole;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError, ProviderErrorKind};
use crate::upstream::{Answer, Ask, Host, Line, Reply};
use assemble::Assembler;
pub(crate) use embed::OpenAiEmbedder;
pub(crate) use image::image;
pub(crate) use list::list;
pub(crate) use speech::speech;
pub(crate) use transcription::transcription;
pub(crate) use video::video;

/// One server, used for all of its models.
pub(crate) struct OpenAi {
    host: Arc<Host>,
    /// Whether the server rejects `stream_options`, so that no usage is requested.
    uncounted: AtomicBool,
}

impl OpenAi {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, uncounted: AtomicBool::new(false) }
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Sends the request; if the server rejects `stream_options`, sends it again without them.
    async fn begin(&self, line: &Line, request: &ChatRequest) -> Result<Reply, ProviderError> {
        let strict = self.host.is_openai();
        let ask = |count| {
            let body = encode::body(request, count, strict);
            Ask::json(line.url("chat/completions"), &request.model, body)
        };
        let count = !self.uncounted.load(Ordering::Relaxed);
        let reply = line.ask(ask(count)).await;
        match reply {
            Err(error) if count && cannot_count(&error) => {
                self.uncounted.store(true, Ordering::Relaxed);
                line.ask(ask(false)).await
            }
            reply => reply,
        }
    }
}

/// Whether a server rejected a request only because it asked for the usage.
fn cannot_count(error: &ProviderError) -> bool {
    let names = ["stream_options", "include_usage"];
    error.kind == ProviderErrorKind::Refused && names.iter().any(|key| error.message.contains(key))
}

#[async_trait]
impl ChatModel for OpenAi {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let line = self.host.line(&request.keys)?;
        let assembler = Assembler::new(request.input_chars());
        let reply = self.begin(&line, &request).await?;
        drop(request);
        if whole::is_json(&reply.first, reply.kind.contains("json")) {
            let deltas = whole::read(reply, assembler).await.map_err(|error| line.cleaned(error))?;
            return Ok(Box::pin(futures::stream::iter(deltas.into_iter().map(Ok))));
        }
        Ok(Box::pin(Answer::new(reply, assembler)))
    }
}

/// Returns the decoder for this protocol's streams, for fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    Assembler::new(0)
}
