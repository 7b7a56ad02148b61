//! Representation of automations and their runs in responses.

use jobs::automation::Schedule;
use serde::Serialize;
use storage::records::{Automation, AutomationRun, AutomationSchedule, LastRun};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;

use crate::http::{Caller, HasVersion, list_of};

/// Number of upcoming ticks in a response.
const TICKS: usize = 5;

pub type StoredAutomation = Row<Automation>;
pub type StoredRun = Row<AutomationRun>;

/// An automation. Administrators do not see the prompts and inputs of other users' automations.
#[derive(Debug, Serialize, ToSchema)]
pub struct AutomationResponse {
    #[serde(flatten)]
    pub automation: StoredAutomation,
    /// When the automation runs next; `null` if it is disabled or has no further ticks.
    pub next_run_at: Option<Timestamp>,
    /// The next five ticks, beginning with `next_run_at`. If the automation is disabled, the ticks that it would have if it were enabled
    /// now.
    pub next_ticks: Vec<Timestamp>,
    /// Number of failures since the last success.
    pub failures_in_row: u32,
    /// The latest run that was started.
    pub last_run: Option<LastRun>,
}

impl AutomationResponse {
    /// Builds the representation that this caller may see.
    pub fn from_row(
        reader: &Reader,
        caller: &Caller,
        mut automation: Row<Automation>,
        now: Timestamp,
    ) -> storage::Result<Self> {
        let schedule = reader.get::<AutomationSchedule>(caller.tenant, &automation.id)?;
        let schedule = schedule.map(|row| row.body).unwrap_or_default();
        let next_ticks = match automation.enabled {
            true => {
                upcoming(&automation, schedule.anchor, now.max(schedule.last_tick.unwrap_or(schedule.anchor)))
            }
            false => upcoming(&automation, now, now),
        };
        let (enabled, mut last_run) = (automation.enabled, schedule.last_run);
        if automation.owner != caller.user {
            (automation.prompt, automation.inputs, last_run) = (None, None, None);
        }
        Ok(Self {
            automation,
            next_run_at: next_ticks.first().copied().filter(|_| enabled),
            next_ticks,
            failures_in_row: schedule.failures,
            last_run,
        })
    }
}

fn upcoming(automation: &Automation, anchor: Timestamp, after: Timestamp) -> Vec<Timestamp> {
    let read = Schedule::read(&automation.trigger, anchor);
    read.map(|read| read.upcoming(after, TICKS)).unwrap_or_default()
}

impl HasVersion for AutomationResponse {
    fn version(&self) -> u64 {
        self.automation.version
    }
}

list_of! {
    /// A page of automations, oldest first.
    #[derive(Debug)]
    pub AutomationResponseList of AutomationResponse
}

/// A run of an automation, started by a tick or by hand, and its result.
#[derive(Debug, Serialize, ToSchema)]
pub struct AutomationRunResponse {
    #[serde(flatten)]
    pub run: StoredRun,
    /// Cost of the run, in dollars.
    #[schema(example = "0.000001250")]
    pub cost: String,
}

impl From<Row<AutomationRun>> for AutomationRunResponse {
    fn from(run: Row<AutomationRun>) -> Self {
        let (dollars, nanos) = (run.cost_nanos / 1_000_000_000, run.cost_nanos % 1_000_000_000);
        Self { cost: format!("{dollars}.{nanos:09}"), run }
    }
}

list_of! {
    /// A page of runs, newest first.
    #[derive(Debug)]
    pub AutomationRunResponseList of AutomationRunResponse
}
