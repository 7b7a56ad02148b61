//! `/api/live`: all live data of a client over one connection, because browsers open at most six HTTP/1.1 connections to
//! a host.
//!
//! A subscription names the path of an operation that streams. The server sends that request to itself with the rights of
//! the client (`http::dispatch`), and passes on the events of the response. Access checks, resumption and pace are
//! therefore those of the operation, and no stream needs code of its own here.

mod commands;
mod connect;
mod event_reader;
mod event_stream;
mod messages;
mod positions;
#[cfg(test)]
mod pulled;
mod query;
mod requests;
mod routes;
mod session;
mod source;
mod subscription;
mod subscriptions;

pub(crate) use routes::operations;
