//! Automations: an assistant that is run by a schedule.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::AutomationRunState;

/// What makes an automation run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerKind {
    /// People only.
    #[default]
    Manual,
    /// A cron expression in a time zone.
    Cron,
    /// Every so many seconds.
    Interval,
    /// One moment.
    Once,
}

/// When an automation runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Trigger {
    /// Which of the other fields count.
    pub kind: TriggerKind,
    /// Of the kind `cron`: minute, hour, day of the month, month, day of the week.
    #[schema(example = "30 7 * * MON-FRI")]
    pub cron: Option<String>,
    /// Of the kind `interval`: seconds between two ticks, at least 60.
    #[schema(minimum = 60)]
    pub every_s: Option<u64>,
    /// Of the kind `once`: the moment.
    pub at: Option<Timestamp>,
    /// The IANA time zone that a cron expression counts in, and titles are written in. Where none is given, that of the
    /// tenant when the trigger is set, and `UTC` where that has none.
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
}

/// What becomes of a tick while an earlier run is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It does not run.
    #[default]
    Skip,
    /// It waits; while one waits, further ones do not run.
    BufferOne,
    /// The earlier run is cancelled.
    CancelOther,
    /// Both run.
    Allow,
}

/// Which ticks are made up for that passed while the server was down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUpPolicy {
    #[default]
    Latest,
    /// All, one after the other.
    All,
    None,
}

/// Which missed ticks are made up for after the server was down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct CatchUp {
    /// How late a tick may be run, in seconds.
    #[schema(minimum = 0, maximum = 604800)]
    pub window_s: u64,
    /// Which of those.
    pub policy: CatchUpPolicy,
}

impl Default for CatchUp {
    fn default() -> Self {
        Self { window_s: 3_600, policy: CatchUpPolicy::default() }
    }
}

/// Why an automation does not run although its owner has not switched it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PausedReason {
    /// Too many runs in a row failed.
    Failures,
    AssistantDeleted,
    /// An administrator switched it off.
    Administrator,
}

/// An assistant that runs by a schedule, on behalf of its owner. What the schedule has come to is
/// an [`AutomationSchedule`], so that this row changes only when a user changes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Automation {
    pub name: String,
    /// The user it runs for.
    pub owner: Uuid,
    /// What it runs.
    pub assistant_id: Uuid,
    /// The message to a chat assistant.
    pub prompt: Option<String>,
    /// What a workflow is given.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// When it runs.
    pub trigger: Trigger,
    /// Whether its schedule runs it.
    pub enabled: bool,
    /// Why it is switched off, if its owner did not do it.
    pub paused_reason: Option<PausedReason>,
    /// What becomes of a tick while an earlier run is not over.
    pub overlap: Overlap,
    /// Which missed ticks are made up for after the server was down.
    pub catch_up: CatchUp,
    /// It is switched off after so many failures in a row; 0 for never.
    pub pause_after_failures: u32,
    /// Whether its owner is told of the first failure, an automatic pause and a recovery.
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

/// The latest run of an automation, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastRun {
    pub id: Uuid,
    pub state: AutomationRunState,
    /// The tick of the schedule that started it; none where a person started it.
    pub tick: Option<Timestamp>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// What the schedule of an automation has come to. Its id is the automation's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AutomationSchedule {
    /// Ticks count from here: when the trigger was last changed, or the automation switched on.
    pub anchor: Timestamp,
    /// The latest tick that has its line in the ledger.
    pub last_tick: Option<Timestamp>,
    /// The next tick by the definition, whether or not it will run.
    pub due_at: Option<Timestamp>,
    /// The number of consecutive failures.
    pub failures: u32,
    /// How many of the last lines of the ledger were skipped for the same reason.
    pub skips_in_row: u32,
    /// The last line of the ledger, if it was skipped.
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
