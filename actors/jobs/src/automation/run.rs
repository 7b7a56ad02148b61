//! The run of an automation: starts the assistant, waits for it, and records the outcome.

use std::sync::Arc;
use std::time::Duration;

use assist::completion::WorkflowStarter;
use async_trait::async_trait;
use runs::{
    AttachError, Chunk, Cursor, Event, EventData, OverBudget, RunHandler, RunOutcome, RunSummary, StartError,
    Terminal, Wake, Work, WorkEnd, WriteError,
};
use storage::records::{AutomationRun, AutomationRunState, AutomationSchedule, Run, RunState, SkipReason};
use storage::{Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::child;
use super::settle::{self, End};
use super::start::StoredRequest;
use super::working_time::WorkingTime;

/// Grace period of a cancelled run. It is long because a workflow may have to undo its work.
const GRACE: Duration = Duration::from_secs(120);

/// Maximum number of attempts at a request that the store refuses because it is busy, and the pause between them.
const TRIES: usize = 40;
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// The run kind that executes one ledger entry.
pub struct AutomationKind {
    workflows: Arc<dyn WorkflowStarter>,
}

impl AutomationKind {
    /// Creates the run kind. `workflows` starts assistants that are workflows.
    pub fn new(workflows: Arc<dyn WorkflowStarter>) -> Self {
        Self { workflows }
    }
}

#[async_trait]
impl RunHandler for AutomationKind {
    type Details = ();

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        let Some(request) = stored_request(&work.run) else {
            return Ok(RunOutcome::failed("invalid_request", "the run does not name its entry").into());
        };
        if !work.is_loaded() {
            work.begin(EventData::RunStarted {
                model: String::new(),
                message_id: None,
                parent_id: None,
                input_estimate: 0,
            })?;
        }
        let (child, cursor) = match begin(&work, &*self.workflows, request.line).await {
            Ok(started) => started,
            Err(refused) => return Ok(refused.into()),
        };
        // From here on, the child run takes the place among the working runs.
        match work.is_loaded() {
            true => work.stay(RunState::Waiting),
            false => work.set_state(RunState::Waiting, Some("child".to_owned()), Vec::new()).await?,
        }
        let limit = Duration::from_millis(request.timeout_ms);
        Watch { work: &work, line: request.line, child, waits: false, asks: None }
            .watch(cursor.uncounted(), WorkingTime::new(limit))
            .await
    }

    fn grace(&self) -> Option<Duration> {
        Some(GRACE)
    }

    fn close(&self, _: &Row<Run>, _: &[Event], _: &RunOutcome) -> RunSummary<()> {
        // Usage is recorded when the child run ends.
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
        match stored_request(run) {
            Some(request) => settle::settle(tx, tenant, request.line, &End::from_terminal(terminal)),
            None => Ok(()),
        }
    }
}

fn stored_request(run: &Run) -> Option<StoredRequest> {
    serde_json::from_value(run.request.clone()).ok()
}

/// Finds the child run of an earlier epoch or starts one, and records it in the ledger entry.
async fn begin(work: &Work, workflows: &dyn WorkflowStarter, id: Uuid) -> Result<(Uuid, Cursor), RunOutcome> {
    let tenant = work.tenant;
    let found = retry_while_busy(|| {
        work.store.read(move |reader| {
            let Some(line) = reader.get::<AutomationRun>(tenant, &id)? else { return Ok(None) };
            let before = child::before(reader, tenant, &line)?;
            Ok::<_, storage::Error>(Some((line, before)))
        })
    });
    let Some((line, before)) = found.await.map_err(broken)? else {
        return Err(RunOutcome::failed("not_found", "the ledger entry of the run was deleted"));
    };
    let child = match before {
        Some(child) => child,
        None => child::start(work, workflows, &line).await.map_err(refused)?.ok_or(RunOutcome::Cancelled)?,
    };
    let is_noted = work.is_loaded() && before.is_some();
    let noted = retry_while_busy(|| {
        work.store.run(move |tx| {
            let Some(mut line) = tx.get::<AutomationRun>(tenant, &id)?.filter(|_| !is_noted) else {
                return Ok(());
            };
            line.stream_id = Some(child);
            line.started_at.get_or_insert(Timestamp::now());
            to_state(tx, tenant, line, AutomationRunState::Running, None)
        })
    });
    noted.await.map_err(broken)?;
    loop {
        match work.runs.attach(tenant, child, 0).await {
            Ok(cursor) => return Ok((child, cursor)),
            Err(AttachError::Busy) => {}
            // The child ended so long ago that its journal has expired. Its terminal record still exists.
            Err(AttachError::Expired) => return Err(outcome(work, child).await),
            Err(AttachError::NotFound) => return Err(CHILD_DELETED),
            Err(AttachError::Storage(why)) => return Err(broken(why)),
        }
    }
}

/// A child run is deleted only together with its conversation. Deleting the conversation cancels the run first.
const CHILD_DELETED: RunOutcome = RunOutcome::Cancelled;

/// Repeats a request that the store refuses because it is busy. The request must not be dropped, because the child run that was
/// started must be recorded.
async fn retry_while_busy<T, F>(ask: impl Fn() -> F) -> storage::Result<T>
where
    F: Future<Output = storage::Result<T>>,
{
    for _ in 0..TRIES {
        match ask().await {
            Err(storage::Error::Busy | storage::Error::Full) => tokio::time::sleep(RETRY_DELAY).await,
            other => return other,
        }
    }
    ask().await
}

fn broken(why: storage::Error) -> RunOutcome {
    RunOutcome::failed("storage", why.to_string())
}

fn refused(why: StartError) -> RunOutcome {
    let code = match &why {
        StartError::NotFound(_) | StartError::AssistantGone => "not_found",
        StartError::AssistantDisabled(_) => "assistant_disabled",
        StartError::Invalid { .. } | StartError::Inputs(_) => "invalid_input",
        StartError::GraphInvalid(_) | StartError::NotAWorkflow => "graph_invalid",
        StartError::UnknownModel { .. } => "model_not_found",
        StartError::OverBudget(_) => OverBudget::CODE,
        StartError::StreamActive { .. } => "stream_active",
        StartError::Storage(storage::Error::LimitReached(_)) => "limit_reached",
        StartError::Storage(_) => "storage",
        _ => "not_started",
    };
    RunOutcome::failed(code, why.to_string())
}

/// Writes the state of an entry that has not ended, both to the entry and to the summary in the automation's schedule.
fn to_state(
    tx: &mut Tx,
    tenant: TenantId,
    mut line: Row<AutomationRun>,
    state: AutomationRunState,
    reason: Option<SkipReason>,
) -> storage::Result<()> {
    if line.state.is_terminal() {
        return Ok(());
    }
    (line.state, line.reason) = (state, reason);
    let line = tx.update(tenant, line)?;
    if let Some(mut schedule) = tx.get::<AutomationSchedule>(tenant, &line.automation_id)? {
        settle::note(&mut schedule, &line);
        tx.update(tenant, schedule)?;
    }
    Ok(())
}

/// Watches a child run until it ends.
struct Watch<'a> {
    work: &'a Work,
    line: Uuid,
    child: Uuid,
    /// Whether the child run waits for a person or an event.
    waits: bool,
    /// The decision that the child run waits for, if any.
    asks: Option<SkipReason>,
}

impl Watch<'_> {
    async fn watch(mut self, mut cursor: Cursor, mut time: WorkingTime) -> Result<WorkEnd, WriteError> {
        let mut patience = self.work.unload_after();
        loop {
            let over = tokio::select! {
                read = cursor.next() => match read {
                    Ok(Some(chunk)) => {
                        time.count(&chunk);
                        self.observe(&chunk).await;
                        continue;
                    }
                    Ok(None) => outcome(self.work, self.child).await,
                    Err(storage::Error::Busy) => {
                        tokio::time::sleep(RETRY_DELAY).await;
                        continue;
                    }
                    Err(why) => broken(why),
                },
                () = self.work.cancel.cancelled() => {
                    self.stop(&mut cursor).await;
                    RunOutcome::Cancelled
                }
                () = tokio::time::sleep(time.left()), if !self.waits => {
                    self.stop(&mut cursor).await;
                    RunOutcome::TimedOut { reason: "run_timeout".to_owned() }
                }
                // This run is loaded together with the child, because the child's working time must be counted.
                () = tokio::time::sleep(patience), if self.waits => {
                    let wake = Wake { at: None, awaited: vec![self.child], on_load: true };
                    if self.work.unload(wake).await? {
                        return Ok(WorkEnd::Unloaded);
                    }
                    patience = patience.max(RETRY_DELAY);
                    continue;
                }
            };
            return Ok(over.into());
        }
    }

    /// Cancels the child run and waits for its end. The grace period of this run limits the wait.
    async fn stop(&self, cursor: &mut Cursor) {
        let Work { tenant, run, runs, .. } = self.work;
        loop {
            match runs.cancel(*tenant, self.child, run.user).await {
                Ok(_) => break,
                Err(AttachError::Busy) => tokio::time::sleep(RETRY_DELAY).await,
                Err(why) => {
                    tracing::warn!(run = %run.id, child = %self.child, %why, "a child could not be cancelled");
                    return;
                }
            }
        }
        while let Ok(Some(_)) = cursor.next().await {}
    }

    /// Determines from new events whether the child run works or waits, and for which decision.
    async fn observe(&mut self, chunk: &Chunk) {
        let progress = chunk.events.iter().rev().find_map(|event| match &*event.kind {
            "run.waiting" | "run.paused" => Some((true, decision(event))),
            "run.resumed" | "run.started" => Some((false, None)),
            _ => None,
        });
        let Some((waits, asks)) = progress.filter(|progress| *progress != (self.waits, self.asks)) else {
            return;
        };
        (self.waits, self.asks) = (waits, asks);
        let (tenant, id) = (self.work.tenant, self.line);
        let state = if waits { AutomationRunState::Waiting } else { AutomationRunState::Running };
        let noted = retry_while_busy(|| {
            self.work.store.run(move |tx| match tx.get::<AutomationRun>(tenant, &id)? {
                Some(line) => to_state(tx, tenant, line, state, asks),
                None => Ok::<_, storage::Error>(()),
            })
        });
        if let Err(why) = noted.await {
            tracing::warn!(run = %self.work.run.id, %why, "the state of a ledger entry could not be written");
        }
    }
}

/// Returns the decision that the run requires to continue.
fn decision(event: &Event) -> Option<SkipReason> {
    match EventData::read(event) {
        Some(EventData::RunPaused(why)) if why.reason == "uncertain_effect" => {
            Some(SkipReason::UncertainEffect)
        }
        Some(EventData::RunPaused(why)) if why.reason == "crash_loop" => Some(SkipReason::CrashLoop),
        _ => None,
    }
}

/// Returns the outcome of this run after its child run has ended.
async fn outcome(work: &Work, child: Uuid) -> RunOutcome {
    let tenant = work.tenant;
    let terminal = work.store.read(move |reader| settle::terminal(reader, tenant, child)).await;
    let terminal = match terminal {
        Ok(Some(terminal)) => terminal,
        Ok(None) => return CHILD_DELETED,
        Err(why) => return broken(why),
    };
    match (terminal.status, terminal.error) {
        (RunState::Failed, Some(error)) => RunOutcome::Failed { error },
        (RunState::Failed, None) => RunOutcome::failed("failed", "the assistant's run failed"),
        (RunState::TimedOut, _) => {
            RunOutcome::TimedOut { reason: terminal.reason.unwrap_or_else(|| "run_timeout".to_owned()) }
        }
        (RunState::Cancelled, _) => RunOutcome::Cancelled,
        (RunState::Interrupted, _) if !terminal.partial => {
            RunOutcome::Interrupted { reason: terminal.reason.unwrap_or_else(|| "crashed".to_owned()) }
        }
        (RunState::Succeeded, _) => RunOutcome::Succeeded { reason: None },
        _ => RunOutcome::Partial { reason: terminal.reason.unwrap_or_else(|| "incomplete".to_owned()) },
    }
}
