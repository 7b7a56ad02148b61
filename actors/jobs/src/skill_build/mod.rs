//! The skill builder: a model drafts a skill, the sandbox tests it, and failures are reported to the model.
//!
//! A build is an ordinary run: it is supervised, can be stopped, and continues after a crash. The results of its drafts are
//! stored in the [`SkillDraft`], in the same transaction as the corresponding event. A new actor therefore knows the number of
//! drafts and the faults of the last one.

mod ask;
mod attempts;
mod builtin;
mod check;
mod discard;
pub mod pack;
mod prompts;
mod spending;
mod start;

use std::sync::Arc;

use assist::billing;
use assist::{RunContext, RunWork};
use async_trait::async_trait;
use runs::{Event, EventData, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use storage::records::{Run, RunState, SkillDraft, SkillDraftState};
use storage::{Row, TenantId, Tx};

pub use discard::discard;
pub use start::{BuildStart, start};

use spending::Spending;

/// Maximum number of drafts per build.
const ATTEMPTS: u32 = 3;

/// The run kind that builds skills.
pub struct SkillBuild {
    run_context: Arc<RunContext>,
}

impl SkillBuild {
    /// Creates the run kind. Builds use the services of `run_context`.
    pub fn new(run_context: Arc<RunContext>) -> Self {
        Self { run_context }
    }
}

#[async_trait]
impl RunHandler for SkillBuild {
    type Details = Spending;

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        let work = RunWork::new(work, self.run_context.clone());
        if work.run.crashes > work.max_recoveries {
            return Ok(RunOutcome::Interrupted { reason: "recovery_limit".to_owned() }.into());
        }
        // Dropping the build closes the connection to the model and kills the script under test.
        tokio::select! {
            biased;
            () = work.cancel.cancelled() => Ok(RunOutcome::Cancelled.into()),
            outcome = attempts::build(&work) => outcome.map(WorkEnd::Ended),
        }
    }

    fn close_needs(&self, kind: &str) -> bool {
        Spending::NEEDED.contains(&kind)
    }

    fn close(&self, run: &Row<Run>, history: &[Event], _: &RunOutcome) -> RunSummary<Spending> {
        let mut spending = Spending::from_history(history);
        let mut events: Vec<EventData> = spending.close_parts();
        events.extend(spending.unreported_usage(&run.model, &self.run_context.models));
        let total = spending.total();
        RunSummary {
            events: events.into_iter().map(Into::into).collect(),
            usage: total.usage,
            cost_nanos: total.cost_nanos,
            partial: false,
            details: spending,
        }
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        spending: &Spending,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        settle(tx, tenant, run, terminal)?;
        book(tx, tenant, run, spending, terminal)
    }

    fn abandon_needs(&self, kind: &str) -> bool {
        Spending::NEEDED.contains(&kind)
    }

    fn abandon(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        history: &[Event],
        terminal: &mut Terminal,
    ) -> storage::Result<()> {
        let mut spending = Spending::from_history(history);
        // The usage is billed, although the journal of such a run gets no event about it.
        spending.unreported_usage(&run.model, &self.run_context.models);
        let total = spending.total();
        (terminal.usage, terminal.cost_nanos) = (total.usage, total.cost_nanos);
        settle(tx, tenant, run, terminal)?;
        book(tx, tenant, run, &spending, terminal)
    }
}

fn book(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    spending: &Spending,
    terminal: &Terminal,
) -> storage::Result<()> {
    for (by, used) in spending.by_model.iter().filter(|(_, used)| !used.is_free()) {
        let model = by.as_ref().unwrap_or(&run.model);
        billing::book(tx, tenant, run, terminal, "skill_build", model, used)?;
    }
    Ok(())
}

/// Records in the draft how its build ended. A draft that was deleted in the meantime stays deleted.
fn settle(tx: &mut Tx, tenant: TenantId, run: &Row<Run>, terminal: &Terminal) -> storage::Result<()> {
    let Some(mut draft) = draft_of(tx, tenant, run)? else { return Ok(()) };
    if draft.state != SkillDraftState::Building {
        return Ok(());
    }
    draft.state = match terminal.status {
        RunState::Succeeded => SkillDraftState::Ready,
        RunState::Cancelled => SkillDraftState::Cancelled,
        _ => SkillDraftState::Failed,
    };
    draft.error = match (&terminal.error, draft.state) {
        (Some(error), _) => Some(error.message.clone()),
        (None, SkillDraftState::Failed) => Some("the server repeatedly stopped during the build".to_owned()),
        (None, _) => None,
    };
    draft.finished_at = Some(terminal.finished_at);
    tx.update(tenant, draft).map(drop)
}

/// Returns the draft that a run works on.
fn draft_of(
    reader: &storage::Reader,
    tenant: TenantId,
    run: &Row<Run>,
) -> storage::Result<Option<Row<SkillDraft>>> {
    match run.assistant_id {
        Some(assistant) => reader.get::<SkillDraft>(tenant, &(assistant, run.id)),
        None => Ok(None),
    }
}
