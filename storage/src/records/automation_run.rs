//! The ledger of automations: one line a tick, or a start by hand.

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
    /// It waits for its turn.
    #[default]
    Queued,
    /// It works.
    Running,
    /// It waits for a person, an event or a moment.
    Waiting,
    /// It did all it was to do.
    Succeeded,
    /// It did a part.
    Partial,
    Failed,
    /// It was stopped.
    Cancelled,
    /// It took too long.
    TimedOut,
    /// The tick did not run; `reason` has the cause.
    Skipped,
}

impl AutomationRunState {
    /// Whether the state is final.
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

/// Why a tick did not run, or why its run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// An earlier run was not over.
    Overlap,
    /// The server was down, and the tick is not one to be made up for.
    MissedWindow,
    /// The owner may not sign in any more.
    OwnerDisabled,
    /// The assistant is disabled, deleted, or not the owner's to use any more.
    AssistantDisabled,
    /// The automation was switched off.
    Paused,
    /// A feature that it needs is switched off for the owner.
    FeatureDisabled,
    /// Its run is paused until the owner decides about a node that may have taken effect.
    UncertainEffect,
    /// Its run is paused until the owner decides about a node during which the server crashed repeatedly.
    CrashLoop,
}

/// One tick of an automation, or one manual start, and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AutomationRun {
    pub automation_id: Uuid,
    /// The user it acts for.
    pub owner: Uuid,
    /// What ran.
    pub assistant_id: Uuid,
    /// The scheduled time; `null` for a manual start.
    pub tick: Option<Timestamp>,
    /// How many ticks the line stands for: a long row of skipped ones is one line.
    pub ticks: u32,
    /// The last of them.
    pub last_tick: Option<Timestamp>,
    pub state: AutomationRunState,
    /// Why it was skipped; or, while it is `waiting`, the decision that it waits for.
    pub reason: Option<SkipReason>,
    /// The message to a chat assistant.
    pub prompt: Option<String>,
    /// What a workflow is given.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// The conversation it lives in.
    pub conversation_id: Option<Uuid>,
    /// Its run; `null` while it waits for an earlier one.
    pub run_id: Option<Uuid>,
    /// The stream to attach to, in the conversation.
    pub stream_id: Option<Uuid>,
    /// What went wrong.
    pub error: Option<MessageError>,
    /// Tokens it used.
    pub usage: Usage,
    /// Their cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// When its work began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl AutomationRun {
    /// The value of the unique index `by_tick`.
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
        // What makes a tick run at most once, whatever else goes wrong.
        Index {
            table: *b"a8",
            name: "by_tick",
            unique: true,
            keys: |row| row.tick.iter().map(|at| Self::tick_key(&row.automation_id, *at)).collect(),
        },
    ];
}
