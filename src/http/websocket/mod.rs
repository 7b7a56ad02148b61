//! WebSockets. A socket is the body of its response, so it is polled only while the client accepts data: a slow client
//! causes no buffering in memory, and its commands are not read before it has received the replies to earlier ones.

mod connection;
pub(crate) mod frames;
mod handshake;
mod incoming;
mod outgoing;

pub use actix_http::ws::CloseCode;
pub use connection::Session;
pub use handshake::open;
pub use outgoing::{Outgoing, Texts};
