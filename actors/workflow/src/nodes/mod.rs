//! Executes single attempts of nodes. The engine is responsible for order, retries, timeouts and storage.

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

/// The inputs or outputs of a node, by name.
pub type Fields = Map<String, Value>;

/// One attempt of one node.
pub struct Task {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    /// The user on whose behalf the node is executed.
    pub user: Uuid,
    pub run: Uuid,
    /// The run's assistant, if there is one.
    pub assistant_id: Option<Uuid>,
    /// The model to use if the node names none.
    pub model: String,
    /// Identical for all attempts of an execution, and different for every iteration and run. Passed to external services, so
    /// that they can recognise a repeated request.
    pub idempotency_key: String,
    /// The evaluated inputs of the node.
    pub inputs: Fields,
    /// Whether the graph, or the graph of an ancestor run, may send data that it reads to other servers. If so, searching
    /// knowledge requires approval.
    pub sends: bool,
    /// The text that the node had written to the answer in an attempt that a crash interrupted.
    pub said: Option<String>,
    /// Receives the messages of the node.
    pub output_sender: NodeOutput,
    /// Cancelled when the attempt must end. An attempt that ignores this is dropped.
    pub cancel: CancellationToken,
    /// The services that the node may use.
    pub run_context: Arc<RunContext>,
    /// The fence of the run's epoch. Writes of the node's tools are refused once a later epoch owns the run.
    pub fence: Option<Fence>,
}

/// Sends messages about the node's progress while it works.
#[derive(Clone)]
pub struct NodeOutput(tokio::sync::mpsc::Sender<NodeMessage>);

/// A message about the progress of a node.
#[derive(Debug)]
pub enum NodeMessage {
    /// The next piece of the text that the node produces.
    Delta(String),
    /// A line of the node's log.
    Log(String),
    /// A different model than the requested one answers. Contains the full id of that model.
    Answering(String),
    /// A model was called.
    Usage {
        /// Full id of the model.
        model: String,
        /// The tokens used by the call.
        usage: Usage,
        /// The cost of the call, in billionths of a US dollar.
        cost_nanos: u64,
        /// Whether the token counts are estimates.
        estimated: bool,
    },
}

impl NodeOutput {
    /// Creates an output and its receiver. `room` is the capacity of the queue.
    pub fn channel(room: usize) -> (Self, tokio::sync::mpsc::Receiver<NodeMessage>) {
        let (sender, receiver) = tokio::sync::mpsc::channel(room);
        (Self(sender), receiver)
    }

    /// Sends a message. Waits while the queue is full.
    pub async fn say(&self, said: NodeMessage) {
        // If the receiver no longer exists, the run has ended.
        let _ = self.0.send(said).await;
    }

    /// Sends a message without waiting. The message is lost if the queue is full.
    fn send_without_waiting(&self, said: NodeMessage) {
        let _ = self.0.try_send(said);
    }
}

/// The result of a successful attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeResult {
    pub outputs: Fields,
    /// The port through which the run continues, if it is not `out`.
    pub port: Option<String>,
}

impl NodeResult {
    /// A result with these outputs, through port `out`.
    pub fn with(outputs: Fields) -> Self {
        Self { outputs, port: None }
    }
}

/// The error of a failed attempt.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct NodeError {
    /// Stable code: `upstream_error`, `timeout`, `code_memory`, ...
    pub code: String,
    /// A description for users. Contains no secrets.
    pub message: String,
    /// The provider's own error code.
    pub provider_code: Option<String>,
    /// The HTTP status that caused the error. `retry.on` may name it.
    pub status: Option<u16>,
    /// Whether the request certainly did not reach the server. If so, even an effect that must happen only once may be retried.
    pub unsent: bool,
    /// The pause that the server asks for.
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
    /// Creates an error with a code and a message only.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self { code, message, provider_code: None, status: None, unsent: false, retry_after: None }
    }

    /// Whether a policy's `retry.on` names this error: by status (`429`), class of statuses (`5xx`), `timeout`, `connect`, `any`,
    /// or error code.
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

/// Executes one attempt of a node. Nodes that complete immediately or wait are not executed here; see [`inline`].
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
        NodeKind::Video(_) => Err(unavailable("no provider of video models is configured")),
        _ => Err(NodeError::new("invalid_input", format!("the node {:?} cannot be attempted", node.id))),
    }
}

/// The error for a service that is not available in this installation.
fn unavailable(message: &str) -> NodeError {
    NodeError { unsent: true, ..NodeError::new("unavailable", message) }
}

impl Task {
    /// Returns an input as text. A value that is not a string is formatted as JSON.
    fn text(&self, name: &str) -> Option<String> {
        self.inputs.get(name).filter(|value| !value.is_null()).map(text_of)
    }

    /// Returns an input as text, or an error if it is missing or blank.
    fn needed_text(&self, name: &str) -> Result<String, NodeError> {
        let text = self.text(name).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| NodeError::new("invalid_input", format!("the input {name:?} is empty")))
    }
}

/// Converts a value to text: strings are unchanged, `null` becomes the empty string, and other values become JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a value counts as true. All values do except `false`, `null`, 0 and empty values.
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

/// Builds outputs with a single name and value.
fn one(name: &str, value: impl Into<Value>) -> Fields {
    Fields::from_iter([(name.to_owned(), value.into())])
}
