//! Durable runs: each run is a supervised actor with a mailbox and a journal on disk.
//!
//! [`Actors`] starts and supervises runs, [`Runs`] attaches to, queries and cancels them. A run is one durable piece of
//! work. Its [`event`]s are in its journal, and a [`Cursor`] reads them, live or not. A [`RunHandler`], registered at
//! start-up, implements a run kind: this crate knows no run kind, no model and no HTTP. It depends only on `domain`,
//! `storage` and `telemetry`.

#![forbid(unsafe_code)]

pub mod event;
mod idempotency;
mod journal;
mod over_budget;
mod start_error;
mod supervise;

pub use event::{EventBody, EventData, NodeRef, RawDelta, StreamEvent, Terminal, TerminalError};
pub use idempotency::RequestKey;
pub use journal::{
    Chunk, Cursor, EpochStore, Event, Fence, FullAccessCheck, InMemory, JournalLimits, Mark, NOT_UNDONE,
    PendingCommit, RunJournal, SealError, WriteError, Writer,
};
pub use over_budget::{BudgetScope, OverBudget};
pub use start_error::{GraphFault, StartError, located};
pub use supervise::{
    Actors, ActorsConfig, AskError, AttachError, Caller, CancelOutcome, LiveRun, Placement, Question,
    QueuePlace, QueueReason, QueueState, RecoveryLimits, Reply, RunCommand, RunHandler, RunHandlers, RunInfo,
    RunLimits, RunOutcome, RunSummary, Runs, StartValue, Wake, Work, WorkEnd,
};
