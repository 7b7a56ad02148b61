//! The interface that a run kind implements. The supervisor does everything else.

use std::time::Duration;

use async_trait::async_trait;
use storage::records::{Run, RunState, Usage};
use storage::{Row, TenantId, Tx};

use crate::event::flow::RunEnding;
use crate::event::{EventBody, Terminal, TerminalError};
use crate::journal::{Event, WriteError};

use super::work::Work;

/// The threads on which a run's actor and its work are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The threads that all runs share.
    Shared,
    /// The thread that started the run and also serves its first reader: the run's events reach that reader without a
    /// change of threads. For work that mostly waits. A run that was queued or restarted uses the shared threads.
    Starter,
}

/// One run kind. It does not deal with mailboxes, restarts, journal files or HTTP.
#[async_trait]
pub trait RunHandler: Send + Sync + 'static {
    /// Data that [`RunHandler::close`] passes to [`RunHandler::conclude`]; `()` if there is none.
    type Details: Send + Sync + 'static;

    /// Does the run's work, from the beginning or from the state in the journal of earlier epochs. Must end soon after
    /// `work.cancel` fires. A panic ends only the current epoch.
    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError>;

    /// The threads on which the run's actor and its work are executed.
    fn placement(&self) -> Placement {
        Placement::Shared
    }

    /// How long events that no writer waits for may stay out of the journal on disk while the run has no readers, so that many
    /// events share a commit. A crash loses these events. By default they are committed as if the run had a reader.
    fn unfollowed_delay(&self) -> Option<Duration> {
        None
    }

    /// Whether successful work has to be undone if a cancel is noted before the end of the run is durable. If so, another
    /// epoch starts, finds the cancel and undoes the work.
    fn undoes(&self) -> bool {
        false
    }

    /// How long a cancelled run may take to end by itself, if it differs from the grace period of the installation: work
    /// that has to undo its effects takes longer.
    fn grace(&self) -> Option<Duration> {
        None
    }

    /// Whether [`RunHandler::close`] needs events of this type. The journal of a long run is large, and events that are not
    /// needed are not read into memory.
    fn close_needs(&self, _kind: &str) -> bool {
        true
    }

    /// Summarizes a run's journal at its end, whatever the cause: the work ended by itself, was cancelled, crashed or timed
    /// out. `history` contains the events that [`RunHandler::close_needs`] selects.
    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> RunSummary<Self::Details>;

    /// Writes all changes at the end of a run other than those of the run and its terminal record, in the same transaction.
    /// May be called again if the transaction conflicts.
    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        details: &Self::Details,
        terminal: &Terminal,
    ) -> storage::Result<()>;

    /// Whether [`RunHandler::abandon`] needs events of this type.
    fn abandon_needs(&self, _kind: &str) -> bool {
        false
    }

    /// Writes all changes other than those of the run and its terminal record when the run exceeded its restart limit and is
    /// failed without [`RunHandler::close`], in the same transaction. May change the terminal record, which also contains
    /// the cost of the run.
    fn abandon(
        &self,
        _tx: &mut Tx,
        _tenant: TenantId,
        _run: &Row<Run>,
        _history: &[Event],
        _terminal: &mut Terminal,
    ) -> storage::Result<()> {
        Ok(())
    }
}

/// How the work of an epoch ended.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkEnd {
    /// The work is complete: the run ends with this outcome.
    Ended(RunOutcome),
    /// The run waits, and was unloaded by [`Work::unload`].
    Unloaded,
}

impl From<RunOutcome> for WorkEnd {
    fn from(outcome: RunOutcome) -> Self {
        Self::Ended(outcome)
    }
}

/// The outcome of a run's work, as reported by the work itself.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// Everything was done. `reason` is set if a limit of the client cut it short (`length`).
    Succeeded {
        /// Why the run ended, if there is more to say.
        reason: Option<String>,
    },
    /// A part was done, and the rest was skipped as requested.
    Partial {
        /// What was skipped.
        reason: String,
    },
    /// The work could not be done.
    Failed {
        /// What went wrong.
        error: TerminalError,
    },
    /// The work was abandoned after a crash.
    Interrupted {
        /// Why the work did not continue.
        reason: String,
    },
    /// The work took too long.
    TimedOut {
        /// Which limit was exceeded.
        reason: String,
    },
    /// A cancel was requested.
    Cancelled,
}

impl RunOutcome {
    /// Creates the outcome of a failed run from an error code and a message.
    pub fn failed(code: &str, message: impl Into<String>) -> Self {
        Self::Failed { error: TerminalError::new(code, message) }
    }

    /// The terminal state that this outcome leads to.
    pub fn status(&self) -> RunState {
        match self {
            Self::Succeeded { .. } => RunState::Succeeded,
            Self::Partial { .. } => RunState::Partial,
            Self::Failed { .. } => RunState::Failed,
            Self::Interrupted { .. } => RunState::Interrupted,
            Self::TimedOut { .. } => RunState::TimedOut,
            Self::Cancelled => RunState::Cancelled,
        }
    }

    /// The outcome's reason, if it has one.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Succeeded { reason } => reason.clone(),
            Self::Partial { reason } | Self::Interrupted { reason } | Self::TimedOut { reason } => {
                Some(reason.clone())
            }
            Self::Failed { .. } | Self::Cancelled => None,
        }
    }

    /// The error of a failed run.
    pub fn error(&self) -> Option<TerminalError> {
        match self {
            Self::Failed { error } => Some(error.clone()),
            _ => None,
        }
    }
}

impl From<RunEnding> for RunOutcome {
    fn from(ending: RunEnding) -> Self {
        let reason = ending.reason.unwrap_or_default();
        match ending.status {
            RunState::TimedOut => Self::TimedOut { reason },
            RunState::Interrupted => Self::Interrupted { reason },
            RunState::Cancelled => Self::Cancelled,
            _ => Self::Failed { error: ending.error.unwrap_or_default() },
        }
    }
}

/// The summary of a run's journal that [`RunHandler::close`] returns. The default is the summary of a run without usage and
/// results.
#[derive(Default)]
pub struct RunSummary<D> {
    /// Events that must precede `run.ended`: ends of open parts, and usage that was not reported yet.
    pub events: Vec<EventBody>,
    /// Total usage of the run.
    pub usage: Usage,
    /// Total cost in billionths of a dollar.
    pub cost_nanos: u64,
    /// Whether there is an answer that is incomplete.
    pub partial: bool,
    /// Input for [`RunHandler::conclude`].
    pub details: D,
}
