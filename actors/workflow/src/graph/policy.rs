//! What happens when a node takes too long, fails, or is interrupted by a crash.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What happens when a node takes too long, fails, or is interrupted by a crash.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Time limit of one attempt, in milliseconds. 0 means no limit (people, events, timers).
    pub timeout_ms: u64,
    /// How often and when a failed node is attempted again.
    pub retry: Retry,
    /// What happens after the last attempt has failed.
    pub on_error: OnError,
    /// The outputs of the node if its failure is ignored (`continue`).
    pub default: Option<Value>,
    /// The effect of the node on external systems.
    pub effect: Effect,
    /// The index of the node that undoes this node if the run fails or is cancelled later.
    pub compensate: Option<super::NodeIx>,
}

/// Describes when a failed node is attempted again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = WorkflowRetry)]
pub struct Retry {
    /// Maximum number of attempts after the first.
    #[schema(minimum = 0, maximum = 10)]
    pub max: u32,
    /// Pause before the second attempt, in milliseconds.
    #[schema(minimum = 0, maximum = 60_000)]
    pub base_ms: u64,
    /// The factor by which each further pause is longer than the previous one.
    #[schema(minimum = 1, maximum = 10)]
    pub factor: f64,
    /// Maximum pause, in milliseconds.
    #[schema(minimum = 0, maximum = 3_600_000)]
    pub max_ms: u64,
    /// The fraction of a pause that is randomised, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub jitter: f64,
    /// The failures that are retried: a status (`429`), a class of statuses (`5xx`), `timeout`, `connect`, `any`, or an error
    /// code.
    pub on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        let on = ["429", "5xx", "timeout", "connect"].map(String::from).to_vec();
        Self { max: 0, base_ms: 500, factor: 2.0, max_ms: 30_000, jitter: 0.2, on }
    }
}

/// What happens after a node has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowOnError)]
pub enum OnError {
    /// The run fails.
    #[default]
    Fail,
    /// The run continues with the node's default outputs. `{{ node.error.message }}` contains the reason.
    Continue,
    /// The run continues through the port `error`.
    Branch,
}

/// The effect of a node on external systems. It determines what happens if a crash interrupts the node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkflowEffect)]
pub enum Effect {
    /// No effect. The node may run again.
    #[default]
    Pure,
    /// Repeating the node has no additional effect. The node may run again.
    Idempotent,
    /// The node must not run twice. The run pauses and asks the user.
    Once,
    /// The node must not run twice, and its effect cannot be undone. The run pauses and asks the user.
    Irreversible,
}

impl Effect {
    /// Whether the node may run again without asking the user.
    pub fn may_repeat(self) -> bool {
        self <= Self::Idempotent
    }
}
