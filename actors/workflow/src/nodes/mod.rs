//! What nodes do, one attempt at a time. The engine is responsible for order, retries, timeouts and storage.

mod agent;
mod classifier;
pub(super) mod code;
mod document;
pub(crate) mod extract;
mod flow;
mod function;
pub(crate) mod http;
mod list;
mod llm;
mod model;
mod retrieve;
mod tool;

use std::sync::Arc;
use std::time::Duration;

use assist::RunContext;
use runs::{Fence, OverBudget, TerminalError};
use serde_json::{Map, Value};
use storage::TenantId;
use storage::records::Usage;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::graph::{NodeKind, PlanNode};

pub use flow::{inline, is_inline, outputs_of, port_of};

/// Names with values: a node's inputs and outputs.
pub type Fields = Map<String, Value>;

/// One attempt of one node.
pub struct Task {
    /// Whose run it is.
    pub tenant: TenantId,
    /// On whose behalf.
    pub user: Uuid,
    pub run: Uuid,
    /// The run's assistant.
    pub assistant_id: Option<Uuid>,
    /// The model where the node names none.
    pub model: String,
    /// The same for every attempt, another for every iteration and run: passed outward, so that the other side
    /// can tell a repetition.
    pub idempotency_key: String,
    /// Its inputs, evaluated.
    pub inputs: Fields,
    /// Whether the graph, or that of a run above it, may send what it reads to other servers, so that searching
    /// knowledge has to be approved.
    pub sends: bool,
    /// What the node had said in an attempt that a crash cut off, where it speaks to the answer.
    pub said: Option<String>,
    /// Reports what it does.
    pub voice: NodeOutput,
    /// Fires when the attempt has to end; one that ignores it is dropped.
    pub cancel: CancellationToken,
    /// What it may use.
    pub run_context: Arc<RunContext>,
    /// The epoch of the run; what the node's tools write is refused once a later one has the run.
    pub fence: Option<Fence>,
}

/// Reports what a node does while it works.
#[derive(Clone)]
pub struct NodeOutput(tokio::sync::mpsc::Sender<NodeMessage>);

/// A report of a node.
#[derive(Debug)]
pub enum NodeMessage {
    /// More of the text it makes.
    Delta(String),
    /// A line of the node's log.
    Log(String),
    /// Another model than the one that was asked answers, with this full id.
    Answering(String),
    /// A call of a model was made.
    Usage {
        /// Full id of the model.
        model: String,
        /// Its tokens.
        usage: Usage,
        /// Its cost, in thousand-millionths of a dollar.
        cost_nanos: u64,
        /// Whether the tokens were estimated.
        estimated: bool,
    },
}

impl NodeOutput {
    /// An output and its receiver; `room` is how many messages may be queued.
    pub fn channel(room: usize) -> (Self, tokio::sync::mpsc::Receiver<NodeMessage>) {
        let (sender, receiver) = tokio::sync::mpsc::channel(room);
        (Self(sender), receiver)
    }

    /// Sends a message. Waits while the queue is full.
    pub async fn say(&self, said: NodeMessage) {
        // Without a receiver the run is over.
        let _ = self.0.send(said).await;
    }

    /// Sends a message without waiting; it is lost where the queue is full.
    fn say_at_once(&self, said: NodeMessage) {
        let _ = self.0.try_send(said);
    }
}

/// What an attempt gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeResult {
    pub outputs: Fields,
    /// The port it leaves by, where that is not `out`.
    pub port: Option<String>,
}

impl NodeResult {
    /// Outputs, by the port `out`.
    pub fn with(outputs: Fields) -> Self {
        Self { outputs, port: None }
    }
}

/// Why an attempt gave nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct NodeError {
    /// Stable code: `upstream_error`, `timeout`, `code_memory`, ...
    pub code: String,
    /// For people, without secrets.
    pub message: String,
    /// The name that a provider itself has for it.
    pub provider_code: Option<String>,
    /// The HTTP status behind it, which `retry.on` may name.
    pub status: Option<u16>,
    /// Whether nothing can have reached the other side, so that even an effect that is to be had once may be tried
    /// again.
    pub unsent: bool,
    /// How long the other side asks to wait.
    pub retry_after: Option<Duration>,
}

impl From<OverBudget> for NodeError {
    fn from(why: OverBudget) -> Self {
        Self::new(OverBudget::CODE, why.to_string())
    }
}

impl From<NodeError> for TerminalError {
    fn from(why: NodeError) -> Self {
        Self { provider_code: why.provider_code, ..Self::new(why.code, why.message) }
    }
}

impl NodeError {
    /// An error with nothing more to say.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self { code, message, provider_code: None, status: None, unsent: false, retry_after: None }
    }

    /// Whether it is one of those that a policy's `retry.on` names: by status (`429`), class of
    /// statuses (`5xx`), `timeout`, `connect`, `any`, or its code.
    pub fn is_named_by(&self, on: &[String]) -> bool {
        on.iter().any(|name| match name.as_str() {
            "any" => self.code != "cancelled",
            "timeout" => matches!(self.code.as_str(), "timeout" | "upstream_timeout"),
            "connect" => matches!(self.code.as_str(), "http_connect" | "upstream_unreachable"),
            name if name.len() == 3 && name.ends_with("xx") => {
                let class = self.status.map(|status| (status / 100).to_string());
                class.is_some_and(|class| name.starts_with(class.as_str()))
            }
            name => *name == self.code || self.status.is_some_and(|status| name == status.to_string()),
        })
    }
}

/// Does what the node does, once. Nodes that only decide where a run goes, or wait, are not done here; see
/// [`inline`].
pub async fn attempt(node: &PlanNode, task: Task) -> Result<NodeResult, NodeError> {
    match &node.kind {
        NodeKind::Llm(config) => llm::run(config, &task).await,
        NodeKind::Agent(config) => agent::run(config, &task).await,
        NodeKind::Classifier(config) => classifier::run(config, &task).await,
        NodeKind::Extract(config) => extract::run(config, &task).await,
        NodeKind::Http(config) => http::run(config, node, &task).await,
        NodeKind::Code(config) => code::run(config, node, &task).await,
        NodeKind::Document => document::run(&task).await,
        NodeKind::Tool(config) => tool::run(config, &task).await,
        NodeKind::Retrieve(config) => retrieve::run(config, &task).await,
        NodeKind::Function(config) => function::run(config, &task).await,
        NodeKind::Video(_) => Err(unavailable("no provider that makes videos is set up")),
        _ => Err(NodeError::new("invalid_input", format!("the node {:?} is no work", node.id))),
    }
}

/// The error of what cannot be had in this installation.
fn unavailable(message: &str) -> NodeError {
    NodeError { unsent: true, ..NodeError::new("unavailable", message) }
}

impl Task {
    /// An input that is text; what is no text is written as JSON.
    fn text(&self, name: &str) -> Option<String> {
        self.inputs.get(name).filter(|value| !value.is_null()).map(text_of)
    }

    /// The same, where there has to be one.
    fn needed_text(&self, name: &str) -> Result<String, NodeError> {
        let text = self.text(name).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| NodeError::new("invalid_input", format!("the input {name:?} is empty")))
    }
}

/// A value as text: texts as they are, nothing for `null`, all else as JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a value counts as true: all but `false`, `null`, 0 and what is empty.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Outputs of one name and value.
fn one(name: &str, value: impl Into<Value>) -> Fields {
    Fields::from_iter([(name.to_owned(), value.into())])
}
