//! Logins at tool servers.

mod hostile;
mod logins;
pub mod tools;
