//! Runs.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// What kind of work a run does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// An answer of a model.
    #[default]
    Completion,
    Workflow,
    Automation,
    /// A video job.
    Video,
    SkillBuild,
    /// The indexing of a document.
    Ingest,
    /// The synchronisation of groups with their directory.
    DirectorySync,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It waits for its turn.
    #[default]
    Queued,
    /// It works.
    Running,
    /// It waits for something; `state_detail` has the reason.
    Waiting,
    /// It was paused; `state_detail` has the reason.
    Paused,
    /// It is being cancelled.
    Cancelling,
    /// It was stopped.
    Cancelled,
    /// It did all it was to do.
    Succeeded,
    /// It did a part.
    Partial,
    Failed,
    /// It took too long.
    TimedOut,
    /// The server stopped during it.
    Interrupted,
}

impl RunKind {
    /// The kind as JSON writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completion => "completion",
            Self::Workflow => "workflow",
            Self::Automation => "automation",
            Self::Video => "video",
            Self::SkillBuild => "skill_build",
            Self::Ingest => "ingest",
            Self::DirectorySync => "directory_sync",
        }
    }
}

impl RunState {
    /// The state as JSON writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Cancelling => "cancelling",
            Self::Cancelled => "cancelled",
            Self::Succeeded => "succeeded",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the state is final.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting | Self::Paused | Self::Cancelling => false,
            Self::Cancelled
            | Self::Succeeded
            | Self::Partial
            | Self::Failed
            | Self::TimedOut
            | Self::Interrupted => true,
        }
    }
}

/// What becomes of a completion if the server stops during it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// It ends as interrupted, with the text so far.
    #[default]
    Keep,
    /// The model continues from the text so far.
    Continue,
    /// The answer starts over.
    Retry,
}

/// One durable piece of work. A completion's id is its stream's id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Run {
    /// What it does.
    pub kind: RunKind,
    /// The user it acts for.
    pub user: Uuid,
    /// The conversation it lives in.
    pub conversation_id: Option<Uuid>,
    /// The assistant that works.
    pub assistant_id: Option<Uuid>,
    /// The message it writes.
    pub message_id: Option<Uuid>,
    pub model: String,
    pub state: RunState,
    /// What it waits for, or why it is paused.
    pub state_detail: Option<String>,
    /// Which incarnation of its actor may write; grows with each recovery.
    pub epoch: u32,
    /// What becomes of it when the server stops.
    pub recovery: Recovery,
    /// The input.
    #[schema(value_type = Object)]
    pub request: Value,
    /// A free label of the calling surface.
    pub context: Option<String>,
    /// The API token that started it.
    pub token_id: Option<Uuid>,
    /// How often it was begun.
    pub attempts: u32,
    /// The user who cancelled it.
    pub cancel_by: Option<Uuid>,
    /// When it began to work.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Whether an answer that stands in no conversation is kept as long as those that stand in one.
    pub stored: bool,
    /// When its journal goes.
    pub expires_at: Option<Timestamp>,
    /// Whether its journal has gone; the run and its terminal record stay.
    pub journal_expired: bool,
    /// How often the process died under it.
    pub crashes: u32,
    /// What its user was told to see to and has not yet: ids of forms, and of executions whose effect is uncertain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// The notifications of those, by the same ids; without a value for what is not listed among notifications. Runs of earlier
    /// versions have none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(ignore)]
    pub notices: BTreeMap<String, Option<Uuid>>,
    /// The span that started it, as a W3C `traceparent`; none unless traces are exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub trace: Option<String>,
    /// Whether it waits and is not in memory: it is loaded by a command, or at `wake_at`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(ignore)]
    pub unloaded: bool,
    /// When it is loaded, if it is unloaded; without a time, a command has to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub wake_at: Option<Timestamp>,
    /// The runs that were unloaded while they waited for this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(ignore)]
    pub awaited_by: Vec<AwaitingRun>,
}

/// A run that was unloaded while it waited for another, in whose row this stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitingRun {
    pub run_id: Uuid,
    /// Whether it is loaded as soon as the other run is, and not only at the other's end.
    pub on_load: bool,
}

impl Run {
    /// Leaves a note that `run_id` is to be loaded once this one ends, or already once it is loaded.
    pub fn add_awaiting(&mut self, run_id: Uuid, on_load: bool) {
        self.awaited_by.retain(|awaiting| awaiting.run_id != run_id);
        self.awaited_by.push(AwaitingRun { run_id, on_load });
    }

    /// Whether it is in memory, or has to be loaded at the next start.
    const fn is_awake(&self) -> bool {
        !self.state.is_terminal() && !self.unloaded
    }
}

impl Record for Run {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"ru";
    const NAME: &'static str = "run";
    const GROWTH: Growth<Self> = Growth::metered(
        |_, row| Owner::User(row.user),
        "live ones, `runs.per_user` and `runs.queued_per_user`",
    );
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"r1",
            name: "live",
            unique: false,
            keys: |row| if row.state.is_terminal() { Vec::new() } else { vec![Vec::new()] },
        },
        Index {
            table: *b"r2",
            name: "by_conversation",
            unique: false,
            keys: |row| row.conversation_id.iter().map(|id| IndexKey::new().id(id).done()).collect(),
        },
        Index {
            table: *b"r4",
            name: "live_by_conversation",
            unique: false,
            keys: |row| match (row.state.is_terminal(), row.conversation_id) {
                (false, Some(id)) => vec![IndexKey::new().id(&id).done()],
                _ => Vec::new(),
            },
        },
        Index {
            table: *b"r3",
            name: "by_expiry",
            unique: false,
            keys: |row| match (row.state.is_terminal() && !row.journal_expired, row.expires_at) {
                (true, Some(at)) => vec![IndexKey::new().moment(at).done()],
                _ => Vec::new(),
            },
        },
        Index {
            table: *b"r5",
            name: "awake",
            unique: false,
            keys: |row| if row.is_awake() { vec![Vec::new()] } else { Vec::new() },
        },
        Index {
            table: *b"r6",
            name: "by_wake",
            unique: false,
            keys: |row| match (row.unloaded && !row.state.is_terminal(), row.wake_at) {
                (true, Some(at)) => vec![IndexKey::new().moment(at).done()],
                _ => Vec::new(),
            },
        },
        Index {
            table: *b"r7",
            name: "unloaded_by_user",
            unique: false,
            keys: |row| match row.unloaded && !row.state.is_terminal() {
                true => vec![IndexKey::new().id(&row.user).done()],
                false => Vec::new(),
            },
        },
    ];

    fn notifies(_id: &Uuid, body: &Self) -> Option<Uuid> {
        body.conversation_id
    }
}
