//! Video jobs: a provider is asked for a video, asked how far it is, and its file is fetched.
//!
//! A submitted job is paid for, so the journal holds that it is about to be submitted before the provider
//! hears of it, and the provider's name of it as soon as it is known. After a crash in between, the provider
//! is asked whether it has the job. Where it cannot tell, the run ends and says so: nothing is paid for twice
//! without anybody's knowledge. While the provider works, the run waits and takes no place.

mod close;
mod fetch;
mod journey;
mod notices;
mod start;
mod submit;

use std::sync::Arc;
use std::time::Duration;

use assist::{RunContext, RunWork};
use async_trait::async_trait;
use runs::{Event, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use storage::records::Run;
use storage::{Row, TenantId, Tx};

pub use start::{VideoSource, VideoStart, VideoStartError, start};

/// Settings of video jobs.
#[derive(Clone, Copy, Debug)]
pub struct VideoConfig {
    /// Jobs of one user that may be in work.
    pub jobs_per_user: usize,
    /// How long one job may take.
    pub time_limit: Duration,
    /// The longest pause between two questions how far a job is; the first ones are shorter.
    pub longest_pause: Duration,
    /// The largest file, in bytes.
    pub largest: u64,
    /// How long a file is kept.
    pub keep: Duration,
}

impl Default for VideoConfig {
    fn default() -> Self {
        Self {
            jobs_per_user: 16,
            time_limit: Duration::from_secs(60 * 60),
            longest_pause: Duration::from_secs(10),
            largest: 512 << 20,
            keep: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// How long a cancelled job may take to take leave of its provider.
const LEAVE: Duration = Duration::from_secs(12);

/// The kind of run that makes videos.
pub struct Video {
    run_context: Arc<RunContext>,
    config: VideoConfig,
}

impl Video {
    /// Makes videos by the models of `run_context`.
    pub fn new(run_context: Arc<RunContext>, config: VideoConfig) -> Self {
        Self { run_context, config }
    }
}

#[async_trait]
impl RunHandler for Video {
    type Details = close::Outcome;

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        let made = journey::make(&RunWork::new(work, self.run_context.clone()), self.config).await;
        made.map(WorkEnd::Ended)
    }

    fn grace(&self) -> Option<Duration> {
        Some(LEAVE)
    }

    fn close_needs(&self, kind: &str) -> bool {
        close::NEEDED.contains(&kind)
    }

    fn close(&self, run: &Row<Run>, history: &[Event], _: &RunOutcome) -> RunSummary<close::Outcome> {
        close::close(run, history)
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        outcome: &close::Outcome,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::conclude(tx, tenant, run, outcome, terminal, self.config.keep)
    }

    /// What a video costs is in its journal.
    fn abandon_needs(&self, kind: &str) -> bool {
        close::NEEDED.contains(&kind)
    }

    fn abandon(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        history: &[Event],
        terminal: &mut Terminal,
    ) -> storage::Result<()> {
        close::abandon(tx, tenant, run, history, terminal)
    }
}
