//! Background runs and the code that starts them: ingest of documents, video jobs, skills drafted by a model, automations,
//! synchronisation of groups, and delivery of notifications.
//!
//! Each folder contains one run kind (`delivery` has no runs) and does not depend on the others, except that all of them use the
//! clock of [`automation`]. The crate depends on `assist` and `runs`. Automations start workflows through a
//! [`WorkflowStarter`](assist::completion::WorkflowStarter).

#![forbid(unsafe_code)]

pub mod automation;
pub mod delivery;
pub mod directory_sync;
pub mod ingest;
mod restarts;
pub mod skill_build;
pub mod video;
