//! What is run, within which limits, and what comes of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// A script and what it is given.
#[derive(Clone, Debug)]
pub struct Script {
    /// ECMAScript, in strict mode, that makes a function of the name `entry`.
    pub code: String,
    /// The first argument of that function; the second is the host, where there is one.
    pub inputs: Map<String, Value>,
    /// The exported function to be called.
    pub entry: String,
}

impl Script {
    /// A script whose function is `main`.
    pub fn new(code: impl Into<String>, inputs: Map<String, Value>) -> Self {
        Self { code: code.into(), inputs, entry: "main".to_owned() }
    }
}

/// How much one script may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time from the first line of the script to its result; waiting for a process is not counted.
    pub time: Duration,
    /// Memory of all its values.
    pub memory_bytes: u64,
    /// The JavaScript stack, in bytes.
    pub stack_bytes: u64,
    /// The largest result, in bytes of JSON.
    pub output_bytes: u64,
    /// All its lines of `console` together.
    pub log_bytes: u64,
    /// How deeply objects and lists of its result may be nested; more than 120 is taken for 120.
    pub depth: u32,
    /// Calls of its host that it may make.
    pub calls: u32,
    /// What one call gives, and what it is given, as JSON.
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
    /// What it said to the console, one entry a call.
    pub logs: Vec<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Why a script gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// What sort of failure it was.
    pub kind: ScriptErrorKind,
    /// For people, with the engine's own words where it has some.
    pub message: String,
    /// The line of the script, counted from 1, where one is known.
    pub line: Option<u32>,
    /// What it had said to the console until then.
    pub logs: Vec<String>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptErrorKind {
    /// It took longer than it may.
    Timeout,
    /// It used more memory than it may.
    Memory,
    /// Its calls were nested too deeply.
    Stack,
    /// It returned or said too much, or something that JSON cannot hold.
    Output,
    /// The script threw an exception.
    Thrown,
    /// It is not ECMAScript, or has no such function.
    Syntax,
    /// It waits for something that nothing will bring about.
    Unsettled,
    /// The process of the script ended unexpectedly.
    Crashed,
    /// There was no process to run it in; nothing of it has run.
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
