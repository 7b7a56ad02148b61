//! The skill builder: a model drafts a skill, the sandbox tries it, and failures are reported to the
//! model.
//!
//! A build is a run like any other: it is supervised, it can be stopped, and it goes on after a
//! crash. What came of its drafts is in the [`SkillDraft`], written together with the event that
//! tells of it; so a fresh actor knows how many drafts there were and what was wrong with the last.

mod ask;
mod attempts;
mod builtin;
mod check;
mod discard;
pub mod pack;
mod spending;
mod start;
mod words;

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

/// Drafts that one build may make.
const ATTEMPTS: u32 = 3;

/// The kind of run that builds skills.
pub struct SkillBuild {
    run_context: Arc<RunContext>,
}

impl SkillBuild {
    /// Builds with what `run_context` has.
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
        // Dropping the build hangs up on the model and kills the script that is tried.
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
        let mut events: Vec<EventData> = spending.shut();
        events.extend(spending.owed(&run.model, &self.run_context.models));
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
        for (by, used) in spending.taken.iter().filter(|(_, used)| !used.is_free()) {
            let model = by.as_ref().unwrap_or(&run.model);
            billing::book(tx, tenant, run, terminal, "skill_build", model, used)?;
        }
        Ok(())
    }
}

/// Writes in the draft how its build ended. A draft that was deleted by now stays deleted.
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
        (None, SkillDraftState::Failed) => Some("the server stopped again and again in its midst".to_owned()),
        (None, _) => None,
    };
    draft.finished_at = Some(terminal.finished_at);
    tx.update(tenant, draft).map(drop)
}

/// The draft that a run works on.
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
