//! What happens in a workflow's run, beside what happens in every run.

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
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name { $($fields)* }
    )*};
}

data! {
    /// The graph that a run goes by.
    GraphPinned {
        /// Its SHA-256.
        pub hash: String,
        /// Whether it is a debug run.
        pub debug: bool,
        /// The run that it repeats in part.
        pub forked_from: Option<Uuid>,
    }
    RunWaiting {
        /// `human`, `event`, `timer`, `child` or `backoff`.
        pub on: String,
        /// Until when, if it is a time.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub until: Option<Timestamp>,
    }
    /// Why a run was halted.
    RunPaused {
        /// `step`, `breakpoint`, `until`, `uncertain_effect`, `crash_loop`.
        pub reason: String,
        /// The node that would be next, or whose effect is uncertain.
        pub node: Option<String>,
        /// Where an effect is uncertain, what can be said to become of it: the actions by which the run is resumed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub actions: Vec<String>,
    }
    /// A run goes on.
    RunResumed {
        /// Who told it to; none where what it waited for came by itself.
        pub by: Option<Uuid>,
        /// What they told it.
        pub action: Option<String>,
    }
    /// How a run is about to end; what still works is stopped, and what was done may be undone.
    RunEnding {
        /// The state it will have.
        pub status: RunState,
        /// Why, where the state alone does not say it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<TerminalError>,
    }
    /// What was done is about to be undone.
    RunCompensating {
        /// Executions that are undone, in this order.
        pub executions: Vec<String>,
        /// Why.
        pub error: Option<TerminalError>,
    }
    /// What a run gives.
    Outputs {
        /// Names with values.
        #[schema(value_type = Object)]
        pub outputs: Map<String, Value>,
    }
    /// A node waits for its turn.
    NodeReady {}
    /// A node has begun.
    NodeStarted {
        /// What it was given; large values stand as `{"$blob": <sha256>, "bytes": n}`.
        #[schema(value_type = Object)]
        pub inputs: Map<String, Value>,
        /// From 1.
        pub attempt: u32,
    }
    /// More text.
    NodeDelta {
        /// What is added.
        pub text: String,
    }
    /// A line of a log.
    NodeLog {
        pub line: String,
    }
    /// Another attempt follows.
    NodeRetry {
        /// The attempt that failed, from 1.
        pub attempt: u32,
        /// The pause before the next one.
        pub delay_ms: u64,
        /// Why it failed.
        pub error: Option<TerminalError>,
    }
    NodeWaiting {
        /// `human`, `event`, `timer` or `child`.
        pub on: String,
        /// Until when at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub until: Option<Timestamp>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub form_id: Option<Uuid>,
        /// The name of the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub event: Option<String>,
        /// The run that it started,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub run_id: Option<Uuid>,
        /// and the conversation of that run.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub conversation_id: Option<Uuid>,
    }
    /// A node is over.
    NodeFinished {
        /// How it ended.
        pub status: NodeStatus,
        /// The port it left by; none where it left by none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub port: Option<String>,
        /// What it gave; large values stand as `{"$blob": <sha256>, "bytes": n}`.
        #[schema(value_type = Object)]
        pub outputs: Map<String, Value>,
        /// What went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<TerminalError>,
        /// Tokens of all its attempts; left out where there are none.
        #[serde(skip_serializing_if = "is_default")]
        pub usage: Usage,
        /// Their cost, in thousand-millionths of a dollar; left out where there is none.
        #[serde(skip_serializing_if = "is_default")]
        pub cost_nanos: u64,
        /// Milliseconds from its start.
        pub elapsed_ms: u64,
        /// Where the outputs come from.
        pub from: OutputsFrom,
    }
    /// A node is passed over.
    NodeSkipped {}
    /// An iteration begins.
    IterationStarted {
        /// From 0.
        pub index: u64,
    }
    /// An iteration is over.
    IterationFinished {
        /// From 0.
        pub index: u64,
        /// What it gave.
        #[schema(value_type = Value)]
        pub result: Value,
        /// Why it gave nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<TerminalError>,
    }
    /// A decision.
    BranchTaken {
        pub port: String,
    }
    /// A variable has another value.
    VariableChanged {
        /// The variable.
        pub name: String,
        /// Its value from now on.
        #[schema(value_type = Value)]
        pub value: Value,
    }
    FormRequired {
        /// Names it in the answer.
        pub form_id: Uuid,
        /// What it is about.
        pub title: String,
        /// What is asked, as Markdown.
        pub message: String,
        /// What is to be filled in.
        pub fields: Vec<FormField>,
        /// The buttons.
        pub actions: Vec<FormAction>,
        /// When it is too late.
        pub expires_at: Option<Timestamp>,
    }
    /// An answer to a form.
    FormSubmitted {
        pub form_id: Uuid,
        /// The button.
        pub action: String,
        /// What was filled in.
        #[schema(value_type = Object)]
        pub fields: Map<String, Value>,
        /// By whom.
        pub by: Uuid,
    }
    /// It was not answered in time.
    FormExpired {
        pub form_id: Uuid,
    }
    BreakpointHit {
        pub node: String,
        /// `before` or `after`.
        pub when: String,
    }
    /// Nodes that run again.
    NodesStale {
        /// By their names.
        pub ids: Vec<String>,
    }
}

/// How a node ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It did what it was to do.
    #[default]
    Succeeded,
    /// It failed, and the run or the iteration with it.
    Failed,
    /// It failed, and the graph says how to go on.
    ErrorHandled,
    /// It was stopped.
    Cancelled,
}

/// Where the outputs of a node come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputsFrom {
    /// It ran.
    #[default]
    Run,
    /// It had run in an earlier run, on the same things.
    Reused,
    /// They were set for the debug run.
    Pinned,
    /// It ran on inputs that were changed for the debug run.
    Edited,
}
