//! The outside world, each part of it behind one trait.
//!
//! This crate knows nothing of runs, storage or HTTP handlers. Chat models come first:
//!
//! - [`ChatModel`] is the trait: a request in, a stream of [`ChatDelta`]s out. Dropping the stream
//!   closes the upstream connection at once, which is how a run is cancelled.
//! - [`Models`] is the registry, filled from [`ProvidersConfig`], from the servers' own lists and
//!   from the local servers found by probing.
//! - `builtin/scribe` answers without a key and without a network ([`scribe`]).
//! - Others are reached over the network in what they speak: the OpenAI interface (`openai`), Anthropic's
//!   (`anthropic`), Gemini's (`gemini`); all of them by one way out (`upstream`).
//!
//! Beside them models that speak, listen, draw and film ([`media`]), directories of people and groups
//! ([`directory`]), and the way to other servers, which keeps away from what only this machine can reach ([`web`]).

#![forbid(unsafe_code)]

mod anthropic;
pub mod chat;
#[cfg(feature = "builtin-media")]
pub mod clip;
mod collected;
pub mod config;
pub mod directory;
#[cfg(feature = "builtin-media")]
pub mod ear;
pub mod embed;
#[cfg(fuzzing)]
pub mod fuzzing;
mod gemini;
pub mod mail;
pub mod mcp;
pub mod media;
pub mod models;
pub mod oauth;
mod openai;
pub mod push;
pub mod scribe;
mod secret;
#[cfg(feature = "builtin-media")]
pub mod sketch;
mod thoughts;
mod upstream;
#[cfg(feature = "builtin-media")]
pub mod voice;
pub mod web;

pub use chat::{
    ChatDelta, ChatMessage, ChatModel, ChatRequest, ChatStream, Content, FinishReason, Keys, Prices,
    ProviderError, ProviderErrorKind, Role, ToolCall, ToolSpec, Usage,
};
pub use config::{
    CircuitConfig, ConfigError, ModelConfig, ProviderConfig, ProviderKind, ProvidersConfig, ScribeUse,
    Secret, Timeouts,
};
pub use embed::{EmbedPurpose, EmbedRequest, Embedded, Embedder, EmbedderInfo, EmbeddingModel};
pub use media::{Media, MediaHandle, MediaInfo, MediaKind};
pub use models::{
    Model, ModelInfo, ModelPrice, Models, PriceFault, PriceFormat, PriceImport, PriceOrigin, PriceTable,
    PricedModel, Reloaded, UNAVAILABLE, omission, read_prices,
};
pub use thoughts::KEY as THOUGHTS;
pub use upstream::circuit::{HealthState, ProviderHealth};
