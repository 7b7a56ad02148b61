//! The interface of chat models, independent of the provider.

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

/// A chat model with streamed responses.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Sends a request and resolves once the first byte of the response has arrived.
    ///
    /// Retries and the first-byte timeout happen here; once a stream is returned, the request is not sent again.
    /// Dropping the future or the stream closes the upstream connection immediately.
    ///
    /// # Errors
    /// Returns the reason why no response began, with the provider's message.
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError>;
}

/// The deltas of one response, in order. A complete response ends with [`ChatDelta::Usage`] and then
/// [`ChatDelta::Finish`]; a stream that ends with an error or without `Finish` is incomplete.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatDelta, ProviderError>> + Send>>;

/// One piece of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatDelta {
    /// More of the visible text.
    Text(String),
    /// More of the model's reasoning before the answer.
    Reasoning(String),
    /// The start of a tool call; sent once the name of the tool is known.
    ToolCallStart {
        /// The index of the call in this response, from 0 without gaps.
        index: u32,
        /// The id of the call; its result refers to it.
        call_id: String,
        /// Name of the tool, as the request named it.
        name: String,
    },
    /// More of a call's arguments, which are the text of a JSON object.
    ToolCallArguments {
        /// The index of the call.
        index: u32,
        /// The next piece of the text.
        delta: String,
    },
    /// A source on which the answer is based.
    Source {
        /// The URL of the source.
        url: Option<String>,
        /// The title of the cited page or document.
        title: Option<String>,
        /// The cited text.
        snippet: Option<String>,
    },
    /// A fallback answers instead of the requested model. Sent before all other deltas.
    Answering {
        /// Full id of the model that answers and is billed.
        model: String,
    },
    /// The log probabilities of the preceding tokens, in OpenAI's format: `{"content": [{"token", "logprob", "bytes",
    /// "top_logprobs"}], "refusal": null}`.
    Logprobs(Value),
    /// Other data of the provider in OpenAI's format, passed on unchanged.
    Other {
        /// Fields of the `delta`, for example `refusal` or `annotations`.
        delta: Map<String, Value>,
        /// Fields of the chunk, for example `system_fingerprint` or `service_tier`.
        chunk: Map<String, Value>,
    },
    /// The usage of the response; sent once, just before [`ChatDelta::Finish`].
    Usage(Usage),
    /// The end of the response; always the last delta.
    Finish(FinishReason),
}

impl ChatDelta {
    /// The text of a refusal, if the provider reports it separately from the answer. Clients without a field for
    /// refusals show it as text.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Other { delta, .. } => delta.get("refusal")?.as_str(),
            _ => None,
        }
    }
}

/// Why a model stopped, as reported by the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The response is complete.
    Stop,
    /// The response reached the token limit.
    Length,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The provider's content filter withheld the rest.
    ContentFilter,
    /// Another reason, under the provider's own name.
    Other(String),
}
