//! Logins at external services.

mod logins;
mod refusals;
pub mod scene;
mod used;
