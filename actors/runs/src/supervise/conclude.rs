//! The end of a run: its last events, the terminal record and all dependent changes, in one commit.

use std::sync::Arc;
use std::time::Duration;

use storage::accounting;
use storage::records::{Run, RunKind, RunState};
use storage::{Row, TenantId, Timestamp, Tx, journal};
use telemetry::metrics::table;

use super::handler::RunOutcome;
use super::handlers::ClosedRun;
use super::live::LiveRun;
use super::runtime::Runtime;
use super::unload::wake_awaiting;
use crate::event::{EventData, Terminal};
use crate::journal::{JournalPreview, SealError, Writer};

/// The result of an attempt to write a run's end.
pub(super) enum Concluded {
    Written,
    /// A later epoch owns the run, or has already ended it.
    BySomeoneElse,
    /// Storage failed. The next epoch tries again.
    NotYet,
}

/// Number of attempts before the next epoch has to take over. Each one failed because of a conflicting transaction.
const TRIES: usize = 64;

/// Writes the end of a run. A cancel that was accepted earlier takes precedence over the outcome of the work.
pub(super) async fn conclude(
    runtime: &Arc<Runtime>,
    live: &Arc<LiveRun>,
    row: &Row<Run>,
    writer: &Writer,
    outcome: &RunOutcome,
) -> Concluded {
    for _ in 0..TRIES {
        let Ok(preview) = writer.preview().await else { return Concluded::BySomeoneElse };
        match attempt(runtime, live, row, writer, preview, outcome).await {
            Ok(terminal) => {
                log_failure(live, &terminal);
                return Concluded::Written;
            }
            Err(ConcludeError::Seal(SealError::Closed)) => return Concluded::BySomeoneElse,
            Err(ConcludeError::Seal(SealError::Conflict)) if !owns_run(runtime, live, writer).await => {
                return Concluded::BySomeoneElse;
            }
            // Once the pending events are durable, none of them can come between the next attempt and its commit.
            Err(ConcludeError::Seal(_)) if writer.flush().await.is_ok() => {}
            Err(ConcludeError::Seal(_)) => return Concluded::BySomeoneElse,
            Err(ConcludeError::ToUndo) => return Concluded::NotYet,
            Err(ConcludeError::Storage(why)) => {
                tracing::error!(run = %live.run, %why, "the end of a run could not be prepared");
                return Concluded::NotYet;
            }
        }
    }
    Concluded::NotYet
}

enum ConcludeError {
    /// The run was cancelled after its work had succeeded, and the work has to be undone.
    ToUndo,
    Seal(SealError),
    Storage(storage::Error),
}

impl From<storage::Error> for ConcludeError {
    fn from(why: storage::Error) -> Self {
        Self::Storage(why)
    }
}

async fn attempt(
    runtime: &Arc<Runtime>,
    live: &Arc<LiveRun>,
    row: &Row<Run>,
    writer: &Writer,
    preview: JournalPreview,
    outcome: &RunOutcome,
) -> Result<Terminal, ConcludeError> {
    let kind = runtime.handler(row.kind).ok_or(storage::Error::NotFound("kind of run"))?;
    let is_needed = |event: &str| event == "run.cancelling" || kind.close_needs(event);
    let first_seq = preview.next_seq();
    let mut events = live.history(preview.durable, is_needed).await?;
    events.extend(preview.ahead.into_iter().filter(|event| is_needed(&event.kind)));
    // Read once per attempt, so that everything that the record says about a cancel is consistent. A cancel that is
    // noted later adds an event to the journal, and the attempt is repeated.
    let cancelled_by = live.cancelled_by();
    let succeeded = matches!(outcome, RunOutcome::Succeeded { .. } | RunOutcome::Partial { .. });
    if succeeded && cancelled_by.is_some() && kind.undoes() {
        return Err(ConcludeError::ToUndo);
    }
    let outcome = cancelled_by.map_or_else(|| outcome.clone(), |_| RunOutcome::Cancelled);
    let ClosedRun { events: mut last, usage, cost_nanos, partial, conclude } =
        kind.close(row, &events, &outcome);
    if let Some(by) = cancelled_by
        && !events.iter().any(|event| &*event.kind == "run.cancelling")
    {
        last.insert(0, EventData::RunCancelling { by }.into());
    }
    let (tenant, id) = (live.tenant, live.run);
    let terminal = |run: &Row<Run>| Terminal {
        status: outcome.status(),
        reason: outcome.reason(),
        cancelled_by,
        error: outcome.error(),
        usage,
        cost_nanos,
        last_seq: first_seq + last.len() as u64,
        started_at: run.started_at,
        finished_at: Timestamp::now(),
        partial,
    };
    let ((terminal, wakes), batch, rings) = runtime.store.prepare(|tx| {
        let before = tx.require::<Run>(tenant, &id)?;
        let mut run = before.clone();
        let terminal = terminal(&run);
        run.state = terminal.status;
        run.ended_at = Some(terminal.finished_at);
        run.expires_at = Some(terminal.finished_at + kept_for(runtime, tx, tenant, &run)?);
        let run = tx.replace(tenant, &before, run)?;
        conclude(tx, tenant, &run, &terminal)?;
        accounting::count_ended(tx, tenant, &run);
        let json = serde_json::to_vec(&terminal).map_err(|e| storage::Error::Invalid(e.to_string()))?;
        journal::put_terminal(tx.batch(), tenant, id, json.into());
        Ok::<_, storage::Error>((terminal, wake_awaiting(tx, tenant, &run, true)?))
    })?;
    let ended = Ended::new(row.kind, &terminal);
    last.push(EventData::RunEnded { terminal: terminal.clone() }.into());
    let sealing = writer.seal(last, first_seq, batch, rings).map_err(ConcludeError::Seal)?;
    sealing.verdict().await.map_err(ConcludeError::Seal)?;
    if wakes {
        runtime.wakes.note(tenant, terminal.finished_at);
    }
    ended.count();
    Ok(terminal)
}

/// The metrics of an end, recorded once it is durable.
struct Ended {
    kind: RunKind,
    status: RunState,
    /// Seconds from the first start of the work to its end.
    took: Option<f64>,
}

impl Ended {
    fn new(kind: RunKind, terminal: &Terminal) -> Self {
        let took = terminal.started_at.map(|at| terminal.finished_at.since(at).as_secs_f64());
        Self { kind, status: terminal.status, took }
    }

    fn count(self) {
        let kind = self.kind.as_str();
        table::RUNS_ENDED.add([kind, self.status.as_str()], 1);
        if let Some(took) = self.took {
            table::RUN_DURATION.record([kind], took);
        }
    }
}

/// The only place that logs a failed run, of any kind: after the end is durable, and therefore exactly once.
fn log_failure(live: &LiveRun, terminal: &Terminal) {
    if !matches!(terminal.status, RunState::Failed | RunState::TimedOut | RunState::Interrupted) {
        return;
    }
    let error = terminal.error.as_ref();
    let status = terminal.status;
    let code = error.map_or("none", |error| error.code.as_str());
    let reason = error.map(|error| error.message.as_str()).or(terminal.reason.as_deref()).unwrap_or("none");
    tracing::warn!(
        run = %live.run, kind = ?live.kind, tenant = %live.tenant.0, ?status, code, reason,
        "a run failed"
    );
}

/// How long a run's journal is retained after its end.
fn kept_for(runtime: &Runtime, tx: &mut Tx, tenant: TenantId, run: &Run) -> storage::Result<Duration> {
    let config = &runtime.config;
    let chat = (run.kind, run.conversation_id) == (RunKind::Completion, None);
    if chat && !run.stored {
        return Ok(config.chat_ttl);
    }
    let common = runtime.stream_ttl(tx, tenant, config.stream_ttl)?;
    Ok(if chat { common.max(config.chat_ttl) } else { common })
}

/// Whether this epoch still owns the run, and the run has not ended.
pub(super) async fn owns_run(runtime: &Arc<Runtime>, live: &Arc<LiveRun>, writer: &Writer) -> bool {
    let (tenant, run, epoch) = (live.tenant, live.run, writer.epoch());
    let ours = runtime.store.read(move |reader| {
        let ended = reader.terminal(tenant, run)?.is_some();
        Ok::<_, storage::Error>(!ended && reader.journal_epoch(tenant, run)? == Some(epoch))
    });
    ours.await.unwrap_or(true)
}

/// Fails a run that its handler cannot end because the end itself crashes. The run's message retains the content it
/// has.
pub(super) async fn give_up(runtime: &Arc<Runtime>, live: &Arc<LiveRun>, epoch: u32) -> Concluded {
    use storage::records::{Message, MessageStatus};
    let writer = live.journal.writer(epoch);
    let handler = runtime.handler(live.kind);
    for _ in 0..TRIES {
        if writer.flush().await.is_err() {
            return Concluded::BySomeoneElse;
        }
        let end = live.journal.mark().seq;
        let is_needed = |event: &str| handler.as_ref().is_some_and(|handler| handler.abandon_needs(event));
        let Ok(events) = live.history(end, is_needed).await else {
            return Concluded::NotYet;
        };
        let first_seq = writer.next_seq();
        let (tenant, id) = (live.tenant, live.run);
        let outcome =
            RunOutcome::failed("crash_loop", "the run crashed repeatedly and exceeded its restart limit");
        let prepared = runtime.store.prepare(|tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            let mut terminal = Terminal {
                status: RunState::Failed,
                reason: None,
                cancelled_by: live.cancelled_by(),
                error: outcome.error(),
                usage: Default::default(),
                cost_nanos: 0,
                last_seq: first_seq,
                started_at: run.started_at,
                finished_at: Timestamp::now(),
                partial: true,
            };
            run.state = RunState::Failed;
            run.ended_at = Some(terminal.finished_at);
            run.expires_at = Some(terminal.finished_at + runtime.config.stream_ttl);
            if let (Some(conversation), Some(message)) = (run.conversation_id, run.message_id)
                && let Some(mut message) = tx.get::<Message>(tenant, &(conversation, message))?
            {
                message.status = MessageStatus::Failed;
                tx.update_message(tenant, message)?;
            }
            if let Some(handler) = &handler {
                handler.abandon(tx, tenant, &run, &events, &mut terminal)?;
            }
            let run = tx.update(tenant, run)?;
            accounting::count_ended(tx, tenant, &run);
            let json = serde_json::to_vec(&terminal).map_err(|e| storage::Error::Invalid(e.to_string()))?;
            journal::put_terminal(tx.batch(), tenant, id, json.into());
            Ok::<_, storage::Error>((terminal, wake_awaiting(tx, tenant, &run, true)?))
        });
        let Ok(((terminal, wakes), batch, rings)) = prepared else { return Concluded::NotYet };
        let ended = Ended::new(live.kind, &terminal);
        let last = EventData::RunEnded { terminal: terminal.clone() };
        let sealing = writer.seal(vec![last], first_seq, batch, rings);
        let Ok(sealing) = sealing else { return Concluded::BySomeoneElse };
        match sealing.verdict().await {
            Ok(()) => {
                if wakes {
                    runtime.wakes.note(tenant, terminal.finished_at);
                }
                ended.count();
                log_failure(live, &terminal);
                return Concluded::Written;
            }
            Err(SealError::Closed) => return Concluded::BySomeoneElse,
            Err(_) => tokio::task::yield_now().await,
        }
    }
    Concluded::NotYet
}
