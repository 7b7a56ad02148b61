//! Runs that work in the background, and what starts them: documents on their way into an index, video jobs, skills
//! that a model drafts, automations, group synchronisation, and the delivery of notifications.
//!
//! Each folder is one kind of run (`delivery` has no runs) and knows nothing of the others, but that all read the time
//! by the clock of [`automation`]. It depends on `assist` and `runs`; automations start workflows by a
//! [`WorkflowStarter`](assist::completion::WorkflowStarter).

#![forbid(unsafe_code)]

pub mod automation;
pub mod delivery;
pub mod directory_sync;
pub mod ingest;
mod restarts;
pub mod skill_build;
pub mod video;
