//! Creates the rows of an automation's run: the ledger entry, the conversation and the run.

use std::time::Duration;

use chrono::{DateTime, TimeZone};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{
    Automation, AutomationRun, AutomationRunState, AutomationSchedule, Conversation, LastRun, Run, RunKind,
    RunState, TitleSource,
};
use storage::{Row, TenantId, Timestamp, Tx, journal};
use uuid::Uuid;

/// The label of everything that automations start, on runs and usage records.
pub(super) const CONTEXT: &str = "automation";

/// The request to an assistant.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The prompt for a chat assistant.
    pub prompt: Option<String>,
    /// The inputs for a workflow.
    pub inputs: Option<Map<String, Value>>,
}

impl Ask {
    /// Returns the request that the automation defines.
    pub fn from_automation(automation: &Automation) -> Self {
        Self { prompt: automation.prompt.clone(), inputs: automation.inputs.clone() }
    }

    /// Returns this request. Omitted values are taken from the automation.
    pub fn or_of(self, automation: &Automation) -> Self {
        Self {
            prompt: self.prompt.or_else(|| automation.prompt.clone()),
            inputs: self.inputs.or_else(|| automation.inputs.clone()),
        }
    }
}

/// The parameters of a new run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub now: Timestamp,
    /// How long the run may work.
    pub timeout: Duration,
}

/// The part of its request that a run stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredRequest {
    /// The ledger entry of the run.
    pub line: Uuid,
    /// Maximum working time, in milliseconds. Time spent waiting for people and timers does not count.
    pub timeout_ms: u64,
}

/// Builds a ledger entry in its initial state, waiting.
pub(super) fn line(automation: &Row<Automation>, tick: Option<Timestamp>, ask: Ask) -> AutomationRun {
    AutomationRun {
        automation_id: automation.id,
        owner: automation.owner,
        assistant_id: automation.assistant_id,
        tick,
        ticks: 1,
        last_tick: tick,
        prompt: ask.prompt,
        inputs: ask.inputs,
        ..AutomationRun::default()
    }
}

/// Inserts a ledger entry together with everything that its run needs. Changes the schedule without writing it.
pub(super) fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    automation: &Row<Automation>,
    schedule: &mut AutomationSchedule,
    line: AutomationRun,
    opening: &Opening,
) -> storage::Result<(Row<AutomationRun>, Row<Run>)> {
    let mut line = tx.insert(tenant, storage::new_id(), line)?;
    let run = launchable(tx, tenant, automation, schedule, &mut line, opening)?;
    Ok((tx.update(tenant, line)?, run))
}

/// Inserts what the run of an entry needs: a conversation and a run. Changes the entry and the schedule without writing them.
pub(super) fn launchable(
    tx: &mut Tx,
    tenant: TenantId,
    automation: &Row<Automation>,
    schedule: &mut AutomationSchedule,
    line: &mut Row<AutomationRun>,
    opening: &Opening,
) -> storage::Result<Row<Run>> {
    let conversation = Conversation {
        title: Some(title(automation, line.tick.unwrap_or(opening.now))),
        title_source: TitleSource::Given,
        assistant_id: Some(automation.assistant_id),
        owner: automation.owner,
        is_system: true,
        ..Conversation::default()
    };
    let conversation = tx.insert(tenant, storage::new_id(), conversation)?;
    let timeout_ms = u64::try_from(opening.timeout.as_millis()).unwrap_or(u64::MAX);
    let stored_request = StoredRequest { line: line.id, timeout_ms };
    // The run has no conversation, because clients attach to the child run, which belongs to the conversation.
    let run = Run {
        kind: RunKind::Automation,
        user: automation.owner,
        assistant_id: Some(automation.assistant_id),
        state: RunState::Queued,
        epoch: 1,
        request: serde_json::to_value(&stored_request)
            .map_err(|why| storage::Error::Invalid(why.to_string()))?,
        context: Some(CONTEXT.to_owned()),
        trace: tx.trace(),
        ..Run::default()
    };
    let run = tx.insert(tenant, Uuid::now_v7(), run)?;
    journal::set_epoch(tx.batch(), tenant, run.id, 1);
    line.conversation_id = Some(conversation.id);
    line.run_id = Some(run.id);
    schedule.last_run = Some(LastRun {
        id: line.id,
        state: AutomationRunState::Queued,
        tick: line.tick,
        started_at: opening.now,
        finished_at: None,
    });
    Ok(run)
}

/// Builds a title from the name of the automation and the local time in its zone.
fn title(automation: &Automation, at: Timestamp) -> String {
    let zone = automation.trigger.timezone.as_deref().and_then(|zone| zone.parse::<Tz>().ok());
    let at = DateTime::from_timestamp_millis(at.as_millis()).unwrap_or_default();
    let at = zone.unwrap_or(Tz::UTC).from_utc_datetime(&at.naive_utc());
    format!("{} · {}", automation.name, at.format("%Y-%m-%d %H:%M"))
}
