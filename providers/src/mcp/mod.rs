//! Client for tool servers: programs that offer tools to models over the Model Context Protocol.
//!
//! An [`McpSession`] is a connection to one server for one user over streamable HTTP. The older HTTP+SSE transport
//! with two endpoints is not supported. `rmcp` implements the protocol's messages and sessions. All traffic goes
//! through the guarded client ([`crate::web`]), and this module limits what a server may send and how long it may
//! take, since servers are not trusted. Tokens come from a [`Bearer`] and are never shown.

mod answer;
mod bearer;
mod error;
mod events;
mod session;
mod session_client;
mod tool;
mod wire;

pub use bearer::{Anonymous, Bearer, BearerError, Token};
pub use error::{McpError, McpErrorKind};
pub use session::{McpLimits, McpSession};
pub use session_client::Progress;
pub use tool::{ServerTool, ServerTools, SkippedTool};
