//! Scripts, their limits and their results.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// A script and its inputs.
#[derive(Clone, Debug)]
pub struct Script {
    /// ECMAScript source in strict mode that defines a function named `entry`.
    pub code: String,
    /// The first argument of that function; the second is the host, if there is one.
    pub inputs: Map<String, Value>,
    /// The name of the function to be called.
    pub entry: String,
}

impl Script {
    /// Creates a script whose function is `main`.
    pub fn new(code: impl Into<String>, inputs: Map<String, Value>) -> Self {
        Self { code: code.into(), inputs, entry: "main".to_owned() }
    }
}

/// The limits of one script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time from the first line of the script to its result; waiting for a process is not counted.
    pub time: Duration,
    /// The memory of all its values in bytes.
    pub memory_bytes: u64,
    /// The JavaScript stack, in bytes.
    pub stack_bytes: u64,
    /// The maximum size of the result, in bytes of JSON.
    pub output_bytes: u64,
    /// The maximum total size of all lines written to `console`, in bytes.
    pub log_bytes: u64,
    /// The maximum nesting depth of objects and lists in the result; at most 120.
    pub depth: u32,
    /// The maximum number of host calls.
    pub calls: u32,
    /// The maximum size of a call's arguments, and of its result, in bytes of JSON.
    pub call_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(5),
            memory_bytes: 64 << 20,
            stack_bytes: 512 << 10,
            output_bytes: 1 << 20,
            log_bytes: 64 << 10,
            depth: 64,
            calls: 100,
            call_bytes: 1 << 20,
        }
    }
}

/// The result of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptOutput {
    /// The function's return value.
    pub output: Value,
    /// The lines written to the console, one entry per call.
    pub logs: Vec<String>,
    /// The execution time in milliseconds.
    pub elapsed_ms: u64,
}

/// Why a script did not return a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// The kind of failure.
    pub kind: ScriptErrorKind,
    /// A message for people, including the engine's message if there is one.
    pub message: String,
    /// The line of the script, counted from 1, if known.
    pub line: Option<u32>,
    /// The lines written to the console before the failure.
    pub logs: Vec<String>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptErrorKind {
    /// The script exceeded the time limit.
    Timeout,
    /// The script exceeded the memory limit.
    Memory,
    /// The script's calls were nested too deeply.
    Stack,
    /// The result or the console output is too large, or the result cannot be represented in JSON.
    Output,
    /// The script threw an exception.
    Thrown,
    /// The code is not valid ECMAScript, or does not define the function.
    Syntax,
    /// The script waits for a promise that can never be settled.
    Unsettled,
    /// The process of the script ended unexpectedly.
    Crashed,
    /// No process was available; no part of the script has run.
    Unavailable,
}

impl ScriptErrorKind {
    /// A stable name for machines.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Timeout => "code_timeout",
            Self::Memory => "code_memory",
            Self::Stack => "code_stack",
            Self::Output => "code_output",
            Self::Thrown => "code_thrown",
            Self::Syntax => "code_syntax",
            Self::Unsettled => "code_unsettled",
            Self::Crashed => "code_crashed",
            Self::Unavailable => "code_unavailable",
        }
    }
}
