//! What every chat model takes and gives, whichever provider serves it.

mod base64_bytes;
mod error;
mod inline;
mod keys;
mod request;
mod usage;

use std::pin::Pin;

use async_trait::async_trait;
use futures::Stream;
use serde_json::{Map, Value};

pub(crate) use error::is_code;
pub use error::{ProviderError, ProviderErrorKind};
pub(crate) use inline::data_url;
pub use keys::Keys;
pub use request::{ChatMessage, ChatRequest, Content, Role, ToolCall, ToolSpec};
pub use usage::{Prices, Usage};

/// A model that answers a conversation, streaming.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Starts an answer and resolves once its first byte is there.
    ///
    /// Retries and the time-out for the first byte happen in here; once a stream is returned,
    /// nothing is asked twice. Dropping the future or the stream closes the upstream connection
    /// at once.
    ///
    /// # Errors
    /// Whatever kept the answer from beginning, in the provider's words.
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError>;
}

/// The pieces of one answer, in order. A complete answer ends with [`ChatDelta::Usage`] and then
/// [`ChatDelta::Finish`]; a stream that ends with an error, or without `Finish`, was cut short.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatDelta, ProviderError>> + Send>>;

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatDelta {
    /// More of the text that is shown.
    Text(String),
    /// More of what the model thinks before it answers.
    Reasoning(String),
    /// The model begins to call a tool.
    ToolCallStart {
        /// Counts the calls of this answer from 0, without gaps.
        index: u32,
        /// Names the call; the result is sent back under it.
        call_id: String,
        /// Name of the tool, as the request named it.
        name: String,
    },
    /// More of a call's arguments, which are the text of a JSON object.
    ToolCallArguments {
        /// The call they belong to.
        index: u32,
        /// The next piece of the text.
        delta: String,
    },
    /// Something the answer rests on.
    Source {
        /// Where it is on the web.
        url: Option<String>,
        /// The title of the cited page or document.
        title: Option<String>,
        /// The words the answer rests on.
        snippet: Option<String>,
    },
    /// Another model answers than was asked, as that one could not: its full id. Comes before all else.
    Answering {
        /// Full id of the model that answers and is to be paid.
        model: String,
    },
    /// How likely the tokens just told were, as the OpenAI interface has it:
    /// `{"content": [{"token", "logprob", "bytes", "top_logprobs"}], "refusal": null}`.
    Logprobs(Value),
    /// What else the provider tells in the OpenAI interface, under its own names: handed on as it is.
    Other {
        /// Fields of the `delta`, for example `refusal` or `annotations`.
        delta: Map<String, Value>,
        /// Fields of the chunk, for example `system_fingerprint` or `service_tier`.
        chunk: Map<String, Value>,
    },
    /// What the answer took; once, just before [`ChatDelta::Finish`].
    Usage(Usage),
    /// The end of the answer; always the last piece.
    Finish(FinishReason),
}

impl ChatDelta {
    /// The words of a model that will not answer, where its provider tells them apart from its text. Who has no
    /// place of their own for them shows them as text.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Other { delta, .. } => delta.get("refusal")?.as_str(),
            _ => None,
        }
    }
}

/// Why a model stopped, as far as the provider reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// It reached the limit of its output.
    Length,
    /// It waits for the results of the tools it called.
    ToolCalls,
    /// The provider withheld the rest.
    ContentFilter,
    /// A reason of the provider's own.
    Other(String),
}
