//! The request of a workflow run, the part of it that the run stores, and the commands that a live run accepts.

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

/// A request to start a workflow run.
#[derive(Clone, Debug)]
pub struct WorkflowStart {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    /// The user who starts the run. The user may see the assistant.
    pub user: Uuid,
    /// The API token of the request, for the usage record.
    pub token_id: Option<Uuid>,
    /// The assistant that defines the workflow.
    pub assistant_id: Uuid,
    /// The conversation that the run writes to.
    pub place: ConversationTarget,
    pub inputs: Map<String, Value>,
    /// The client's idempotency key. A repeated key within 24 hours returns the same run.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex. A key that was used for a different request is refused.
    pub request_sha256: String,
    /// What to do if a run is live in the conversation.
    pub on_active: OnActive,
    /// A free-form label of the surface that sends the request, for the usage record.
    pub context: Option<String>,
    /// Instructions of a debug session.
    pub debug: Option<Debug>,
    /// The run that starts this run, if any.
    pub parent: Option<Uuid>,
}

/// The conversation of a run.
#[derive(Clone, Debug)]
pub enum ConversationTarget {
    /// An existing conversation of the user.
    Existing(Uuid),
    New {
        /// Whether the platform created the conversation for its own use.
        is_system: bool,
        /// The title. If there is none, the title is derived from the inputs.
        title: Option<String>,
    },
}

/// An accepted run.
pub struct Started {
    /// The run as it was accepted. The id of the run is also the id of the stream.
    pub run: Row<Run>,
    /// The conversation that the run belongs to.
    pub conversation_id: Uuid,
    /// The message that receives the run's output.
    pub message_id: Uuid,
    /// Whether the run had already been accepted under the same idempotency key.
    pub resumed: bool,
    /// A reader of the run, starting at the first event.
    pub cursor: Cursor,
}

/// Instructions of a debug session, given at the start of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Debug {
    /// How far the run proceeds, and what is changed on the way.
    pub order: Order,
    /// The earlier run that this run partly repeats.
    pub fork: Option<Fork>,
}

/// Describes how a run partly repeats an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fork {
    /// The earlier run.
    pub from: Uuid,
    /// Whether the run uses the graph of the earlier run instead of the assistant's current graph.
    pub pinned: bool,
    /// The hash of the graph that the lists were computed for. If the current graph differs, the run is refused.
    pub graph_hash: Option<String>,
    /// Nodes of the outermost level whose executions, including everything inside them, are copied from the earlier run.
    pub reuse: Vec<String>,
    /// Nodes that are executed again.
    pub stale: Vec<String>,
}

/// How far a run in a debug session proceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayMode {
    /// Run to the next breakpoint or to the end.
    #[default]
    Run,
    /// Run one node.
    Step,
    /// Run to the node named by `until`.
    Until,
}

/// Instructions of a debug session that apply to a run from now on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Order {
    /// How far the run proceeds.
    pub mode: PlayMode,
    /// With [`PlayMode::Until`]: the node before which the run stops.
    pub until: Option<String>,
    /// The places where the run stops.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that are not executed, with the outputs to use instead.
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Inputs to replace, by `node.in.name`.
    pub overrides: BTreeMap<String, Value>,
}

impl Question for Order {
    type Answer = Result<RunState, ResumeRefused>;
}

/// A form answer, an event or a decision that a run waits for.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// The user who resumes the run.
    pub by: Uuid,
    /// The form to answer. Optional if only one form is waiting.
    pub form_id: Option<Uuid>,
    /// The button of the form, or the action for a paused run: `continue`, `retry`, `skip` or `fail`.
    pub action: Option<String>,
    /// The values entered in the form, or the data of the event.
    pub fields: Map<String, Value>,
    /// The name of the event.
    pub event: Option<String>,
    /// The node to resume, if several nodes wait for the same thing.
    pub node_id: Option<String>,
}

/// The result of resuming a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Resumed {
    /// The state of the run after the request.
    pub state: RunState,
    /// The form that was answered, if any.
    pub form_id: Option<Uuid>,
    /// The node executions that continue.
    pub executions: Vec<String>,
}

/// Why a run was not resumed.
#[derive(Clone, Debug, PartialEq)]
pub enum ResumeRefused {
    /// The run does not wait for a form answer, event or decision of this kind.
    NotWaiting,
    /// The run has no form with this id.
    NoSuchForm,
    /// The form was already answered. Contains the first answer.
    Answered {
        /// `{form_id, action, fields, by}`.
        first: Value,
    },
    /// The form has expired.
    Expired,
    /// The submitted values are invalid. The faults are located relative to the request body.
    Invalid(Vec<GraphFault>),
    /// The run is about to end.
    Ending,
}

impl Question for Resume {
    type Answer = Result<Resumed, ResumeRefused>;
}

/// The part of its start request that a run stores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredRequest {
    /// SHA-256 of the graph that the run executes.
    pub graph_hash: String,
    /// The blob that stores the graph for as long as the run's journal exists.
    pub graph: Option<BlobId>,
    /// The inputs of the run, unless they are stored in `inputs_blob`.
    pub inputs: Map<String, Value>,
    /// The blob that stores the inputs, if they are large.
    pub inputs_blob: Option<BlobId>,
    /// The user message that the run answers.
    pub parent_id: Option<Uuid>,
    /// The input that receives the text of the message, if the run was started with a message.
    pub from_message: Option<String>,
    /// The most recent instructions of a debug session.
    pub debug: Option<Debug>,
    /// The run that started this run.
    pub parent: Option<Uuid>,
    /// The number of ancestors: runs that started this run, directly or indirectly.
    pub depth: u32,
    /// Whether the graph of this run, or of an ancestor, may send data that it reads to other servers.
    pub sends: bool,
    /// The title of the conversation, if the conversation has no title yet.
    pub title: Option<String>,
}

impl StoredRequest {
    /// Reads the request from the record of a run. Returns an empty request for runs of other kinds.
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
