//! `/api/live`: all live data of a client over one connection, because browsers open at most six HTTP/1.1 connections to
//! a host.
//!
//! A subscription names the path of an operation that streams. The server sends that request to itself with the rights of
//! the client (`http::dispatch`), and passes on the events of the response. Access checks, resumption and pace are
//! therefore those of the operation, and no stream needs code of its own here.

mod commands;
mod connect;
pub(crate) mod event_reader;
mod event_stream;
mod messages;
pub(crate) mod positions;
mod query;
pub(crate) mod requests;
mod routes;
mod session;
pub(crate) mod source;
pub(crate) mod subscription;
pub(crate) mod subscriptions;

pub(crate) use routes::operations;
