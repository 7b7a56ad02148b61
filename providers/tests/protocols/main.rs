//! Tests over real sockets, in one program: each program would contain all libraries once more.

mod dialects;
mod fake;
mod mcp;
mod openai;
#[path = "../../../tests/harness/socket.rs"]
mod socket;
mod web;
