//! Any server that speaks the OpenAI chat-completions interface.
//!
//! Answers are asked for as a stream; a server that sends one JSON object all the same is
//! accepted. Until the first byte of an answer a busy, broken or unreachable server is asked
//! again, with growing, jittered pauses or the pause it asks for; from then on an answer is
//! complete or an error, never asked twice.

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

/// One server; all its models are asked through it.
pub(crate) struct OpenAi {
    host: Arc<Host>,
    /// The server does not know `stream_options` and must not be asked for the usage.
    uncounted: AtomicBool,
}

impl OpenAi {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        Self { host, uncounted: AtomicBool::new(false) }
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Asks until there is an answer or no hope of one.
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

/// Whether a server refused only because it was asked for the usage.
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

/// The reader of this dialect's streams, for the fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn dialect() -> impl crate::upstream::Dialect {
    Assembler::new(0)
}
