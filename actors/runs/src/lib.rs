//! Durable runs: each is an actor with a mailbox, supervised, with a journal on disk.
//!
//! [`Actors`] starts and supervises them, [`Runs`] attaches to, asks and cancels them. A run is one durable piece of
//! work; its [`event`]s are in its journal, and a [`Cursor`] reads them, live or not. What a kind of run does is a
//! [`RunHandler`], registered at start-up: this crate names no kind, no model and no HTTP. It depends on `domain`, `storage`
//! and `telemetry` only.

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
    Chunk, Cursor, EpochStore, Event, Fence, JournalLimits, Mark, MaySeeAll, NOT_UNDONE, PendingCommit,
    RunJournal, SealError, WriteError, Writer,
};
pub use over_budget::{BudgetScope, OverBudget};
pub use start_error::{GraphFault, StartError, located};
pub use supervise::{
    Actors, ActorsConfig, AskError, AttachError, Caller, CancelOutcome, Handed, LiveRun, Placement, Question,
    RecoveryLimits, Reply, RunCommand, RunHandler, RunHandlers, RunInfo, RunLimits, RunOutcome, RunSummary,
    Runs, Wake, Work, WorkEnd,
};
