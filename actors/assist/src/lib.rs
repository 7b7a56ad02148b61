//! The capabilities of assistants: completions, tools, skills, documents, memories, media, and logins at other services.
//!
//! This crate contains the completion run, and everything that run kinds with model calls share: the models that a user
//! may use and the budget for them ([`offer`]), billing ([`billing`]), and the run context ([`RunContext`]). The crates
//! `workflow` and `jobs` depend on it; a completion starts a workflow through a
//! [`WorkflowStarter`](completion::WorkflowStarter). It depends on `runs`, `knowledge`, `providers` and `sandbox`.

#![forbid(unsafe_code)]

pub mod accept;
pub mod ask;
mod billed_model;
pub mod billing;
pub mod completion;
pub mod connections;
pub mod data;
pub mod library;
pub mod media;
pub mod memories;
pub mod message_search;
pub mod offer;
mod run_context;
pub mod skills;
pub mod tool_servers;
pub mod toolbox;
mod upstream_error;

pub use billed_model::BilledModel;
pub use run_context::{RunContext, RunWork};
pub use upstream_error::upstream_error;
