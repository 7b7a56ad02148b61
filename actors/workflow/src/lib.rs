//! Workflows: graphs of nodes that are executed step by step and can be watched, halted, resumed and debugged.
//!
//! [`Workflow`] is the run kind. It depends on `assist` for what nodes use (models, tools, documents), on `expr` for the
//! expressions in graphs, and on `runs`.

#![forbid(unsafe_code)]

mod close;
pub mod code_box;
mod current_run;
pub mod debug;
mod disclosure;
mod engine;
mod files;
pub mod graph;
mod handler;
mod inputs;
pub mod nodes;
mod notices;
mod request;
mod resume;
mod start;
mod starter;
mod stored_value;
mod wait_for_end;
mod waits;
mod workflow;

pub use current_run::current_run;
pub use disclosure::sees_all_details;
pub use inputs::input_faults;
pub use request::{
    ConversationTarget, Debug, Fork, Order, PlayMode, Resume, ResumeRefused, Resumed, Started, StoredRequest,
    WorkflowStart,
};
pub use resume::resume;
pub use start::start;
pub use starter::Starter;
pub use wait_for_end::{RunProgress, answer_text, wait_for_end};
pub use waits::WorkflowWait;
pub use workflow::Workflow;
