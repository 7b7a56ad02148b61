//! Knowledge bases: documents that assistants answer from.

pub mod access;
mod attach;
mod unreadable;

pub use attach::{attach, detach, readable, require_attached};
pub use unreadable::{Audience, UnreadableBase, unreadable_bases};
