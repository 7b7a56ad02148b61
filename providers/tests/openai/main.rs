//! The client of OpenAI-compatible servers and the registry, over real sockets.

mod cancel;
mod embed;
mod failures;
mod fake;
mod models;
mod retries;
mod secrets;
mod streaming;
