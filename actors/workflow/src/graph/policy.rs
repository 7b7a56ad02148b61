//! What is done when a node takes long, fails, or is cut off by a crash.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is done when a node takes long, fails, or is cut off by a crash.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Time that one attempt may take, in milliseconds; 0 for no limit (people, events, timers).
    pub timeout_ms: u64,
    /// Attempts after the first.
    pub retry: Retry,
    /// What a failure leads to.
    pub on_error: OnError,
    /// The outputs of a node whose failure is passed over (`continue`).
    pub default: Option<Value>,
    /// What it does to the world outside.
    pub effect: Effect,
    /// The node, by its place in the plan, that undoes this one when the run fails or is
    /// cancelled later.
    pub compensate: Option<super::NodeIx>,
}

/// Further attempts after a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retry {
    /// Attempts after the first.
    pub max: u32,
    /// Milliseconds before the second attempt.
    pub base_ms: u64,
    /// By how much each further pause is longer.
    pub factor: f64,
    /// The longest pause, in milliseconds.
    pub max_ms: u64,
    /// Which part of a pause is left to chance, 0 to 1.
    pub jitter: f64,
    /// Failures that are worth another attempt: a status (`429`), a class of them (`5xx`),
    /// `timeout`, `connect`, `any`, or the code of an error.
    pub on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        let on = ["429", "5xx", "timeout", "connect"].map(String::from).to_vec();
        Self { max: 0, base_ms: 500, factor: 2.0, max_ms: 30_000, jitter: 0.2, on }
    }
}

/// What a failure leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The run fails.
    #[default]
    Fail,
    /// The run goes on with the node's default outputs; `{{ node.error.message }}` tells why.
    Continue,
    /// The run goes on by the port `error`.
    Branch,
}

/// What a node does to the world outside, which decides on what a crash in its midst leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it may run again.
    #[default]
    Pure,
    /// The same thing, however often it is done: it may run again.
    Idempotent,
    /// Something that is to be done once: the run pauses and asks.
    Once,
    /// Something that is to be done once and that nothing can undo: the run pauses and asks.
    Irreversible,
}

impl Effect {
    /// Whether it may be done again without asking.
    pub fn may_repeat(self) -> bool {
        self <= Self::Idempotent
    }
}
