//! Events that occur only in workflow runs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::Timestamp;
use storage::records::{RunState, Usage};
use utoipa::ToSchema;
use uuid::Uuid;

use super::TerminalError;
use super::form::{FormAction, FormField};

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

macro_rules! data {
    ($($(#[$doc:meta])* $name:ident { $($fields:tt)* })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        $(#[$doc])*
        pub struct $name { $($fields)* }
    )*};
}

data! {
    /// The graph that a workflow run executes.
    GraphPinned {
        /// SHA-256 of the graph.
        pub hash: String,
        /// Whether this is a debug run.
        pub debug: bool,
        /// The run that this run partly repeats.
        pub forked_from: Option<Uuid>,
    }
    RunWaiting {
        /// What the run waits for: `human`, `event`, `timer`, `child` or `backoff`.
        pub on: String,
        /// When the wait ends, if it ends at a known time.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub until: Option<Timestamp>,
    }
    /// Why a run was paused.
    RunPaused {
        /// `step`, `breakpoint`, `until`, `uncertain_effect` or `crash_loop`.
        pub reason: String,
        /// The node that would be executed next, or whose effect is uncertain.
        pub node: Option<String>,
        /// If an effect is uncertain, the possible decisions about it. Each is an action that resumes the run.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub actions: Vec<String>,
    }
    /// A run continues.
    RunResumed {
        /// The user who resumed the run. Absent if what the run waited for happened by itself.
        pub by: Option<Uuid>,
        /// The action that the user chose.
        pub action: Option<String>,
    }
    /// How a run is about to end. Nodes that are still working are stopped, and completed effects may be undone.
    RunEnding {
        /// The state that the run will have.
        pub status: RunState,
        /// The reason, if the state does not imply it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub reason: Option<String>,
        /// The error, if the run failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub error: Option<TerminalError>,
    }
    /// The effects of the run are about to be undone.
    RunCompensating {
        /// Executions that are undone, in this order.
        pub executions: Vec<String>,
        /// The error that caused it.
        pub error: Option<TerminalError>,
    }
    /// The outputs of a run.
    #[schema(as = RunOutputs)]
    Outputs {
        /// Output values by name.
        #[schema(value_type = Object, required)]
        pub outputs: Map<String, Value>,
    }
    /// A node waits for its turn.
    NodeReady {}
    /// A node has started.
    NodeStarted {
        /// Inputs of the node. Large values are replaced by `{"$blob": <sha256>, "bytes": n}`.
        #[schema(value_type = Object, required)]
        pub inputs: Map<String, Value>,
        /// Number of the attempt, from 1.
        pub attempt: u32,
    }
    /// Text that a node generated.
    NodeDelta {
        /// The text to append.
        pub text: String,
    }
    /// A log message of a node.
    NodeLog {
        pub line: String,
    }
    /// Another attempt of a node follows.
    NodeRetry {
        /// Number of the failed attempt, from 1.
        pub attempt: u32,
        /// Delay before the next attempt in milliseconds.
        pub delay_ms: u64,
        /// Why the attempt failed.
        pub error: Option<TerminalError>,
    }
    NodeWaiting {
        /// What the node waits for: `human`, `event`, `timer` or `child`.
        pub on: String,
        /// When the wait ends at the latest.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub until: Option<Timestamp>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub form_id: Option<Uuid>,
        /// Name of the awaited event.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub event: Option<String>,
        /// The run that the node started and waits for.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub run_id: Option<Uuid>,
        /// The conversation of that run.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub conversation_id: Option<Uuid>,
    }
    /// A node has finished.
    NodeFinished {
        /// How the node ended.
        pub status: NodeStatus,
        /// The port through which the run continues. Absent if there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub port: Option<String>,
        /// Outputs of the node. Large values are replaced by `{"$blob": <sha256>, "bytes": n}`.
        #[schema(value_type = Object, required)]
        pub outputs: Map<String, Value>,
        /// The error, if the node failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub error: Option<TerminalError>,
        /// Token usage of all attempts. Omitted if there is none.
        #[serde(skip_serializing_if = "is_default")]
        pub usage: Usage,
        /// Cost of all attempts in billionths of a dollar. Omitted if there is none.
        #[serde(skip_serializing_if = "is_default")]
        pub cost_nanos: u64,
        /// Milliseconds since the node started.
        pub elapsed_ms: u64,
        /// Where the outputs come from.
        pub from: OutputsFrom,
    }
    /// A node is skipped.
    NodeSkipped {}
    /// An iteration begins.
    IterationStarted {
        /// Index of the iteration, from 0.
        pub index: u64,
    }
    /// An iteration has finished.
    IterationFinished {
        /// Index of the iteration, from 0.
        pub index: u64,
        /// Result of the iteration.
        #[schema(value_type = Value, required)]
        pub result: Value,
        /// Why the iteration has no result.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        pub error: Option<TerminalError>,
    }
    /// The branch that a node selected.
    BranchTaken {
        pub port: String,
    }
    /// A variable has a new value.
    VariableChanged {
        /// Name of the variable.
        pub name: String,
        /// The new value of the variable.
        #[schema(value_type = Value, required)]
        pub value: Value,
    }
    FormRequired {
        /// ID of the form, to be given when it is submitted.
        pub form_id: Uuid,
        /// Title that tells the recipient what the form is about.
        pub title: String,
        /// Text of the question, as Markdown.
        pub message: String,
        /// Fields to be filled in.
        pub fields: Vec<FormField>,
        /// Buttons of the form.
        pub actions: Vec<FormAction>,
        /// When the form expires.
        pub expires_at: Option<Timestamp>,
    }
    /// A submitted form.
    FormSubmitted {
        pub form_id: Uuid,
        /// Name of the button that was pressed.
        pub action: String,
        /// Values that were filled in, by name of the field.
        #[schema(value_type = Object, required)]
        pub fields: Map<String, Value>,
        /// The user who submitted the form.
        pub by: Uuid,
    }
    /// A form that was not submitted in time.
    FormExpired {
        pub form_id: Uuid,
    }
    BreakpointHit {
        pub node: String,
        /// Whether the run stopped `before` or `after` the node.
        pub when: String,
    }
    /// Nodes that are executed again.
    NodesStale {
        /// Names of the nodes.
        pub ids: Vec<String>,
    }
}

/// How a node ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// The node completed its work.
    #[default]
    Succeeded,
    /// The node failed, and the run or the iteration failed with it.
    Failed,
    /// The node failed, and the graph defines how the run continues.
    ErrorHandled,
    /// The node was stopped.
    Cancelled,
}

/// Where the outputs of a node come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputsFrom {
    /// The node was executed.
    #[default]
    Run,
    /// The node was executed in an earlier run with the same inputs.
    Reused,
    /// The outputs were set for the debug run.
    Pinned,
    /// The node was executed with inputs that were changed for the debug run.
    Edited,
}
