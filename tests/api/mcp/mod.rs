//! Logins at tool servers, and their tools.

mod hostile;
mod logins;
pub mod tools;
