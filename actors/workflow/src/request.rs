//! What a run of a workflow is asked for, what it keeps of that, and what it can be asked while it
//! runs.

use domain::{Code, Refusal};
use runs::located;
use std::collections::BTreeMap;

use assist::completion::OnActive;
use runs::{Cursor, GraphFault, Question, RequestKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Breakpoint, Run, RunState};
use storage::{BlobId, Row, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// A run of a workflow that is asked for.
#[derive(Clone, Debug)]
pub struct WorkflowStart {
    /// Whose it is.
    pub tenant: TenantId,
    /// Who asks; they may see the assistant.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// The assistant whose workflow it is.
    pub assistant_id: Uuid,
    /// Where it lives.
    pub place: ConversationTarget,
    pub inputs: Map<String, Value>,
    /// The client's own key: the same key within 24 h gives the same run.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex: a key used for another request is refused.
    pub request_sha256: String,
    /// What is done when a run is live in the conversation.
    pub on_active: OnActive,
    /// A free label of the surface that asks, for the usage record.
    pub context: Option<String>,
    /// Orders of a debug session.
    pub debug: Option<Debug>,
    /// The run that starts this one.
    pub parent: Option<Uuid>,
}

/// Where a run lives.
#[derive(Clone, Debug)]
pub enum ConversationTarget {
    /// In a conversation of the user's.
    Existing(Uuid),
    New {
        /// Whether it is the platform's own.
        is_system: bool,
        /// Its title; else it is made from the inputs.
        title: Option<String>,
    },
}

/// An accepted run.
pub struct Started {
    /// The run, as it was accepted. Its id is that of the stream.
    pub run: Row<Run>,
    /// Where it lives.
    pub conversation_id: Uuid,
    /// The message that its answers are written to.
    pub message_id: Uuid,
    /// Whether it had been accepted before, under the same idempotency key.
    pub resumed: bool,
    /// A reader of it, from its first event.
    pub cursor: Cursor,
}

/// Orders of a debug session, at the start of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Debug {
    /// How far it goes, and what is changed on the way.
    pub order: Order,
    /// The run that it repeats in part.
    pub fork: Option<Fork>,
}

/// A run that repeats an earlier one in part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fork {
    /// The earlier run.
    pub from: Uuid,
    /// Whether it goes by the graph of that run, and not by the assistant's of now.
    pub pinned: bool,
    /// The graph that it was computed for, by its hash; another one is not run.
    pub graph_hash: Option<String>,
    /// Nodes of the outermost level whose executions, with all within them, are taken over.
    pub reuse: Vec<String>,
    /// Nodes that run again.
    pub stale: Vec<String>,
}

/// How far a debugged run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayMode {
    /// To the next breakpoint or the end.
    #[default]
    Run,
    /// One node.
    Step,
    /// To the node named by `until`.
    Until,
}

/// Orders of a debug session for a run from here on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Order {
    /// How far it goes.
    pub mode: PlayMode,
    /// With [`PlayMode::Until`]: the node before which it stops.
    pub until: Option<String>,
    /// Where it stops.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that do not run, with the outputs they are taken to have.
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Inputs that are changed: `node.in.name`.
    pub overrides: BTreeMap<String, Value>,
}

impl Question for Order {
    type Answer = Result<RunState, ResumeRefused>;
}

/// Something that a run waits for has come.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// Who brings it.
    pub by: Uuid,
    /// The form that is answered; may be left out where only one waits.
    pub form_id: Option<Uuid>,
    /// The button; or what is to become of a pause: `continue`, `retry`, `skip`, `fail`.
    pub action: Option<String>,
    /// What was filled in; or the data of the event.
    pub fields: Map<String, Value>,
    /// The event that has come.
    pub event: Option<String>,
    /// The node that is meant, where several wait for the same.
    pub node_id: Option<String>,
}

/// What was done about it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Resumed {
    /// The run's state.
    pub state: RunState,
    /// The form that was answered.
    pub form_id: Option<Uuid>,
    /// Executions of nodes that go on.
    pub executions: Vec<String>,
}

/// Why it was not.
#[derive(Clone, Debug, PartialEq)]
pub enum ResumeRefused {
    /// The run waits for nothing of the kind.
    NotWaiting,
    /// There is no such form in this run.
    NoSuchForm,
    /// The form was answered before: with this.
    Answered {
        /// `{form_id, action, fields, by}`.
        first: Value,
    },
    /// The form has expired.
    Expired,
    /// What was filled in does not fit; faults are located from the request's body inwards.
    Invalid(Vec<GraphFault>),
    /// The run is about to end.
    Ending,
}

impl Question for Resume {
    type Answer = Result<Resumed, ResumeRefused>;
}

/// The part of its request that a run stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredRequest {
    /// SHA-256 of the graph it goes by.
    pub graph_hash: String,
    /// Where the graph is kept for as long as the run's journal is.
    pub graph: Option<BlobId>,
    /// What it was started with,
    pub inputs: Map<String, Value>,
    /// or where that is kept, if it is large.
    pub inputs_blob: Option<BlobId>,
    /// The user's message that it answers.
    pub parent_id: Option<Uuid>,
    /// The input that the message goes to, where it is what the run was started with.
    pub from_message: Option<String>,
    /// The last orders of a debug session.
    pub debug: Option<Debug>,
    /// The run that started this one.
    pub parent: Option<Uuid>,
    /// How many runs stand above it.
    pub depth: u32,
    /// Whether its graph, or that of a run above it, may send what it reads to other servers.
    pub sends: bool,
    /// What the conversation is called, if it has no name yet.
    pub title: Option<String>,
}

impl StoredRequest {
    /// The request that is stored in the record of a run; empty for other kinds of runs.
    pub fn from_run(run: &Run) -> Self {
        serde_json::from_value(run.request.clone()).unwrap_or_default()
    }
}

impl From<ResumeRefused> for Refusal {
    fn from(why: ResumeRefused) -> Self {
        match why {
            ResumeRefused::NotWaiting | ResumeRefused::Ending => Code::NotWaiting.into(),
            ResumeRefused::NoSuchForm => Refusal::not_found("form"),
            ResumeRefused::Answered { first } => Refusal::new(Code::FormAnswered).extra("first", first),
            ResumeRefused::Expired => Code::FormExpired.into(),
            ResumeRefused::Invalid(faults) => located("body", &[], faults),
        }
    }
}
