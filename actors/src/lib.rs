//! Everything that runs: each run is an actor with a mailbox, supervised, with a journal on disk.
//!
//! [`Actors`] is the door: start, attach, cancel. A run is one durable piece of work; its events
//! are in its journal, and a [`Cursor`] reads them, live or not. What one kind of run does is in
//! a folder of its own and knows nothing of mailboxes, restarts, the journal's files or HTTP.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod accept;
pub mod automation;
pub mod completion;
mod event;
mod journal;
mod supervise;
pub mod workflow;

pub use event::{EventBody, EventData, NodeRef, StreamEvent, Terminal, TerminalError, flow};
pub use journal::{
    Chunk, Cursor, Event, JournalLimits, Mark, RunJournal, SealError, Sealing, WIRES, WriteError, Writer,
};
pub use supervise::{
    Actors, ActorsConfig, AskError, AttachError, CancelOutcome, Closing, Draft, Ending, Kind, Letter,
    LiveRun, Question, Reply, RunInfo, RunLimits, Runs, Work,
};
