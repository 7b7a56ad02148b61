//! Entry points for fuzz targets. They parse responses of other servers without a network.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};

use crate::Keys;
use crate::chat::ChatDelta;
use crate::upstream::{Answer, Dialect, Host, Reply};

/// A provider's interface, by the format of its streams.
#[derive(Clone, Copy, Debug)]
pub enum StreamFormat {
    /// Chat completion chunks.
    OpenAi,
    /// Events of the Messages API.
    Anthropic,
    /// `streamGenerateContent`.
    Gemini,
}

/// Parses the body of a streamed model response that arrives in these pieces. Returns the deltas and, if parsing
/// failed, the error message.
///
/// # Panics
/// Panics if there is no Tokio runtime with a timer.
pub async fn model_stream(format: StreamFormat, pieces: Vec<Bytes>) -> (Vec<ChatDelta>, Option<String>) {
    match format {
        StreamFormat::OpenAi => deltas(pieces, crate::openai::dialect()).await,
        StreamFormat::Anthropic => deltas(pieces, crate::anthropic::dialect()).await,
        StreamFormat::Gemini => deltas(pieces, crate::gemini::dialect()).await,
    }
}

async fn deltas(pieces: Vec<Bytes>, dialect: impl Dialect) -> (Vec<ChatDelta>, Option<String>) {
    let line = Arc::new(Host::local("fuzzed", 1)).line(&Keys::default()).expect("a local host needs no key");
    let body = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let reply = Reply { line, status: 200, kind: "text/event-stream".to_owned(), first: Bytes::new(), body };
    let mut answer = Answer::new(reply, dialect);
    let mut deltas = Vec::new();
    while let Some(delta) = answer.next().await {
        match delta {
            // A generated tool call id differs on each run, so it is removed.
            Ok(ChatDelta::ToolCallStart { index, call_id, name }) if is_made_here(&call_id) => {
                deltas.push(ChatDelta::ToolCallStart { index, call_id: String::new(), name });
            }
            Ok(delta) => deltas.push(delta),
            Err(error) => return (deltas, Some(error.message)),
        }
    }
    (deltas, None)
}

fn is_made_here(call_id: &str) -> bool {
    call_id.strip_prefix("call_").is_some_and(|id| uuid::Uuid::try_parse(id).is_ok())
}
