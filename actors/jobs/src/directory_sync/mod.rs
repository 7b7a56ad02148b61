//! Groups come from a directory: which it offers, which are chosen, and runs that bring the chosen ones up to it.
//!
//! A run reads group after group and writes each in one transaction, so that half of a group is never visible.
//! A directory is believed only as far as it answers: what it could not list in full stays as it was, a group that
//! is gone is emptied when a second whole run misses it, too, and one that lost all of its many members at once is
//! left alone until an administrator confirms it.

mod clock;
mod close;
mod commit;
mod directories;
mod gone;
mod group;
mod journey;
mod leave;
mod people;
mod refresh;
mod select;
mod source;
mod start;

use std::time::Duration;

use async_trait::async_trait;
use providers::directory::DirectoryLimits;
use runs::{Event, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use storage::records::Run;
use storage::{Row, TenantId, Tx};

pub use clock::{LONGEST_MINUTES, SHORTEST_MINUTES};

pub use directories::Directories;
pub use refresh::{RefreshError, Refreshed};
pub use source::NewSource;
pub use start::{SyncAsk, SyncStartError};

/// Settings of directories.
#[derive(Clone, Copy, Debug)]
pub struct DirectoriesConfig {
    /// How long a directory may take, and how often it is asked again.
    pub limits: DirectoryLimits,
    /// How long one synchronisation, or one fetch of the list of groups, may take.
    pub time_limit: Duration,
    /// How often synchronisations that are due are looked for.
    pub sweep_every: Duration,
    /// How long what has not changed is not read again, even where the directory says what has.
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

/// The kind of run that brings groups up to their directory.
pub struct DirectorySync {
    config: DirectoriesConfig,
}

/// Times that the server may stop in the midst of one run.
const MOST_CRASHES: u32 = 6;

impl DirectorySync {
    /// Synchronises within these limits.
    pub fn new(config: DirectoriesConfig) -> Self {
        Self { config }
    }
}

#[async_trait]
impl RunHandler for DirectorySync {
    type Details = ();

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        if work.run.crashes > MOST_CRASHES {
            let why = "the server went down again and again while it worked on this";
            return Ok(RunOutcome::failed("crash_loop", why).into());
        }
        let limit = tokio::time::timeout(self.config.time_limit, journey::sync(&work, self.config));
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
