//! Requests and responses of workflows' runs.

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

/// Most breakpoints, pins and edited values.
const ITEMS: usize = 500;

/// A run.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WorkflowRunRequestBody {
    /// What it is started with: the inputs that the graph declares.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub inputs: Map<String, Value>,
    /// The conversation of the run; by default a new one.
    pub conversation_id: Option<Uuid>,
    /// Whether the response comes at once or at the run's end; by default `async`.
    pub mode: Option<RunMode>,
}

impl Validate for WorkflowRunRequestBody {}

/// When the response to the start of a run is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// As soon as it is accepted.
    #[default]
    Async,
    /// When it has ended, or waits for a person or an event; after 10 minutes in any case.
    Wait,
}

/// The options of a start, beside the inputs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Responds with the run's stream in this form; so does an `Accept` of a streaming type.
    pub wire: Option<Wire>,
    /// A free label of the client's surface, stored with the run and its usage record.
    #[param(max_length = 100)]
    pub context: Option<String>,
    /// What happens when a run is live in the conversation; `refuse` by default.
    pub on_active: Option<OnActive>,
    /// OpenAI's stream option: whether a last chunk has the usage.
    pub include_usage: bool,
}

impl Validate for RunQuery {}

/// A run, accepted or ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResponse {
    /// The conversation, with its streams and messages.
    pub conversation_id: Uuid,
    pub stream_id: Uuid,
    /// The message that its answers are written to.
    pub message_id: Option<Uuid>,
    /// How far it has come.
    pub state: RunState,
    /// What it waits for, or why it was halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_detail: Option<String>,
    /// What it waits for, with the mode `wait`: forms to be answered, events that are to come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WorkflowWait>,
    /// The result, with the mode `wait`.
    #[serde(flatten)]
    pub result: Option<WorkflowRunResult>,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResult {
    /// The outputs, named like the inputs of the node that ended the run.
    #[schema(value_type = Object)]
    pub outputs: Map<String, Value>,
    /// The text of its answer.
    pub text: String,
    /// The error of a failed run.
    pub error: Option<TerminalError>,
    /// Tokens of all its calls of models.
    pub usage: Usage,
    /// Their cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
}

/// Something that a run waits for: the answer to a form, an event, or the command to continue.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowRunResumeBody {
    /// The form that is answered; may be left out where only one waits.
    pub form_id: Option<Uuid>,
    /// The button that is pressed; or, of a run that was halted, what becomes of it: `continue`,
    /// and after an uncertain effect `retry`, `skip` or `fail`.
    #[schema(min_length = 1, max_length = 200)]
    pub action: Option<String>,
    /// What is filled in; or the data of the event.
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// The event that has come.
    #[schema(min_length = 1, max_length = 200)]
    pub event: Option<String>,
    /// The node that is meant, where several wait for the same.
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
            (Some(_), Some(_)) => faults.add(["event"], "does not go with `action`", "conflicting"),
            _ => {}
        }
        if self.event.is_some() && self.form_id.is_some() {
            faults.add(["form_id"], "does not go with `event`", "conflicting");
        }
    }
}

impl WorkflowRunResumeBody {
    /// What a user gives the run.
    pub fn resume(self, by: Uuid) -> Resume {
        let Self { form_id, action, fields, event, node_id } = self;
        Resume { by, form_id, action, fields, event, node_id }
    }
}

/// A run that goes on.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowRunResumeResponse {
    pub conversation_id: Uuid,
    pub stream_id: Uuid,
    /// How far it has come.
    pub state: RunState,
    /// The form that was answered.
    pub form_id: Option<Uuid>,
    /// Executions of nodes that go on.
    pub executions: Vec<String>,
}

impl WorkflowRunResumeResponse {
    pub fn new(conversation_id: Uuid, stream_id: Uuid, resumed: Resumed) -> Self {
        let Resumed { state, form_id, executions } = resumed;
        Self { conversation_id, stream_id, state, form_id, executions }
    }
}

/// A command of a debug session. What is left out stays as it was set up before.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowDebugRunBody {
    /// How far it goes: to the end or the next breakpoint, one node, or to the node `until`. `run`
    /// unless said otherwise.
    pub mode: Option<PlayMode>,
    /// With the mode `until`: the node before which it stops.
    pub until: Option<String>,
    /// What a new run is started with; else what the one before was started with.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// Where runs stop.
    #[schema(max_items = 500)]
    pub breakpoints: Option<Vec<Breakpoint>>,
    /// Nodes that do not run: by their names, the outputs they are taken to have.
    #[schema(value_type = Option<Object>)]
    pub pins: Option<BTreeMap<String, Map<String, Value>>>,
    /// Inputs with another value than the graph says: by names like `node.in.prompt`.
    #[schema(value_type = Option<Object>)]
    pub overrides: Option<BTreeMap<String, Value>>,
    /// Of a restart: the node that runs again with all behind it.
    pub from_node: Option<String>,
    /// Of a restart: whether what is not behind that node keeps its results; `true` unless said
    /// otherwise.
    pub keep_upstream: Option<bool>,
    /// Of a restart: the graph of the run before (`pinned`), or the assistant's as it is now
    /// (`latest`).
    pub graph: Option<WhichGraph>,
    /// Of a restart: whether what cannot be undone may happen again.
    pub confirm_effects: Option<bool>,
}

impl Validate for WorkflowDebugRunBody {
    fn validate(&self, faults: &mut Faults) {
        match (self.mode.unwrap_or_default(), &self.until) {
            (PlayMode::Until, None) => faults.add(["until"], "is needed with the mode `until`", "missing"),
            (PlayMode::Run | PlayMode::Step, Some(_)) => {
                faults.add(["until"], "only goes with the mode `until`", "conflicting");
            }
            _ => {}
        }
        faults.at_most("pins", self.pins.as_ref().map_or(0, BTreeMap::len), ITEMS);
        faults.at_most("overrides", self.overrides.as_ref().map_or(0, BTreeMap::len), ITEMS);
    }
}

impl WorkflowDebugRunBody {
    /// Where a restart begins.
    pub fn restart_from(&self) -> debug::RestartPoint {
        debug::RestartPoint {
            from_node: self.from_node.clone(),
            keep_upstream: self.keep_upstream.unwrap_or(true),
            graph: self.graph.unwrap_or_default(),
            confirmed: self.confirm_effects.unwrap_or_default(),
        }
    }

    /// Requires that no field of a restart is set.
    ///
    /// # Errors
    /// 422 with a fault for each that is.
    pub fn require_no_restart(&self) -> Api<()> {
        let is_set = [
            ("from_node", self.from_node.is_some()),
            ("keep_upstream", self.keep_upstream.is_some()),
            ("graph", self.graph.is_some()),
            ("confirm_effects", self.confirm_effects.is_some()),
        ];
        let mut faults = Faults::new("body");
        for (field, _) in is_set.iter().filter(|(_, is_set)| *is_set) {
            faults.add([*field], "only goes with a restart", "conflicting");
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

/// How a debugged run is watched.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct DebugQuery {
    /// Responds with the run's stream in this form, from here on; so does an `Accept` of a streaming type.
    pub wire: Option<Wire>,
}

impl Validate for DebugQuery {}

/// A debugged run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowDebugResponse {
    /// The conversation of the run.
    pub conversation_id: Uuid,
    /// The run, which is its stream.
    pub stream_id: Uuid,
    /// The message that its answers are written to.
    pub message_id: Option<Uuid>,
    /// How far it has come.
    pub state: RunState,
    /// Whether it was started just now, rather than continued.
    pub started: bool,
    /// Sequence number of its last event before this request.
    pub last_seq: u64,
    /// What is set up.
    #[serde(flatten)]
    pub setup: DebugSetup,
    /// What it repeats, of a restart.
    #[serde(flatten)]
    pub fork: Option<DebugFork>,
}

/// What is set up for debugging.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebugSetup {
    /// Where runs stop.
    pub breakpoints: Vec<Breakpoint>,
    /// Nodes that do not run, with their outputs.
    #[schema(value_type = Object)]
    pub pins: BTreeMap<String, Map<String, Value>>,
    /// Inputs with another value than the graph says.
    #[schema(value_type = Object)]
    pub overrides: BTreeMap<String, Value>,
}

impl From<DebugSession> for DebugSetup {
    fn from(session: DebugSession) -> Self {
        let DebugSession { breakpoints, pins, overrides, .. } = session;
        Self { breakpoints, pins, overrides }
    }
}

/// What a restart repeats of an earlier run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebugFork {
    /// The earlier run.
    pub forked_from: Uuid,
    /// Nodes of the outermost level whose results are taken over.
    pub reused: Vec<String>,
    /// Nodes that run again.
    pub stale: Vec<String>,
    /// What that means.
    pub forecast: Forecast,
}

/// What is taken back of what was set up.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct WorkflowDebugClearBody {
    /// All of it unless said otherwise.
    pub scope: ClearScope,
}

impl Validate for WorkflowDebugClearBody {}

/// What is left.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowDebugClearResponse {
    /// What was taken back.
    pub scope: ClearScope,
    /// The run that was live and was stopped.
    pub stopped: Option<Uuid>,
    /// The newest run, which `play` goes on with and `restart` repeats.
    pub run: Option<DebuggedRun>,
    /// What is still set up.
    #[serde(flatten)]
    pub setup: DebugSetup,
}

/// The newest run of a debug session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DebuggedRun {
    pub conversation_id: Option<Uuid>,
    pub stream_id: Uuid,
    /// How far it has come.
    pub state: RunState,
    /// What it waits for, or why it was halted.
    pub state_detail: Option<String>,
}

impl From<Row<Run>> for DebuggedRun {
    fn from(row: Row<Run>) -> Self {
        let (stream_id, Run { conversation_id, state, state_detail, .. }) = (row.id, row.body);
        Self { conversation_id, stream_id, state, state_detail }
    }
}
