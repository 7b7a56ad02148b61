//! The HTTP client for providers, common to all protocols and kinds of requests.
//!
//! A [`Host`] is one configured server; a [`Line`] is that server with the credentials of one caller. [`Line::ask`]
//! sends an [`Ask`] and resolves once the first byte of the [`Reply`] has arrived. Until then, requests to a busy,
//! failing or unreachable server are retried, with exponential backoff and jitter or after the pause that the server
//! requests. Errors returned from this module contain no keys.
//!
//! Each host has a [`circuit`] breaker: if the host cannot be reached or one of its models fails repeatedly, requests
//! are rejected immediately for a while.

mod answer;
mod ask;
pub(crate) mod circuit;
mod form;
mod host;
mod idle;
mod listed;
pub(crate) mod redact;
mod reply;
mod retry;
mod sse;
mod words;

pub(crate) use answer::{Answer, Dialect, Step};
pub(crate) use ask::Ask;
pub(crate) use form::Form;
pub(crate) use host::{Host, Line, is_loopback};
pub(crate) use listed::ModelListing;
pub(crate) use redact::Redactor;
pub(crate) use reply::Reply;
pub(crate) use sse::Event;
pub(crate) use words::{ErrorBody, retry_after};
