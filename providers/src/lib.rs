//! Clients for external services, each behind a trait or a client type.
//!
//! This crate does not depend on runs, storage or HTTP handlers. Its main part is chat models:
//!
//! - [`ChatModel`] is the trait: a request in, a stream of [`ChatDelta`]s out. Dropping the stream
//!   closes the upstream connection immediately, which is how a run is cancelled.
//! - [`Models`] is the registry, filled from [`ProvidersConfig`], from the model lists of the servers and from local
//!   servers found by probing.
//! - `builtin/scribe` answers without a key and without a network ([`scribe`]).
//! - All other models are reached over the network through one client (`upstream`), in the protocols of OpenAI
//!   (`openai`), Anthropic (`anthropic`) and Gemini (`gemini`).
//!
//! The crate also contains models for speech, transcription, images and video ([`media`]), directories of users and
//! groups ([`directory`]), and the web client for arbitrary servers, which blocks addresses on the internal network
//! ([`web`]).

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
