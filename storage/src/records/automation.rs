//! Automations: assistants that run on a schedule.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::AutomationRunState;

/// What starts an automation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerKind {
    /// Only a person.
    #[default]
    Manual,
    /// A cron expression in a time zone.
    Cron,
    /// A fixed interval in seconds.
    Interval,
    /// A single point in time.
    Once,
}

/// When an automation runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Trigger {
    /// Determines which of the other fields apply.
    pub kind: TriggerKind,
    /// For the kind `cron`: minute, hour, day of the month, month, day of the week.
    #[schema(example = "30 7 * * MON-FRI")]
    pub cron: Option<String>,
    /// For the kind `interval`: seconds between two ticks, at least 60.
    #[schema(minimum = 60)]
    pub every_s: Option<u64>,
    /// For the kind `once`: the time of the run.
    pub at: Option<Timestamp>,
    /// The IANA time zone in which a cron expression is evaluated and titles are written. If it is omitted, the
    /// tenant's time zone at the time the trigger is set or, if the tenant has none, `UTC`.
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
}

/// What happens to a tick while an earlier run has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The tick is skipped.
    #[default]
    Skip,
    /// The tick waits. While one waits, further ticks are skipped.
    BufferOne,
    /// The earlier run is cancelled.
    CancelOther,
    /// Both run.
    Allow,
}

/// Which of the ticks that were missed while the server was down are run afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUpPolicy {
    #[default]
    Latest,
    /// All, one after the other.
    All,
    None,
}

/// How ticks that were missed while the server was down are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CatchUp {
    /// Maximum delay of a tick, in seconds. Older ticks are not run.
    #[schema(minimum = 0, maximum = 604800)]
    pub window_s: u64,
    /// Which of the ticks within the window are run.
    pub policy: CatchUpPolicy,
}

impl Default for CatchUp {
    fn default() -> Self {
        Self { window_s: 3_600, policy: CatchUpPolicy::default() }
    }
}

/// Why an automation does not run although its owner has not disabled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PausedReason {
    /// Too many consecutive runs failed.
    Failures,
    AssistantDeleted,
    /// An administrator disabled it.
    Administrator,
}

/// An assistant that runs on a schedule, on behalf of its owner. The progress of the schedule is an
/// [`AutomationSchedule`], so that this row changes only when a user changes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Automation {
    pub name: String,
    /// The user on whose behalf it runs.
    pub owner: Uuid,
    /// The assistant that it runs.
    pub assistant_id: Uuid,
    /// The message to a chat assistant.
    pub prompt: Option<String>,
    /// The inputs of a workflow.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When it runs.
    pub trigger: Trigger,
    /// Whether the schedule starts runs.
    pub enabled: bool,
    /// Why it is disabled, if its owner did not disable it.
    pub paused_reason: Option<PausedReason>,
    /// What happens to a tick while an earlier run has not ended.
    pub overlap: Overlap,
    /// How ticks that were missed while the server was down are handled.
    pub catch_up: CatchUp,
    /// Number of consecutive failures after which it is disabled; 0 for never.
    pub pause_after_failures: u32,
    /// Whether the owner is notified of the first failure, an automatic pause and a recovery.
    pub notify: bool,
}

impl Default for Automation {
    fn default() -> Self {
        Self {
            name: String::new(),
            owner: Uuid::nil(),
            assistant_id: Uuid::nil(),
            prompt: None,
            inputs: None,
            trigger: Trigger::default(),
            enabled: true,
            paused_reason: None,
            overlap: Overlap::default(),
            catch_up: CatchUp::default(),
            pause_after_failures: 5,
            notify: true,
        }
    }
}

impl Record for Automation {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"am";
    const NAME: &'static str = "automation";
    const GROWTH: Growth<Self> =
        Growth::metered(|_, row| Owner::User(row.owner), "per user, `limits.automations_per_user`");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"a2",
            name: "by_owner",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.owner).done()],
        },
        Index {
            table: *b"a3",
            name: "by_assistant",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.assistant_id).done()],
        },
    ];
}

/// Summary of the latest run of an automation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastRun {
    pub id: Uuid,
    pub state: AutomationRunState,
    /// The tick of the schedule that started the run. Not set if a person started it.
    pub tick: Option<Timestamp>,
    /// Time at which the run started.
    pub started_at: Timestamp,
    /// Time at which the run ended.
    pub finished_at: Option<Timestamp>,
}

/// The progress of an automation's schedule. Its id is the automation's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AutomationSchedule {
    /// Ticks are counted from this time: when the trigger was last changed or the automation was last enabled.
    pub anchor: Timestamp,
    /// The latest tick that has an entry in the run history.
    pub last_tick: Option<Timestamp>,
    /// The next tick according to the trigger, whether or not it will run.
    pub due_at: Option<Timestamp>,
    /// The number of consecutive failures.
    pub failures: u32,
    /// Number of latest entries of the run history that were skipped for the same reason.
    pub skips_in_row: u32,
    /// The last entry of the run history, if it was skipped.
    pub last_skip: Option<Uuid>,
    /// The latest run that was not skipped.
    pub last_run: Option<LastRun>,
}

impl Record for AutomationSchedule {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"an";
    const NAME: &'static str = "automation_schedule";
    const GROWTH: Growth<Self> = Growth::OnePer("automation");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"a4",
        name: "by_due",
        unique: false,
        keys: |row| row.due_at.iter().map(|at| IndexKey::new().moment(*at).done()).collect(),
    }];
}
