//! `/api/live`: many streams and feeds over one connection.

mod client;
mod commands;
mod connections;
mod event_stream;
mod replay;
mod restart;
mod rights;
mod sources;
mod tabs;
