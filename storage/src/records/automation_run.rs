//! The run history of automations: one entry for each tick or manual start.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{MessageError, Usage};

/// The state of a run of an automation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationRunState {
    /// The run waits for a free slot.
    #[default]
    Queued,
    /// The run is working.
    Running,
    /// The run waits for a person, an event or a point in time.
    Waiting,
    /// The run completed all of its work.
    Succeeded,
    /// The run completed a part of its work.
    Partial,
    Failed,
    /// The run was stopped before its end.
    Cancelled,
    /// The run exceeded its time limit.
    TimedOut,
    /// The tick was not run; `reason` has the cause.
    Skipped,
}

impl AutomationRunState {
    /// Returns whether the state is final.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting => false,
            Self::Succeeded
            | Self::Partial
            | Self::Failed
            | Self::Cancelled
            | Self::TimedOut
            | Self::Skipped => true,
        }
    }
}

/// Why a tick was not run, or why its run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// An earlier run had not ended.
    Overlap,
    /// The server was down, and the catch-up policy excludes the tick.
    MissedWindow,
    /// The owner may no longer sign in.
    OwnerDisabled,
    /// The assistant is disabled or deleted, or the owner may no longer use it.
    AssistantDisabled,
    /// The automation was disabled.
    Paused,
    /// A feature that the automation needs is disabled for the owner.
    FeatureDisabled,
    /// The run is paused until the owner decides about a node that may have taken effect.
    UncertainEffect,
    /// The run is paused until the owner decides about a node during which the server crashed repeatedly.
    CrashLoop,
}

/// One tick of an automation, or one manual start, and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AutomationRun {
    pub automation_id: Uuid,
    /// The user on whose behalf the automation runs.
    pub owner: Uuid,
    /// The assistant that does the work.
    pub assistant_id: Uuid,
    /// The scheduled time; `null` for a manual start.
    pub tick: Option<Timestamp>,
    /// Number of ticks in this entry. Consecutive skipped ticks share an entry.
    pub ticks: u32,
    /// The last tick of the entry.
    pub last_tick: Option<Timestamp>,
    pub state: AutomationRunState,
    /// Why the tick was skipped or, while the run is `waiting`, the decision that it waits for.
    pub reason: Option<SkipReason>,
    /// The message to a chat assistant.
    pub prompt: Option<String>,
    /// The inputs of a workflow.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// The conversation that the run belongs to.
    pub conversation_id: Option<Uuid>,
    /// The run; `null` while it waits for an earlier one.
    pub run_id: Option<Uuid>,
    /// The stream in the conversation that clients can attach to.
    pub stream_id: Option<Uuid>,
    /// Why the run failed.
    pub error: Option<MessageError>,
    /// Tokens used by the run.
    pub usage: Usage,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// Time at which the run began to work.
    pub started_at: Option<Timestamp>,
    /// Time at which the run ended.
    pub finished_at: Option<Timestamp>,
}

impl AutomationRun {
    /// Returns the key of the unique index `by_tick`.
    pub fn tick_key(automation: &Uuid, tick: Timestamp) -> Vec<u8> {
        IndexKey::new().id(automation).moment(tick).done()
    }
}

impl Record for AutomationRun {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"ar";
    const NAME: &'static str = "automation_run";
    const GROWTH: Growth<Self> =
        Growth::Counted("per automation, `automations.keep_runs` and `automations.keep_days`");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"a5",
            name: "by_automation",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.automation_id).done()],
        },
        Index {
            table: *b"a6",
            name: "by_owner",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.owner).done()],
        },
        Index {
            table: *b"a7",
            name: "live",
            unique: false,
            keys: |row| match row.state.is_terminal() {
                true => Vec::new(),
                false => vec![IndexKey::new().id(&row.automation_id).done()],
            },
        },
        // Guarantees that a tick runs at most once, whatever else fails.
        Index {
            table: *b"a8",
            name: "by_tick",
            unique: true,
            keys: |row| row.tick.iter().map(|at| Self::tick_key(&row.automation_id, *at)).collect(),
        },
    ];
}
