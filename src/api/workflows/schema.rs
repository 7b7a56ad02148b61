//! Requests and responses of workflow runs.

use std::collections::BTreeMap;

use assist::completion::OnActive;
use runs::TerminalError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::Row;
use storage::records::{Breakpoint, DebugSession, Run, RunState, Usage};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use workflow::debug::{self, ClearScope, Forecast, PlayOptions, WhichGraph};
use workflow::{PlayMode, Resume, Resumed, WorkflowWait};

use crate::http::encodings::Wire;
use crate::http::{Api, Faults, Validate};

/// Maximum number of breakpoints, of pins and of overrides.
const ITEMS: usize = 500;

/// A request to start a run.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WorkflowRunRequestBody {
    /// The values of the inputs that the graph declares.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub inputs: Map<String, Value>,
    /// The conversation of the run. Defaults to a new conversation.
    pub conversation_id: Option<Uuid>,
    /// When the response is sent. Defaults to `async`.
    pub mode: Option<RunMode>,
}

impl Validate for WorkflowRunRequestBody {}

/// When the response to the start of a run is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// As soon as the run is accepted.
    #[default]
    Async,
    /// When the run ends or waits for a person or an event, and after 10 minutes at the latest.
    Wait,
}

/// Options of the start of a run, in addition to its inputs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Responds with the run's stream in this encoding. An `Accept` header that names a streaming type has the
    /// same effect.
    pub wire: Option<Wire>,
    /// A label for the part of the client that starts the run. It is stored with the run and its usage record.
    #[param(max_length = 100)]
    pub context: Option<String>,
    /// What to do if another run is live in the conversation. Defaults to `refuse`.
    pub on_active: Option<OnActive>,
    /// OpenAI's stream option: whether the last chunk reports the usage.
    pub include_usage: bool,
}

impl Validate for RunQuery {}

/// An accepted or ended run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResponse {
    /// The conversation that contains the run's stream and messages.
    pub conversation_id: Uuid,
    pub stream_id: Uuid,
    /// The message that the run's answer is written to.
    pub message_id: Option<Uuid>,
    /// The current state of the run.
    pub state: RunState,
    /// What the run waits for, or why it was halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub state_detail: Option<String>,
    /// With the mode `wait`: the forms and events that the run waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WorkflowWait>,
    /// With the mode `wait`: the result of the run.
    #[serde(flatten)]
    pub result: Option<WorkflowRunResult>,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResult {
    /// The outputs, with the names of the inputs of the node that ended the run.
    #[schema(value_type = Object)]
    pub outputs: Map<String, Value>,
    /// The text of the run's answer.
    pub text: String,
    /// The error, if the run failed.
    pub error: Option<TerminalError>,
    /// The tokens that all model calls of the run used.
    pub usage: Usage,
    /// The cost of all model calls, in billionths of a dollar.
    pub cost_nanos: u64,
}

/// Input that a run waits for: the answer to a form, an event, or the command to continue.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowRunResumeBody {
    /// The form that is answered. Optional if only one form is waiting.
    pub form_id: Option<Uuid>,
    /// The button of the form that was pressed. For a halted run, how to proceed: `continue`, or after an
    /// uncertain effect `retry`, `skip` or `fail`.
    #[schema(min_length = 1, max_length = 200)]
    pub action: Option<String>,
    /// The values of the form's fields, or the data of the event.
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// The name of the event that occurred.
    #[schema(min_length = 1, max_length = 200)]
    pub event: Option<String>,
    /// The node that the input is for, if several nodes wait for the same input.
    #[schema(min_length = 1, max_length = 200)]
    pub node_id: Option<String>,
}

impl Validate for WorkflowRunResumeBody {
    fn validate(&self, faults: &mut Faults) {
        let names = [("action", &self.action), ("event", &self.event), ("node_id", &self.node_id)];
        for (field, name) in names {
            if let Some(name) = name {
                faults.name(field, name);
            }
        }
        match (&self.action, &self.event) {
            (None, None) => faults.add(["action"], "is needed, unless `event` is given", "missing"),
            (Some(_), Some(_)) => faults.add(["event"], "cannot be combined with `action`", "conflicting"),
            _ => {}
        }
        if self.event.is_some() && self.form_id.is_some() {
            faults.add(["form_id"], "cannot be combined with `event`", "conflicting");
        }
    }
}

impl WorkflowRunResumeBody {
    /// Converts the request into the command of the user `by`.
    pub fn resume(self, by: Uuid) -> Resume {
        let Self { form_id, action, fields, event, node_id } = self;
        Resume { by, form_id, action, fields, event, node_id }
    }
}

/// A resumed run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResumeResponse {
    pub conversation_id: Uuid,
    pub stream_id: Uuid,
    /// The current state of the run.
    pub state: RunState,
    /// The form that was answered.
    pub form_id: Option<Uuid>,
    /// The node executions that continue.
    pub executions: Vec<String>,
}

impl WorkflowRunResumeResponse {
    pub fn new(conversation_id: Uuid, stream_id: Uuid, resumed: Resumed) -> Self {
        let Resumed { state, form_id, executions } = resumed;
        Self { conversation_id, stream_id, state, form_id, executions }
    }
}

/// A command of a debug session. Omitted settings keep their previous values.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowDebugRunBody {
    /// How far the run proceeds: to the end or the next breakpoint (`run`), for one node, or to the node
    /// `until`. Defaults to `run`.
    pub mode: Option<PlayMode>,
    /// With the mode `until`: the node before which the run stops.
    pub until: Option<String>,
    /// The inputs of a new run. Default to the inputs of the previous run.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// The places at which runs stop.
    #[schema(max_items = 500)]
    pub breakpoints: Option<Vec<Breakpoint>>,
    /// Nodes that do not run, by name, with the outputs to use in place of their results.
    #[schema(value_type = Option<Object>)]
    pub pins: Option<BTreeMap<String, Map<String, Value>>>,
    /// Inputs whose values replace those of the graph, by names such as `node.in.prompt`.
    #[schema(value_type = Option<Object>)]
    pub overrides: Option<BTreeMap<String, Value>>,
    /// For a restart: the node that runs again, together with all nodes downstream of it.
    pub from_node: Option<String>,
    /// For a restart: whether all other nodes keep their results. Defaults to `true`.
    pub keep_upstream: Option<bool>,
    /// For a restart: whether to use the graph of the previous run (`pinned`) or the assistant's current graph
    /// (`latest`).
    pub graph: Option<WhichGraph>,
    /// For a restart: whether irreversible effects may be repeated.
    pub confirm_effects: Option<bool>,
}

impl Validate for WorkflowDebugRunBody {
    fn validate(&self, faults: &mut Faults) {
        match (self.mode.unwrap_or_default(), &self.until) {
            (PlayMode::Until, None) => faults.add(["until"], "is needed with the mode `until`", "missing"),
            (PlayMode::Run | PlayMode::Step, Some(_)) => {
                faults.add(["until"], "is only allowed with the mode `until`", "conflicting");
            }
            _ => {}
        }
        faults.at_most("pins", self.pins.as_ref().map_or(0, BTreeMap::len), ITEMS);
        faults.at_most("overrides", self.overrides.as_ref().map_or(0, BTreeMap::len), ITEMS);
    }
}

impl WorkflowDebugRunBody {
    /// The node and graph from which a restart begins.
    pub fn restart_from(&self) -> debug::RestartPoint {
        debug::RestartPoint {
            from_node: self.from_node.clone(),
            keep_upstream: self.keep_upstream.unwrap_or(true),
            graph: self.graph.unwrap_or_default(),
            confirmed: self.confirm_effects.unwrap_or_default(),
        }
    }

    /// Requires that no field that only a restart uses is set.
    ///
    /// # Errors
    /// 422 with a fault for each such field that is set.
    pub fn require_no_restart(&self) -> Api<()> {
        let is_set = [
            ("from_node", self.from_node.is_some()),
            ("keep_upstream", self.keep_upstream.is_some()),
            ("graph", self.graph.is_some()),
            ("confirm_effects", self.confirm_effects.is_some()),
        ];
        let mut faults = Faults::new("body");
        for (field, _) in is_set.iter().filter(|(_, is_set)| *is_set) {
            faults.add([*field], "is only allowed with a restart", "conflicting");
        }
        faults.into_result()
    }
}

impl From<WorkflowDebugRunBody> for PlayOptions {
    fn from(body: WorkflowDebugRunBody) -> Self {
        let WorkflowDebugRunBody { mode, until, inputs, breakpoints, pins, overrides, .. } = body;
        Self { mode, until, inputs, breakpoints, pins, overrides }
    }
}

/// Query parameters of a debug run.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct DebugQuery {
    /// Responds with the run's stream from this point on, in this encoding. An `Accept` header that names a
    /// streaming type has the same effect.
    pub wire: Option<Wire>,
}

impl Validate for DebugQuery {}

/// A debug run and the settings of its session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowDebugResponse {
    /// The conversation that contains the run.
    pub conversation_id: Uuid,
    /// The run, which is also the id of its stream.
    pub stream_id: Uuid,
    /// The message that the run's answer is written to.
    pub message_id: Option<Uuid>,
    /// The current state of the run.
    pub state: RunState,
    /// Whether this request started the run, rather than continued it.
    pub started: bool,
    /// The sequence number of the run's last event before this request.
    pub last_seq: u64,
    /// The current settings of the debug session.
    #[serde(flatten)]
    pub setup: DebugSetup,
    /// For a restart: what the new run reuses and repeats.
    #[serde(flatten)]
    pub fork: Option<DebugFork>,
}

/// The settings of a debug session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebugSetup {
    /// The places at which runs stop.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that do not run, with the outputs used in place of their results.
    #[schema(value_type = Object)]
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Inputs whose values replace those of the graph.
    #[schema(value_type = Object)]
    pub overrides: BTreeMap<String, Value>,
}

impl From<DebugSession> for DebugSetup {
    fn from(session: DebugSession) -> Self {
        let DebugSession { breakpoints, pins, overrides, .. } = session;
        Self { breakpoints, pins, overrides }
    }
}

/// What a restarted run reuses and repeats of an earlier run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebugFork {
    /// The earlier run.
    pub forked_from: Uuid,
    /// Nodes of the outermost level whose results are reused.
    pub reused: Vec<String>,
    /// Nodes that run again.
    pub stale: Vec<String>,
    /// The expected consequences of the restart.
    pub forecast: Forecast,
}

/// The settings to clear.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowDebugClearBody {
    /// Defaults to all settings.
    pub scope: ClearScope,
}

impl Validate for WorkflowDebugClearBody {}

/// The settings that remain after clearing.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowDebugClearResponse {
    /// The settings that were cleared.
    pub scope: ClearScope,
    /// The live run that was cancelled, if there was one.
    pub stopped: Option<Uuid>,
    /// The newest run, which `play` continues and `restart` repeats.
    pub run: Option<DebuggedRun>,
    /// The remaining settings of the debug session.
    #[serde(flatten)]
    pub setup: DebugSetup,
}

/// The newest run of a debug session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebuggedRun {
    pub conversation_id: Option<Uuid>,
    pub stream_id: Uuid,
    /// The current state of the run.
    pub state: RunState,
    /// What the run waits for, or why it was halted.
    pub state_detail: Option<String>,
}

impl From<Row<Run>> for DebuggedRun {
    fn from(row: Row<Run>) -> Self {
        let (stream_id, Run { conversation_id, state, state_detail, .. }) = (row.id, row.body);
        Self { conversation_id, stream_id, state, state_detail }
    }
}
