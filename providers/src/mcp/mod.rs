//! Tool servers: programs that offer tools to models by the Model Context Protocol.
//!
//! An [`McpSession`] is a connection to one server for one user, by streamable HTTP (the older transport of two
//! addresses is not spoken). The protocol's messages and sessions are `rmcp`'s; every byte goes through the guarded
//! client ([`crate::web`]), and what a server may send, say and take is limited here, as if an enemy had sent it.
//! Tokens come from a [`Bearer`] and are never shown.

mod answer;
mod bearer;
mod ears;
mod error;
mod events;
mod session;
mod tool;
mod wire;

pub use bearer::{Anonymous, Bearer, BearerError, Token};
pub use ears::Progress;
pub use error::{McpError, McpErrorKind};
pub use session::{McpLimits, McpSession};
pub use tool::{ServerTool, ServerTools, SkippedTool};
