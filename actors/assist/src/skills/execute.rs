//! Executes functions of skills.

use std::time::Duration;

use runs::Caller;
use sandbox::{Limits, Script, ScriptError, ScriptErrorKind};
use serde_json::{Map, Value, json};
use storage::records::{SkillContent, SkillFunction};
use uuid::Uuid;

use super::services::{Bill, Services};
use crate::data::{Fault, Schema};
use crate::run_context::RunContext;

/// Resource limits of a function call. Waiting counts as execution time.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    memory_bytes: 64 << 20,
    stack_bytes: 512 << 10,
    output_bytes: 1 << 20,
    log_bytes: 64 << 10,
    depth: 64,
    calls: 100,
    call_bytes: 2 << 20,
};

/// The entry point that the sandbox calls, which in turn calls the function.
const ENTRY: &str = "__understudy_calls";
/// Appended to a script, so that its line numbers stay the same.
const CALLING: &str = "
;function __understudy_calls(inputs, host) {
  host.log = console.log;
  return functions[inputs.name].run(inputs.arguments, host);
}";

/// The result of a function call.
#[derive(Clone, Debug)]
pub struct FunctionRan {
    /// Return value of the function.
    pub result: Value,
    /// Console output, one entry per call.
    pub logs: Vec<String>,
    /// Execution time in milliseconds.
    pub elapsed_ms: u64,
}

/// Why a function call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// The skill has no function with this name.
    #[error("there is no function {0:?}")]
    NotFound(String),
    /// The arguments do not match the function's schema. Contains every fault with its location in the arguments.
    #[error("the arguments are invalid: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    InvalidArguments(Vec<Fault>),
    /// The function exceeded its time limit.
    #[error("the function took longer than {seconds} seconds")]
    Timeout {
        /// Time limit of the function in seconds.
        seconds: u64,
        /// Console output before the timeout.
        logs: Vec<String>,
    },
    #[error("{}", located(.message, *.line))]
    Failed {
        /// Error message of the script engine.
        message: String,
        /// Path of the script in which the error occurred.
        file: String,
        /// Line number in that script, from 1, if known.
        line: Option<u32>,
        /// Console output before the failure.
        logs: Vec<String>,
    },
    /// No sandbox process is available. The function was not executed.
    #[error("{0}")]
    Unavailable(String),
}

impl FunctionError {
    /// Stable machine-readable error code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::InvalidArguments(_) => "invalid_arguments",
            Self::Timeout { .. } => "function_timeout",
            Self::Failed { .. } => "function_failed",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

fn located(message: &str, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{message} (line {line})"),
        None => message.to_owned(),
    }
}

/// Executes a function of a skill on behalf of a user. Apart from its arguments it has access to the services that the
/// skill requires and the caller's assistant is approved for. This applies only to the assistant's own skills, and not
/// to a skill (`skill`) that another skill adds to the conversation or that is not stored yet. Dropping the future
/// terminates the execution.
///
/// # Errors
/// The error that prevented a result.
pub async fn execute(
    run_context: &RunContext,
    caller: &Caller,
    skill: Option<Uuid>,
    content: &SkillContent,
    function: &str,
    arguments: &Value,
    bill: &Bill,
) -> Result<FunctionRan, FunctionError> {
    let missing = || FunctionError::NotFound(function.to_owned());
    let declared = content.functions.iter().find(|it| it.name == function).ok_or_else(missing)?;
    let code = content.files.get(&declared.file).ok_or_else(missing)?;
    check(&declared.parameters, arguments)?;
    let inputs = json!({"name": function, "arguments": arguments});
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    let script = Script { code: format!("{code}{CALLING}"), inputs, entry: ENTRY.to_owned() };
    let services = Services::open(run_context, *caller, skill, &content.services, bill).await;
    let services = services.map_err(|why| FunctionError::Unavailable(why.to_string()))?;
    match run_context.sandbox.run_with(&script, &LIMITS, &services).await {
        Ok(ran) => Ok(FunctionRan { result: ran.output, logs: ran.logs, elapsed_ms: ran.elapsed_ms }),
        Err(why) => Err(failure(why, declared, code)),
    }
}

/// Validates arguments against the schema that the function declares.
fn check(parameters: &Map<String, Value>, arguments: &Value) -> Result<(), FunctionError> {
    if !arguments.is_object() {
        let fault = Fault::new([""; 0], "type", "the arguments have to be an object");
        return Err(FunctionError::InvalidArguments(vec![fault]));
    }
    // The schema was valid when the skill was uploaded. If it cannot be compiled any more, all arguments are rejected.
    let schema = Schema::read(&Value::Object(parameters.clone())).map_err(|why| {
        FunctionError::InvalidArguments(vec![Fault::new(
            [""; 0],
            "schema",
            format!("the schema is wrong: {why}"),
        )])
    })?;
    let faults = schema.faults(arguments);
    if faults.is_empty() { Ok(()) } else { Err(FunctionError::InvalidArguments(faults)) }
}

fn failure(why: ScriptError, function: &SkillFunction, code: &str) -> FunctionError {
    let ScriptError { kind, message, line, logs } = why;
    match kind {
        ScriptErrorKind::Unavailable => FunctionError::Unavailable(message),
        ScriptErrorKind::Timeout => FunctionError::Timeout { seconds: LIMITS.time.as_secs(), logs },
        _ => {
            // Lines after the end of the author's script belong to the appended code.
            let line = line.filter(|line| *line as usize <= code.lines().count());
            let message = message.replace(ENTRY, &function.name);
            FunctionError::Failed { message, file: function.file.clone(), line, logs }
        }
    }
}
