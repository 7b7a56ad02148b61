//! The end of a video job: its result, its cost, and how long its file is retained.

use std::time::Duration;

use runs::event::video::VideoRefused;
use runs::{Event, EventData, RunSummary, Terminal, TerminalError};
use storage::accounting;
use storage::records::{Run, RunState, UsageRecord, VideoError, VideoJob, VideoJobState, VideoResult};
use storage::{Row, TenantId, Tx};

use super::notices;
use super::start::StoredRequest;

/// The types of events from which a job's state is computed.
pub(crate) const NEEDED: [&str; 7] = [
    "run.started",
    "video.submitting",
    "video.postponed",
    "video.submitted",
    "video.refused",
    "video.made",
    "video.completed",
];

/// The progress of a job, computed from its journal.
#[derive(Debug, Default, PartialEq)]
pub(super) struct JobProgress {
    pub started: bool,
    pub phase: Phase,
}

/// The state of a job at its provider.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Phase {
    /// The provider has not received the job, or postponed it.
    #[default]
    New,
    /// The provider may have received the job.
    Submitting,
    /// The provider has accepted the job under this id.
    Submitted(String),
    /// The provider has generated the video, and its file has not been stored here.
    Generated(String),
    /// The provider refused to generate the video, for this reason.
    Refused(VideoRefused),
    /// The file of the video is stored here.
    Completed(VideoResult),
}

impl JobProgress {
    /// Computes the progress from a journal.
    pub fn from_history(history: &[Event]) -> Self {
        let mut so_far = Self::default();
        for event in history.iter().filter(|event| NEEDED.contains(&&*event.kind)) {
            let Some(data) = EventData::read(event) else { continue };
            so_far.apply(data);
        }
        so_far
    }

    fn apply(&mut self, data: EventData) {
        match data {
            EventData::RunStarted { .. } => self.started = true,
            EventData::VideoSubmitting(_) => self.phase = Phase::Submitting,
            EventData::VideoPostponed(_) => self.phase = Phase::New,
            EventData::VideoSubmitted(submitted) => self.phase = Phase::Submitted(submitted.remote_id),
            EventData::VideoRefused(why) => self.phase = Phase::Refused(why),
            EventData::VideoGenerated(_) => {
                if let Phase::Submitted(remote) = std::mem::take(&mut self.phase) {
                    self.phase = Phase::Generated(remote);
                }
            }
            EventData::VideoCompleted(done) => {
                let (blob_id, media_type, size) = (done.blob_id, done.media_type, done.size);
                self.phase = Phase::Completed(VideoResult { blob_id, media_type, size });
            }
            _ => {}
        }
    }
}

/// The data that is written at the end of a job.
#[derive(Debug, Default)]
pub struct Outcome {
    result: Option<VideoResult>,
    /// The billable duration in milliseconds, if any, and whether it is an estimate.
    billable: Option<(u64, bool)>,
}

/// Returns the cost of a job in billionths of a US dollar, and the billable duration. A provider charges at submission. Therefore
/// every job that the provider may have accepted is billed in full, because it is unknown how much the provider has charged. Only
/// jobs that the provider never received or refused are free.
fn cost_of(run: &Run, phase: &Phase) -> (u64, Option<(u64, bool)>) {
    let request: StoredRequest = serde_json::from_value(run.request.clone()).unwrap_or_default();
    let duration_ms = u64::from(request.seconds) * 1_000;
    match phase {
        Phase::New | Phase::Refused(..) => (0, None),
        Phase::Submitting | Phase::Submitted(_) | Phase::Generated(_) => {
            (request.cost_nanos, Some((duration_ms, true)))
        }
        Phase::Completed(_) => (request.cost_nanos, Some((duration_ms, false))),
    }
}

/// Computes the result and the cost of a job at its end.
pub(super) fn close(run: &Row<Run>, history: &[Event]) -> RunSummary<Outcome> {
    let phase = JobProgress::from_history(history).phase;
    let (cost_nanos, billable) = cost_of(run, &phase);
    let result = match phase {
        Phase::Completed(result) => Some(result),
        _ => None,
    };
    RunSummary {
        events: Vec::new(),
        usage: Default::default(),
        cost_nanos,
        partial: false,
        details: Outcome { result, billable },
    }
}

/// Writes the end of a job, and books its cost.
pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    outcome: &Outcome,
    terminal: &Terminal,
    keep: Duration,
) -> storage::Result<()> {
    if let Some(mut job) = tx.get::<VideoJob>(tenant, &(run.user, run.id))? {
        let state = match terminal.status {
            RunState::Succeeded => VideoJobState::Completed,
            RunState::Cancelled => VideoJobState::Cancelled,
            _ => VideoJobState::Failed,
        };
        let completed = state == VideoJobState::Completed;
        job.state = state;
        job.result = outcome.result.clone().filter(|_| completed);
        job.error = error_of(terminal).filter(|_| state == VideoJobState::Failed);
        job.cost_nanos = terminal.cost_nanos;
        job.finished_at = Some(terminal.finished_at);
        if completed {
            job.progress = 100;
            job.expires_at = Some(terminal.finished_at + keep);
        }
        let job = tx.update(tenant, job)?;
        notices::ended(tx, tenant, &job)?;
    }
    book(tx, tenant, run, terminal, outcome.billable)
}

/// Ends the job of a run that is given up without executing its handler. The cost according to the journal is also added to the
/// terminal record.
pub(crate) fn abandon(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    history: &[Event],
    terminal: &mut Terminal,
) -> storage::Result<()> {
    let (cost_nanos, billable) = cost_of(run, &JobProgress::from_history(history).phase);
    terminal.cost_nanos = cost_nanos;
    if let Some(mut job) = tx.get::<VideoJob>(tenant, &(run.user, run.id))? {
        job.state = VideoJobState::Failed;
        job.result = None;
        job.error = error_of(terminal);
        job.cost_nanos = cost_nanos;
        job.finished_at = Some(terminal.finished_at);
        let job = tx.update(tenant, job)?;
        notices::ended(tx, tenant, &job)?;
    }
    book(tx, tenant, run, terminal, billable)
}

fn book(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    terminal: &Terminal,
    billable: Option<(u64, bool)>,
) -> storage::Result<()> {
    match billable {
        Some((quantity, estimated)) => accounting::book(tx, tenant, bill(run, terminal, quantity, estimated)),
        None => Ok(()),
    }
}

fn error_of(terminal: &Terminal) -> Option<VideoError> {
    if let Some(error) = &terminal.error {
        let TerminalError { code, message, provider_code, .. } = error.clone();
        return Some(VideoError { code, message, provider_code });
    }
    let reason = terminal.reason.clone().unwrap_or_default();
    let (code, message) = match terminal.status {
        RunState::TimedOut => ("timed_out", "the video exceeded its time limit".to_owned()),
        RunState::Interrupted => ("interrupted", format!("the server stopped during the job ({reason})")),
        _ => return None,
    };
    Some(VideoError { code: code.to_owned(), message, provider_code: None })
}

fn bill(run: &Row<Run>, terminal: &Terminal, quantity: u64, estimated: bool) -> UsageRecord {
    UsageRecord {
        ts: terminal.finished_at,
        user: run.user,
        run_id: Some(run.id),
        model: run.model.clone(),
        provider: run.model.split('/').next().unwrap_or_default().to_owned(),
        kind: "video".to_owned(),
        quantity,
        cost_nanos: i64::try_from(terminal.cost_nanos).unwrap_or(i64::MAX),
        billable: true,
        estimated,
        token_id: run.token_id,
        context: run.context.clone(),
        ..UsageRecord::default()
    }
}
