//! Notifications of users: lists of them, the channels that deliver them, and those that administrators send.

mod endpoints;
mod list;
mod preferences;
mod recipients;
mod send;

pub use endpoints::{delete_endpoint, register_endpoint};
pub use list::{ListPosition, ReadState, list, own};
pub use preferences::{NewPreferences, is_type, set_preferences};
pub use recipients::{MAX_RECIPIENTS, Recipients};
pub use send::{NewNotification, send};
