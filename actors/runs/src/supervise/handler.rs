//! What a kind of run implements; all else is the supervisor's.

use std::time::Duration;

use async_trait::async_trait;
use storage::records::{Run, RunState, Usage};
use storage::{Row, TenantId, Tx};

use crate::event::flow::RunEnding;
use crate::event::{EventBody, Terminal, TerminalError};
use crate::journal::{Event, WriteError};

use super::work::Work;

/// Where a run's actor and its work run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On the threads that all runs share.
    Shared,
    /// On the thread that started the run, which also serves its first reader: what the run writes reaches that reader
    /// without a change of threads. For work that mostly waits. A run that is queued or restarted first is on the
    /// shared threads.
    Starter,
}

/// One kind of run. It knows nothing of mailboxes, restarts, the journal's files or HTTP.
#[async_trait]
pub trait RunHandler: Send + Sync + 'static {
    /// What [`RunHandler::close`] hands to [`RunHandler::conclude`]; `()` for nothing.
    type Details: Send + Sync + 'static;

    /// Does the run's work: from the beginning, or from what the journal of earlier epochs holds.
    /// Ends soon after `work.cancel` fires; a panic in it costs this epoch only.
    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError>;

    /// Where its actor and its work run.
    fn placement(&self) -> Placement {
        Placement::Shared
    }

    /// How long a cancelled run may take to end by itself, if that is not the installation's
    /// common grace: work that has to undo things takes its time.
    fn grace(&self) -> Option<Duration> {
        None
    }

    /// Whether [`RunHandler::close`] has to see events of this type. The journal of a long run is long, and
    /// events that are not needed are not read into memory.
    fn close_needs(&self, _kind: &str) -> bool {
        true
    }

    /// What a run's journal adds up to at its end, however that came: after the work's own end, a
    /// cancel, a crash or a time-out. `history` has the events that it needs.
    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> RunSummary<Self::Details>;

    /// Writes what the end changes besides the run and its terminal record, in the same
    /// transaction. May be called again when the transaction meets a conflict.
    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        details: &Self::Details,
        terminal: &Terminal,
    ) -> storage::Result<()>;

    /// Whether [`RunHandler::abandon`] has to see events of this type.
    fn abandon_needs(&self, _kind: &str) -> bool {
        false
    }

    /// Writes what changes besides the run and its terminal record when the run exceeded its restart limit and is
    /// failed without [`RunHandler::close`], in the same transaction. May change the terminal record: what the run owes
    /// stands there, too.
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

/// How the work of an epoch is over.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkEnd {
    /// Nothing is left to do: the run ends like this.
    Ended(RunOutcome),
    /// The run waits, and was unloaded by [`Work::unload`].
    Unloaded,
}

impl From<RunOutcome> for WorkEnd {
    fn from(outcome: RunOutcome) -> Self {
        Self::Ended(outcome)
    }
}

/// How the work of a run ended, by its own account.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// All was done; `reason` where it was cut short by a limit of the client's own (`length`).
    Succeeded {
        /// Why it ended, if there is more to say than that it did.
        reason: Option<String>,
    },
    /// A part of it was done, and the rest was passed over as it was asked to be.
    Partial {
        /// What was passed over.
        reason: String,
    },
    /// It could not be done.
    Failed {
        /// What went wrong.
        error: TerminalError,
    },
    /// It was given up after a crash.
    Interrupted {
        /// Why it did not go on.
        reason: String,
    },
    /// It took too long.
    TimedOut {
        /// Which limit it met.
        reason: String,
    },
    /// A stop was requested.
    Cancelled,
}

impl RunOutcome {
    /// A failure.
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

    /// What went wrong, if something did.
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

/// What [`RunHandler::close`] makes of a run's journal. The default is that of a run that used and left nothing.
#[derive(Default)]
pub struct RunSummary<D> {
    /// Events that have to stand before `run.ended`: open parts are closed, what was used is told.
    pub events: Vec<EventBody>,
    /// All that the run used.
    pub usage: Usage,
    /// What it cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Whether there is an answer, but not all of it.
    pub partial: bool,
    /// What [`RunHandler::conclude`] needs to know.
    pub details: D,
}
