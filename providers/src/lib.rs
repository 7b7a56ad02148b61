//! The outside world, each part of it behind one trait.
//!
//! This crate knows nothing of runs, storage or HTTP handlers. So far it holds the chat models:
//!
//! - [`ChatModel`] is the trait: a request in, a stream of [`ChatDelta`]s out. Dropping the stream
//!   closes the upstream connection at once, which is how a run is cancelled.
//! - [`Models`] is the registry, filled from [`ProvidersConfig`], from the servers' own lists and
//!   from the local servers found by probing.
//! - `builtin/scribe` answers without a key and without a network ([`scribe`]).
//! - Any OpenAI-compatible server is reached through [`openai`].
//!
//! And the way to other servers, which keeps away from what only this machine can reach ([`web`]).

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod chat;
pub mod config;
pub mod embed;
pub mod models;
pub mod openai;
pub mod scribe;
pub mod web;

pub use chat::{
    ChatDelta, ChatMessage, ChatModel, ChatRequest, ChatStream, Content, FinishReason, Prices, ProviderError,
    ProviderErrorKind, Role, ToolCall, ToolSpec, Usage,
};
pub use config::{ConfigError, ModelConfig, ProviderConfig, ProviderKind, ProvidersConfig, Secret, Timeouts};
pub use embed::{EmbedPurpose, EmbedRequest, Embedded, Embedder, EmbedderInfo, EmbeddingModel};
pub use models::{Model, ModelInfo, Models};
