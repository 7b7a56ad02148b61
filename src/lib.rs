//! Understudy: a self-hosted platform for AI assistants whose conversations survive everything.
//!
//! This crate is the application: settings, command line and HTTP. Runs are executed by the crates below `actors/`,
//! data is stored by `storage`, and external services are accessed through `providers`.

#![forbid(unsafe_code)]

mod api;
mod app;
mod catalog;
pub mod cli;
pub mod config;
mod control_socket;
#[cfg(fuzzing)]
pub mod fuzzing;
mod health;
pub mod http;
mod invitation_mailer;
mod liveness;
mod located;
mod metrics;
pub mod parts;
mod prices;
mod reload;
mod run_kinds;
mod server;
mod service_manager;
mod signals;
mod state;
mod tls;

pub use app::INDEX;
pub use config::Config;
pub use domain::accounts::first_start::FirstStart;
pub use reload::Environment;
pub use run_kinds::RunKindsConfig;
pub use server::{Server, StartError};
pub use signals::Signals;
pub use state::App;

#[doc(hidden)]
pub use pastey as __pastey;
