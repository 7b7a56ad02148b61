//! Everything that runs: each run is an actor with a mailbox, supervised, with a journal on disk.
//!
//! [`Actors`] is the door: start, attach, cancel. A run is one durable piece of work; its events
//! are in its journal, and a [`Cursor`] reads them, live or not. What one kind of run does is in
//! a folder of its own and knows nothing of mailboxes, restarts, the journal's files or HTTP.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// The stage of the integration tests names this crate by its name.
#[cfg(test)]
extern crate self as actors;

mod accept;
pub mod ask;
pub mod automation;
mod billed_model;
mod billing;
pub mod completion;
pub mod connections;
pub mod data;
pub mod delivery;
pub mod directory_sync;
mod event;
pub mod ingest;
mod journal;
pub mod library;
pub mod media;
pub mod memories;
pub mod offer;
mod over_budget;
mod run_context;
mod run_kinds;
pub mod skill_build;
pub mod skills;
mod start_error;
mod supervise;
pub mod tool_servers;
pub mod toolbox;
mod upstream_error;
pub mod video;
pub mod workflow;

pub use event::{EventBody, EventData, NodeRef, StreamEvent, Terminal, TerminalError, flow};
pub use journal::{
    Chunk, Cursor, EpochStore, Event, Fence, JournalLimits, Mark, MaySeeAll, PendingCommit, RunJournal,
    SealError, WIRES, WriteError, Writer,
};
pub use over_budget::{BudgetScope, OverBudget};
pub use run_context::{RunContext, RunWork};
pub use run_kinds::{RunKindsConfig, run_handlers};
pub use start_error::{GraphFault, StartError};
pub use supervise::{
    Actors, ActorsConfig, AskError, AttachError, Caller, CancelOutcome, Conclusion, LiveRun, Question, Reply,
    RunCommand, RunHandler, RunHandlers, RunInfo, RunLimits, RunOutcome, RunSummary, Runs, Work,
};
