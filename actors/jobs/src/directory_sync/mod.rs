//! Groups from a directory: the groups that it offers, the groups that are selected, and runs that synchronise the selected
//! groups.
//!
//! A run reads one group after another and writes each in one transaction, so that a partially written group is never visible.
//! Incomplete or implausible answers are not trusted: a group that could not be listed completely is left unchanged, a missing
//! group is emptied only when a second complete run misses it, and a large group that suddenly becomes empty is left unchanged
//! until an administrator confirms it.

mod clock;
mod close;
mod commit;
mod directories;
mod group;
mod leave;
mod missing_groups;
mod people;
mod refresh;
mod select;
mod source;
mod start;
mod sync_run;

use std::time::Duration;

use async_trait::async_trait;
use providers::directory::DirectoryLimits;
use runs::{Event, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use storage::records::Run;
use storage::{Row, TenantId, Tx};

pub use clock::{MAX_MINUTES, MIN_MINUTES};

pub use directories::Directories;
pub use refresh::{RefreshError, Refreshed};
pub use source::NewSource;
pub use start::{SyncAsk, SyncStartError};

/// Settings of directories.
#[derive(Clone, Copy, Debug)]
pub struct DirectoriesConfig {
    /// Timeouts and retry limits for requests to a directory.
    pub limits: DirectoryLimits,
    /// Time limit of one synchronisation, and of one fetch of the list of groups.
    pub time_limit: Duration,
    /// How often the scheduler looks for synchronisations that are due.
    pub sweep_every: Duration,
    /// The interval after which everything is read again, even if the directory reports changes.
    pub read_in_full_after: Duration,
}

impl Default for DirectoriesConfig {
    fn default() -> Self {
        Self {
            limits: DirectoryLimits::default(),
            time_limit: Duration::from_secs(60 * 60),
            sweep_every: Duration::from_secs(30),
            read_in_full_after: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// The run kind that synchronises groups with a directory.
pub struct DirectorySync {
    config: DirectoriesConfig,
}

/// Maximum number of crashes of the server during one run.
const MAX_CRASHES: u32 = 6;

impl DirectorySync {
    /// Creates the run kind with these settings.
    pub fn new(config: DirectoriesConfig) -> Self {
        Self { config }
    }
}

#[async_trait]
impl RunHandler for DirectorySync {
    type Details = ();

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        if work.run.crashes > MAX_CRASHES {
            let why = "the server repeatedly crashed during this run";
            return Ok(RunOutcome::failed("crash_loop", why).into());
        }
        let limit = tokio::time::timeout(self.config.time_limit, sync_run::sync(&work, self.config));
        let outcome = tokio::select! {
            biased;
            () = work.cancel.cancelled() => Ok(RunOutcome::Cancelled),
            outcome = limit => {
                outcome.unwrap_or_else(|_| Ok(RunOutcome::TimedOut { reason: "time_limit".to_owned() }))
            }
        };
        outcome.map(WorkEnd::Ended)
    }

    fn close_needs(&self, _: &str) -> bool {
        false
    }

    fn close(&self, _: &Row<Run>, _: &[Event], _: &RunOutcome) -> RunSummary<()> {
        RunSummary::default()
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        _: &(),
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::settle(tx, tenant, run.id, terminal)
    }

    fn abandon(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        _: &[Event],
        terminal: &mut Terminal,
    ) -> storage::Result<()> {
        close::settle(tx, tenant, run.id, terminal)
    }
}
