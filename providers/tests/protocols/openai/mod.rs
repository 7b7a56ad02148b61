//! Tests of the client for OpenAI-compatible servers and of the registry, over real sockets.

mod cancel;
mod embed;
mod failures;
mod models;
mod retries;
mod secrets;
mod streaming;
