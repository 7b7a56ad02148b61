//! Node kinds: one variant per node type, with the configuration that the author of the graph provides.
//!
//! Values that depend on the run are passed through a node's inputs (`in`). A configuration contains templates only where they
//! are evaluated in a different scope than the node's own: per item or per iteration.

use expr::Template;
use runs::event::{FormAction, FormField};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::config_specs::{FormActionSpec, FormFieldSpec, JoinModeSpec, JoinOthersSpec, ListStepSpec};

/// The type of a node, with its configuration.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Begins a run. Its outputs are the run's inputs.
    Start,
    /// Adds `in.text` to the run's answer. Outputs `{text}`.
    Answer,
    /// Ends the run. Its inputs are the run's outputs.
    End,
    /// Ends the run as failed, with `in.message` and `in.code` (default: `failed`).
    Fail,
    /// Calls a model with `in.prompt` and `in.system`. Outputs `{text}`.
    Llm(LlmConfig),
    /// Calls a model with tools in a loop, with `in.prompt` and `in.system`. Outputs `{text, calls}`.
    Agent(AgentConfig),
    /// A model assigns `in.text` to one of the classes. The class is the port. Outputs `{class, reason}`.
    Classifier(ClassifierConfig),
    /// A model extracts an object that matches a schema from `in.text`. Outputs `{object}`.
    Extract(ExtractConfig),
    /// Searches knowledge bases for `in.query`. Outputs `{passages}`.
    Retrieve(RetrieveConfig),
    /// Calls a function of a skill with the node's inputs. Outputs `{result}`.
    Function(FunctionConfig),
    /// Calls a tool with the node's inputs. Outputs `{result}`.
    Tool(ToolConfig),
    /// Sends a request made of `in.url`, `in.headers`, `in.query` and `in.body`. Outputs `{status, headers, body}`.
    Http(HttpConfig),
    /// Runs a script with the node's inputs. Outputs the values that the graph declares.
    Code(CodeConfig),
    /// Renders the text `in.text`. Outputs `{text}`.
    Template,
    /// Sets variables. Each input is the new value of the variable with the same name. Outputs the same values.
    Set,
    /// Filters, sorts, slices and maps `in.items`. Outputs `{items, count, first, last}`.
    List(ListConfig),
    /// Extracts the text of `in.file`. Outputs `{text, pages, media_type}`.
    Document,
    /// Continues through port `true` or `false`, depending on `in.condition`. Outputs `{result}`.
    If,
    /// Continues through the port of the first case whose value equals `in.value`, or through `default`. Outputs `{case}`.
    Switch(SwitchConfig),
    /// Continues along all edges at once. Has no outputs.
    Parallel,
    /// Waits for several branches. Outputs `{arrived}`: the names of the nodes whose edges arrived.
    Join(JoinConfig),
    /// Executes the contained nodes once for each item of `in.items`. Outputs `{items, count, failed}`. Contained nodes can read
    /// `{{ <id>.item }}` and `{{ <id>.index }}`.
    Each(EachConfig),
    /// Executes the contained nodes repeatedly. Outputs `{count, result}`. Contained nodes can read `{{ <id>.index }}`.
    Loop(LoopConfig),
    /// Ends the enclosing `loop` or `each` after this iteration. Has no outputs.
    Break,
    /// Asks a person, with `in.title`, `in.message`, and initial field values by field name. The port is the pressed button or
    /// `expired`. Outputs `{action, fields, by}`.
    Human(HumanConfig),
    /// Waits for an external event. The ports are `out` and `expired`. Outputs `{data}`.
    Wait(WaitConfig),
    /// Waits for `in.ms` milliseconds, or until the time `in.until`. Outputs `{until}`.
    Delay,
    /// Starts another workflow with the node's inputs. Outputs the outputs of that run, or `{conversation_id, stream_id}` if the
    /// node does not wait for the run.
    Workflow(WorkflowConfig),
    /// Generates a video from `in.prompt`. Outputs `{file}`.
    Video(VideoConfig),
}

/// The model to call, and how.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowLlmConfig)]
pub struct LlmConfig {
    /// The model. Defaults to the assistant's model, then to the default model.
    pub model: Option<String>,
    /// Parameters passed to the model. They override the assistant's parameters.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// Whether the output of the model is streamed as part of the run's answer.
    pub answer: bool,
    /// Whether the assistant's instructions are placed before the prompt.
    pub use_instructions: bool,
}

/// Configuration of a model that may call tools.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowAgentConfig)]
pub struct AgentConfig {
    /// The model and its parameters.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// Names of the tools that the model may call.
    #[schema(max_items = 64)]
    pub tools: Vec<String>,
    /// Maximum number of model calls. 0 selects the installation's limit.
    #[schema(maximum = 100)]
    pub max_turns: u32,
}

/// Configuration of a classifier: the classes to choose from.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowClassifierConfig)]
pub struct ClassifierConfig {
    /// The model and its parameters.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// The classes to choose from, at least two.
    #[schema(required, min_items = 2, max_items = 64)]
    pub classes: Vec<Class>,
    /// The class to use if the model's reply names no class. Without a fallback, such a reply is an error.
    pub fallback: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowClass)]
pub struct Class {
    /// The name of the class, which is also the port.
    #[schema(min_length = 1)]
    pub name: String,
    /// Describes in words what belongs to the class.
    #[serde(default)]
    pub description: String,
}

/// Describes the object to extract from a text.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowExtractConfig)]
pub struct ExtractConfig {
    /// The model and its parameters.
    #[serde(flatten)]
    pub llm: LlmConfig,
    /// JSON Schema of the object.
    #[schema(value_type = Object, required)]
    pub schema: Value,
    /// How many times the model is asked again, with the faults of its reply, if the reply does not match the schema.
    #[schema(default = 1, maximum = 5)]
    pub repairs: u32,
}

/// Where to search, and for how many passages.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowRetrieveConfig)]
pub struct RetrieveConfig {
    /// The knowledge bases to search. Defaults to the assistant's.
    #[schema(max_items = 64)]
    pub knowledge_bases: Vec<Uuid>,
    /// Maximum number of passages.
    #[schema(default = 8, minimum = 1, maximum = 100)]
    pub limit: u32,
}

/// Configuration of a call to a skill function.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowFunctionConfig)]
pub struct FunctionConfig {
    /// The skill. Defaults to any skill of the assistant that has the function.
    pub skill_id: Option<Uuid>,
    #[schema(required, min_length = 1)]
    pub function: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowToolConfig)]
pub struct ToolConfig {
    /// The name of the tool: a built-in tool, or `server/tool` for a tool of a tool server.
    #[schema(required, min_length = 1)]
    pub tool: String,
}

/// Configuration of an HTTP request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowHttpConfig)]
pub struct HttpConfig {
    /// The HTTP method: `GET`, `POST`, ...
    pub method: String,
    /// Headers whose values are secrets: maps a header to the name of a secret of the tenant.
    pub secret_headers: std::collections::BTreeMap<String, String>,
    /// The external service whose credentials of the user are sent with the request.
    pub service: Option<String>,
    /// Maximum size of the response body, in bytes.
    #[schema(minimum = 1, maximum = 67_108_864)]
    pub max_bytes: u64,
    /// Status codes of 400 and above that count as results, not as failures.
    pub accept_status: Vec<u16>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        let (secret_headers, accept_status) = Default::default();
        Self { method: "GET".into(), secret_headers, service: None, max_bytes: 4 << 20, accept_status }
    }
}

/// Configuration of a script.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowCodeConfig)]
pub struct CodeConfig {
    /// JavaScript with a function `main(inputs)`. The function returns the outputs.
    #[schema(required, min_length = 1)]
    pub code: String,
    /// Memory limit of the script, in bytes.
    #[schema(minimum = 1_048_576, maximum = 536_870_912)]
    pub memory_bytes: Option<u64>,
}

/// The operations applied to a list, in order.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(as = WorkflowListConfig)]
pub struct ListConfig {
    #[schema(value_type = Option<Vec<ListStepSpec>>, max_items = 64, required = false)]
    pub steps: Vec<ListStep>,
}

/// One operation of a list node. Templates can read `item` and `index` in addition to the node's scope.
#[derive(Clone, Debug)]
pub enum ListStep {
    /// Retains the items for which the template is true.
    Filter(Template),
    /// Sorts the items by the value of the template.
    Sort {
        /// The sort key.
        by: Template,
        /// Whether the greatest value comes first.
        descending: bool,
    },
    /// Retains at most `count` items from `start` on. A negative `start` counts from the end.
    Slice {
        /// The index of the first item to retain.
        start: i64,
        /// Maximum number of items.
        count: Option<u64>,
    },
    /// Replaces each item with the value of the template.
    Map(Template),
    /// Removes items for which the template has the same value as for an earlier item.
    Unique(Template),
}

/// The cases of a switch.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowSwitchConfig)]
pub struct SwitchConfig {
    /// The cases, in order. The first match is taken.
    #[schema(required, min_items = 1, max_items = 64)]
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowCase)]
pub struct Case {
    #[schema(min_length = 1)]
    pub port: String,
    /// The value that selects this case.
    #[schema(value_type = Value)]
    pub value: Value,
}

/// The condition under which a join continues.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(as = WorkflowJoinConfig)]
pub struct JoinConfig {
    /// The number of branches to wait for.
    #[schema(value_type = Option<JoinModeSpec>, required = false)]
    pub mode: JoinMode,
    /// Whether branches that are no longer needed continue to run.
    #[schema(rename = "others", value_type = Option<JoinOthersSpec>, required = false)]
    pub keep_others: bool,
}

/// The number of branches that a join waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinMode {
    /// Every branch that was not skipped.
    #[default]
    All,
    /// The first branch that arrives.
    Any,
    /// A given number of branches.
    N(u32),
}

/// How the items of a list are processed.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = WorkflowEachConfig)]
pub struct EachConfig {
    /// Number of items that are processed at the same time.
    #[schema(default = 4, minimum = 1, maximum = 64, required = false)]
    pub concurrency: usize,
    /// What happens if the iteration of an item fails.
    #[schema(required = false)]
    pub on_item_error: OnItemError,
    /// The result of an item, evaluated in its iteration. Defaults to the outputs of the last node.
    #[schema(value_type = Option<Value>)]
    pub result: Option<Template>,
}

/// What happens if the iteration of an item fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowOnItemError)]
pub enum OnItemError {
    /// The whole node fails.
    #[default]
    Stop,
    /// The item's result is null.
    Null,
    /// The item has no result.
    Drop,
}

/// How often the contained nodes of a loop are executed.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = WorkflowLoopConfig)]
pub struct LoopConfig {
    /// Maximum number of iterations. Exceeding it is an error only if `while` is set and still true.
    #[schema(default = 100, minimum = 1, maximum = 10_000, required = false)]
    pub max: u64,
    /// Evaluated before each iteration in the loop's own scope: variables, `{{ <id>.index }}`, and `{{ <id>.last }}`, the result
    /// of the previous iteration.
    #[schema(rename = "while", value_type = Option<Value>)]
    pub condition: Option<Template>,
    /// The result of an iteration. Defaults to the outputs of the last node.
    #[schema(value_type = Option<Value>)]
    pub result: Option<Template>,
}

/// The form that a person is asked to fill in.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowHumanConfig)]
pub struct HumanConfig {
    /// The fields to fill in.
    #[schema(value_type = Vec<FormFieldSpec>, max_items = 64)]
    pub fields: Vec<FormField>,
    /// The buttons of the form. Each button is a port.
    #[schema(value_type = Vec<FormActionSpec>, required, min_items = 1, max_items = 64)]
    pub actions: Vec<FormAction>,
    /// How long the form waits, in milliseconds. After that, the port is `expired`.
    #[schema(minimum = 1, maximum = 31_536_000_000_u64)]
    pub expires_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowWaitConfig)]
pub struct WaitConfig {
    /// The name of the event to wait for.
    #[schema(required, min_length = 1)]
    pub event: String,
    /// How long the node waits, in milliseconds. After that, the port is `expired`.
    #[schema(minimum = 1, maximum = 31_536_000_000_u64)]
    pub expires_ms: Option<u64>,
}

/// Configuration of a nested workflow run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowNestedConfig)]
pub struct WorkflowConfig {
    /// The assistant that defines the workflow.
    #[schema(required)]
    pub assistant_id: Uuid,
    /// Whether this run continues without waiting for the end of the nested run.
    pub detach: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowVideoConfig)]
pub struct VideoConfig {
    pub model: Option<String>,
    /// Width and height, as in `1280x720`.
    #[schema(pattern = "^[0-9]+x[0-9]+$")]
    pub size: Option<String>,
    /// Length of the video, in seconds.
    #[schema(minimum = 1, maximum = 600)]
    pub seconds: Option<u32>,
}
