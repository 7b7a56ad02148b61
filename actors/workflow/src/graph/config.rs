//! What nodes do: one variant a type, with the configuration that its author gave.
//!
//! What depends on the run is in a node's inputs (`in`); a configuration holds templates only where
//! they are evaluated in another scope than the node's own: per item, per iteration.

use expr::Template;
use runs::event::{FormAction, FormField};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// What a node does.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Where a run begins; its outputs are the run's inputs.
    Start,
    /// Says something: `in.text` becomes part of the answer. Outputs `{text}`.
    Answer,
    /// Ends the run; its inputs are the run's outputs.
    End,
    /// Ends the run as failed with `in.message` (and `in.code`, default `failed`).
    Fail,
    /// Asks a model: `in.prompt`, `in.system`. Outputs `{text}`.
    Llm(LlmConfig),
    /// A model with tools in a loop: `in.prompt`, `in.system`. Outputs `{text, calls}`.
    Agent(AgentConfig),
    /// A model chooses one of the classes for `in.text`; the class is the port. Outputs `{class, reason}`.
    Classifier(ClassifierConfig),
    /// A model reads an object that fits a schema out of `in.text`. Outputs `{object}`.
    Extract(ExtractConfig),
    /// Searches knowledge bases for `in.query`. Outputs `{passages}`.
    Retrieve(RetrieveConfig),
    /// Calls a function of a skill with its inputs. Outputs `{result}`.
    Function(FunctionConfig),
    /// Calls a tool with its inputs. Outputs `{result}`.
    Tool(ToolConfig),
    /// Sends a request: `in.url`, `in.headers`, `in.query`, `in.body`. Outputs `{status, headers, body}`.
    Http(HttpConfig),
    /// Runs a script over its inputs. Outputs as declared.
    Code(CodeConfig),
    /// Renders a text: `in.text`. Outputs `{text}`.
    Template,
    /// Sets variables: each input is the new value of the variable of its name. Outputs: the same.
    Set,
    /// Filters, sorts, cuts `in.items`. Outputs `{items, count, first, last}`.
    List(ListConfig),
    /// Reads the text out of `in.file`. Outputs `{text, pages, media_type}`.
    Document,
    /// Ports `true` and `false`, by `in.condition`. Outputs `{result}`.
    If,
    /// The port of the first case whose value equals `in.value`, else `default`. Outputs `{case}`.
    Switch(SwitchConfig),
    /// Goes on by all edges at once. Outputs none.
    Parallel,
    /// Waits for several branches. Outputs `{arrived}`: names of the nodes that led here.
    Join(JoinConfig),
    /// Runs what is in it once for each of `in.items`. Outputs `{items, count, failed}`. Inside:
    /// `{{ <id>.item }}`, `{{ <id>.index }}`.
    Each(EachConfig),
    /// Runs what is in it again and again. Outputs `{count, result}`. Inside: `{{ <id>.index }}`.
    Loop(LoopConfig),
    /// Ends the `loop` or `each` it stands in after this iteration. Outputs none.
    Break,
    /// Asks a person: `in.title`, `in.message`, and values of fields by their names. The button pressed is the port,
    /// or `expired`. Outputs `{action, fields, by}`.
    Human(HumanConfig),
    /// Waits for an event from outside; ports `out` and `expired`. Outputs `{data}`.
    Wait(WaitConfig),
    /// Waits for `in.ms` milliseconds, or until the time `in.until`. Outputs `{until}`.
    Delay,
    /// Runs another workflow with its inputs. Outputs those of that run, or `{conversation_id,
    /// stream_id}` where it is not waited for.
    Workflow(WorkflowConfig),
    /// Makes a video of `in.prompt`. Outputs `{file}`.
    Video(VideoConfig),
}

/// Which model, and how it is asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmConfig {
    /// Else the assistant's, else the default.
    pub model: Option<String>,
    /// Passed to the model over the assistant's own.
    pub parameters: Map<String, Value>,
    /// Whether what it says is part of the run's answer, as it comes.
    pub answer: bool,
    /// Whether the assistant's instructions come first.
    pub use_instructions: bool,
}

/// A model with tools.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentConfig {
    /// The model.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// Names of tools.
    pub tools: Vec<String>,
    /// Calls of the model at most; 0 for the installation's limit.
    pub max_turns: u32,
}

/// Classes to choose from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassifierConfig {
    /// The model.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// The classes; at least two.
    pub classes: Vec<Class>,
    /// The class where the model names none of them; without it that is an error.
    pub fallback: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Class {
    /// Its name, which is the port.
    pub name: String,
    /// What belongs to it, in words.
    #[serde(default)]
    pub description: String,
}

/// What to read out of a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtractConfig {
    /// The model.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// JSON Schema of the object.
    pub schema: Value,
    /// Times that a model which gave something else is told so and asked again.
    pub repairs: u32,
}

/// Where to search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RetrieveConfig {
    /// Knowledge bases; else the assistant's.
    pub knowledge_bases: Vec<Uuid>,
    /// Passages at most.
    pub limit: u32,
}

/// A function of a skill.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionConfig {
    /// The skill; else any of the assistant's that has the function.
    pub skill_id: Option<Uuid>,
    pub function: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolConfig {
    /// The tool's name: one of the server's own, or `server/tool` of a tool server.
    pub tool: String,
}

/// A request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpConfig {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Secrets by reference: header -> name of a secret of the tenant.
    pub secret_headers: std::collections::BTreeMap<String, String>,
    /// The external service whose login is sent along.
    pub service: Option<String>,
    /// Largest answer, in bytes.
    pub max_bytes: u64,
    /// Statuses from 400 on that are results, not failures.
    pub accept_status: Vec<u16>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        let (secret_headers, accept_status) = Default::default();
        Self { method: "GET".into(), secret_headers, service: None, max_bytes: 4 << 20, accept_status }
    }
}

/// A script.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeConfig {
    /// JavaScript with a function `main(inputs)`; its result is the outputs.
    pub code: String,
    /// Memory that it may use, in bytes.
    pub memory_bytes: Option<u64>,
}

/// What is done to a list, in order.
#[derive(Clone, Debug, Default)]
pub struct ListConfig {
    pub steps: Vec<ListStep>,
}

/// One step of a list node. Templates see `item` and `index` beside everything else.
#[derive(Clone, Debug)]
pub enum ListStep {
    /// Keeps the items for which the template is true.
    Filter(Template),
    /// Puts them in the order of the template's values.
    Sort {
        /// The value.
        by: Template,
        /// Greatest first.
        descending: bool,
    },
    /// Keeps those from `start` (negative: from the end) on, at most `count`.
    Slice {
        /// The first.
        start: i64,
        /// How many at most.
        count: Option<u64>,
    },
    /// Replaces each item by the template's value.
    Map(Template),
    /// Keeps the first of those for which the template gives the same.
    Unique(Template),
}

/// Cases of a switch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SwitchConfig {
    /// In order; the first that fits is taken.
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Case {
    pub port: String,
    /// The value it stands for.
    pub value: Value,
}

/// When a join goes on.
#[derive(Clone, Debug, Default)]
pub struct JoinConfig {
    /// How many branches.
    pub mode: JoinMode,
    /// Whether branches that are no longer needed go on all the same.
    pub keep_others: bool,
}

/// How many branches a join waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinMode {
    /// All that were not skipped.
    #[default]
    All,
    /// The first.
    Any,
    /// As many.
    N(u32),
}

/// How a list is worked through.
#[derive(Clone, Debug)]
pub struct EachConfig {
    /// Items at the same time.
    pub concurrency: usize,
    /// What a failure in one leads to.
    pub on_item_error: OnItemError,
    /// What an item gives, evaluated in its iteration; else the outputs of its last node.
    pub result: Option<Template>,
}

/// What a failure in one iteration leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnItemError {
    /// The whole node fails.
    #[default]
    Stop,
    /// The item's result is null.
    Null,
    /// The item has no result.
    Drop,
}

/// How often what is in a loop runs.
#[derive(Clone, Debug)]
pub struct LoopConfig {
    /// Iterations at most; one more is an error only where `while` still holds.
    pub max: u64,
    /// Asked before each iteration, in the loop's own scope (`{{ <id>.index }}`, variables,
    /// `{{ <id>.last }}`: the result of the iteration before).
    pub condition: Option<Template>,
    /// What an iteration gives; else the outputs of its last node.
    pub result: Option<Template>,
}

/// What a person is asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanConfig {
    /// What is to be filled in.
    pub fields: Vec<FormField>,
    /// The buttons; each is a port.
    pub actions: Vec<FormAction>,
    /// How long the form waits, in milliseconds; then the port is `expired`.
    pub expires_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitConfig {
    /// The event's name.
    pub event: String,
    /// How long, in milliseconds; then the port is `expired`.
    pub expires_ms: Option<u64>,
}

/// Another workflow.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkflowConfig {
    /// The assistant whose workflow it is.
    pub assistant_id: Uuid,
    /// Whether this run goes on without its end.
    pub detach: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VideoConfig {
    pub model: Option<String>,
    /// Width by height.
    pub size: Option<String>,
    /// Its length.
    pub seconds: Option<u32>,
}
