//! The end of a run: its ledger entry, the effect on the automation, and the notification of the owner.

use runs::{Terminal, TerminalError};
use storage::records::{
    Automation, AutomationRun, AutomationRunState, AutomationSchedule, LastRun, MessageError, PausedReason,
    RunState,
};
use storage::{Row, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::ledger;
use super::notices::{self, AutomationNotice};

/// How the run of a ledger entry has ended.
pub(super) struct End {
    pub status: RunState,
    pub error: Option<TerminalError>,
    pub at: Timestamp,
}

impl End {
    pub fn from_terminal(terminal: &Terminal) -> Self {
        Self { status: terminal.status, error: terminal.error.clone(), at: terminal.finished_at }
    }
}

/// Records the end of a ledger entry, at most once, with its consequences: the count of consecutive failures, the automatic
/// pause, and the notification of the owner.
pub(super) fn settle(tx: &mut Tx, tenant: TenantId, id: Uuid, end: &End) -> storage::Result<()> {
    let Some(mut line) = tx.get::<AutomationRun>(tenant, &id)?.filter(|line| !line.state.is_terminal())
    else {
        return Ok(());
    };
    let child = match line.stream_id {
        Some(stream) => terminal(tx, tenant, stream)?,
        None => None,
    };
    line.state = state(end, child.as_ref());
    line.finished_at = Some(end.at);
    line.reason = None;
    let child_error = child.as_ref().and_then(|child| child.error.clone());
    let wrong = matches!(line.state, AutomationRunState::Failed | AutomationRunState::TimedOut);
    let passed_over = || {
        let reason = child.as_ref().and_then(|child| child.reason.clone());
        reason
            .filter(|_| line.state == AutomationRunState::Partial)
            .map(|why| TerminalError::new("partial", why))
    };
    let error = end.error.clone().or(child_error).or_else(passed_over);
    let error = error.or_else(|| wrong.then(|| unsaid(line.state)));
    line.error = error.map(MessageError::from);
    if let Some(child) = child {
        (line.usage, line.cost_nanos) = (child.usage, child.cost_nanos);
        line.started_at = line.started_at.or(child.started_at);
    }
    let line = tx.update(tenant, line)?;
    if let Some((automation, schedule)) = ledger::load(tx, tenant, line.automation_id)? {
        follow(tx, tenant, automation, schedule, &line)?;
    }
    Ok(())
}

/// The error of a failed run that has reported no error itself.
fn unsaid(state: AutomationRunState) -> TerminalError {
    let (code, message) = match state {
        AutomationRunState::TimedOut => ("run_timeout", "the run exceeded its time limit"),
        _ => ("interrupted", "the run was interrupted"),
    };
    TerminalError::new(code, message)
}

/// Returns the terminal record of a run, if the run has ended and the record still exists.
pub(super) fn terminal(
    reader: &storage::Reader,
    tenant: TenantId,
    run: Uuid,
) -> storage::Result<Option<Terminal>> {
    let json = reader.terminal(tenant, run)?;
    let terminal = json.and_then(|json| serde_json::from_slice::<Terminal>(&json).ok());
    // The owner of an automation is not necessarily an editor of the workflow that it starts.
    Ok(terminal.map(Terminal::outline))
}

fn state(end: &End, child: Option<&Terminal>) -> AutomationRunState {
    match end.status {
        RunState::Cancelled => AutomationRunState::Cancelled,
        RunState::TimedOut => AutomationRunState::TimedOut,
        // The outcome of the child run is more specific than the outcome of this run.
        RunState::Succeeded | RunState::Partial => match child.map(|child| (child.status, child.partial)) {
            None | Some((RunState::Succeeded, _)) => AutomationRunState::Succeeded,
            Some((RunState::Partial, _) | (RunState::Interrupted, true)) => AutomationRunState::Partial,
            Some((RunState::Cancelled, _)) => AutomationRunState::Cancelled,
            Some((RunState::TimedOut, _)) => AutomationRunState::TimedOut,
            Some(_) => AutomationRunState::Failed,
        },
        _ => AutomationRunState::Failed,
    }
}

fn follow(
    tx: &mut Tx,
    tenant: TenantId,
    mut automation: Row<Automation>,
    mut schedule: Row<AutomationSchedule>,
    line: &Row<AutomationRun>,
) -> storage::Result<()> {
    note(&mut schedule, line);
    match line.state {
        AutomationRunState::Failed | AutomationRunState::TimedOut => {
            schedule.failures = schedule.failures.saturating_add(1);
            if schedule.failures == 1 {
                notices::notify(tx, tenant, &automation, line, AutomationNotice::Failed)?;
            }
            let most = automation.pause_after_failures;
            if most > 0 && schedule.failures >= most && automation.enabled {
                automation.enabled = false;
                automation.paused_reason = Some(PausedReason::Failures);
                automation = tx.update(tenant, automation)?;
                let failures = schedule.failures;
                notices::notify(tx, tenant, &automation, line, AutomationNotice::Paused { failures })?;
            }
        }
        AutomationRunState::Succeeded if schedule.failures > 0 => {
            schedule.failures = 0;
            notices::notify(tx, tenant, &automation, line, AutomationNotice::Recovered)?;
        }
        _ => {}
    }
    tx.update(tenant, schedule).map(drop)
}

/// Updates the summary of the latest run in the schedule.
pub(super) fn note(schedule: &mut AutomationSchedule, line: &Row<AutomationRun>) {
    if let Some(last) = schedule.last_run.filter(|last| last.id == line.id) {
        let (state, finished_at) = (line.state, line.finished_at);
        schedule.last_run = Some(LastRun { state, finished_at, ..last });
    }
}
