//! Logins at tool servers.

mod logins;
pub mod tools;
