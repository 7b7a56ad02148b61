//! Unit tests of the crate of the server. The path of a test is that of what it tests, below `src`.

mod api;
mod catalog;
mod cli;
mod config;
mod http;
mod liveness;
