//! Runs and their states.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The kind of work that a run does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A response of a model.
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
    /// The run waits for a free slot.
    #[default]
    Queued,
    /// The run is working.
    Running,
    /// The run waits for something; `state_detail` has the reason.
    Waiting,
    /// The run was paused; `state_detail` has the reason.
    Paused,
    /// The run is being cancelled.
    Cancelling,
    /// The run was stopped before its end.
    Cancelled,
    /// The run completed all of its work.
    Succeeded,
    /// The run completed a part of its work.
    Partial,
    Failed,
    /// The run exceeded its time limit.
    TimedOut,
    /// The server stopped during the run.
    Interrupted,
}

impl RunKind {
    /// Returns the name of the kind in JSON.
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
    /// Returns the name of the state in JSON.
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

    /// Returns whether the state is final.
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

/// What happens to a completion if the server stops during it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// The completion ends as interrupted, with the text so far.
    #[default]
    Keep,
    /// The model continues from the text so far.
    Continue,
    /// The response starts over.
    Retry,
}

/// A durable piece of work. The id of a completion is the id of its stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Run {
    /// The kind of work that the run does.
    pub kind: RunKind,
    /// The user on whose behalf the run works.
    pub user: Uuid,
    /// The conversation that the run belongs to.
    pub conversation_id: Option<Uuid>,
    /// The assistant that responds.
    pub assistant_id: Option<Uuid>,
    /// The message that the run writes.
    pub message_id: Option<Uuid>,
    pub model: String,
    pub state: RunState,
    /// What the run waits for, or why it is paused.
    pub state_detail: Option<String>,
    /// The epoch of the run: only the actor of the current epoch may write. Grows with each recovery.
    pub epoch: u32,
    /// What happens to the run if the server stops during it.
    pub recovery: Recovery,
    /// The input of the run.
    #[schema(value_type = Object)]
    pub request: Value,
    /// A free-form label set by the client.
    pub context: Option<String>,
    /// The API token that started the run.
    pub token_id: Option<Uuid>,
    /// Number of times the run was started.
    pub attempts: u32,
    /// The user who cancelled the run.
    pub cancel_by: Option<Uuid>,
    /// Time at which the run began to work.
    pub started_at: Option<Timestamp>,
    /// Time at which the run ended.
    pub ended_at: Option<Timestamp>,
    /// Whether a response outside a conversation is retained as long as one in a conversation.
    pub stored: bool,
    /// Time at which the journal is deleted.
    pub expires_at: Option<Timestamp>,
    /// Whether the journal has been deleted. The run and its terminal record remain.
    pub journal_expired: bool,
    /// Number of times the process crashed during the run.
    pub crashes: u32,
    /// Requests that the user has been notified of and has not answered yet: ids of forms, and of executions whose effect is
    /// uncertain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// The notices about the entries of `told`, by the same ids. The value is empty if the entry is not listed among the
    /// notices. Runs of earlier versions have no entries.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(ignore)]
    pub notices: BTreeMap<String, Option<Uuid>>,
    /// The span that started the run, as a W3C `traceparent`. Only set if traces are exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub trace: Option<String>,
    /// Whether the run waits and is not in memory. A command loads it, or the clock at `wake_at`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(ignore)]
    pub unloaded: bool,
    /// Time at which an unloaded run is loaded. Without a time, only a command loads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub wake_at: Option<Timestamp>,
    /// The runs that were unloaded while they waited for this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(ignore)]
    pub awaited_by: Vec<AwaitingRun>,
}

/// A run that was unloaded while it waited for another. It is stored in the row of the other run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitingRun {
    pub run_id: Uuid,
    /// Whether the waiting run is loaded as soon as the other run is loaded, and not only when the other run ends.
    pub on_load: bool,
}

impl Run {
    /// Records that `run_id` is to be loaded when this run ends or, with `on_load`, as soon as this run is loaded.
    pub fn add_awaiting(&mut self, run_id: Uuid, on_load: bool) {
        self.awaited_by.retain(|awaiting| awaiting.run_id != run_id);
        self.awaited_by.push(AwaitingRun { run_id, on_load });
    }

    /// Returns whether the run is in memory, or has to be loaded at the next start.
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
