//! What assistants do and use: completions, tools, skills, documents, memories, media, logins at other services.
//!
//! The run of a completion is here, with what every kind of run needs that works with models: which models a user may
//! use and what they may spend ([`offer`]), what is billed ([`billing`]), and what the work may use ([`RunContext`]).
//! Above it are `workflow` and `jobs`; a completion starts a workflow by a
//! [`WorkflowStarter`](completion::WorkflowStarter). It depends on `runs`, and on `knowledge`, `providers` and `sandbox`.

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
pub mod offer;
mod run_context;
pub mod skills;
pub mod tool_servers;
pub mod toolbox;
mod upstream_error;

pub use billed_model::BilledModel;
pub use run_context::{RunContext, RunWork};
pub use upstream_error::upstream_error;
