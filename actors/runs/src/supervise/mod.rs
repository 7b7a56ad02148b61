//! Supervision: who runs, who waits, who went down, and what becomes of it.

mod actors;
mod admission;
mod attach_error;
mod caller;
mod command;
mod conclude;
mod config;
mod handler;
mod handlers;
mod launch;
mod live;
mod load;
mod missing_runs;
mod receipt;
mod recovery;
mod restarts;
mod run_actor;
mod run_mailbox;
mod runs;
mod runtime;
mod stop;
mod supervisor;
mod supervisor_command;
mod sweep;
#[cfg(test)]
mod tests;
mod traced;
mod turns;
mod unload;
mod unloaded;
mod wakes;
mod work;

pub use actors::Actors;
pub use admission::RunLimits;
pub use attach_error::AttachError;
pub use caller::Caller;
pub use command::{AskError, Question, Reply, RunCommand};
pub use config::ActorsConfig;
pub use handler::{Placement, RunHandler, RunOutcome, RunSummary, WorkEnd};
pub use handlers::RunHandlers;
pub use live::{Handed, LiveRun, RunInfo};
pub use receipt::CancelOutcome;
pub use runs::Runs;
pub use turns::RecoveryLimits;
pub use unload::Wake;
pub use work::Work;
