//! The one way out to a provider, whatever it speaks and whatever it is asked for.
//!
//! A [`Host`] is one server of the configuration; a [`Line`] is that server as one caller reaches it, with
//! their own key if they have one. [`Line::ask`] sends an [`Ask`] and resolves once the first byte of the
//! [`Reply`] is there; until then a busy, broken or unreachable server is asked again, with growing, jittered
//! pauses or the pause it asks for. What leaves here as an error has no key in it.
//!
//! Each host has a [`circuit`]: when it cannot be reached, or one of its models fails repeatedly, requests
//! are rejected at once for a while.

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
