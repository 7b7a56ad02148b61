//! Calling functions of skills.

use std::time::Duration;

use runs::Caller;
use sandbox::{Limits, Script, ScriptError, ScriptErrorKind};
use serde_json::{Map, Value, json};
use storage::records::{SkillContent, SkillFunction};
use uuid::Uuid;

use super::services::{Bill, Services};
use crate::data::{Fault, Schema};
use crate::run_context::RunContext;

/// How much a function may use. What it waits for counts as its time.
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

/// What the sandbox calls, which calls the function in turn.
const ENTRY: &str = "__understudy_calls";
/// Put after a script, so that its lines keep their numbers.
const CALLING: &str = "
;function __understudy_calls(inputs, host) {
  host.log = console.log;
  return functions[inputs.name].run(inputs.arguments, host);
}";

/// What a function gave.
#[derive(Clone, Debug)]
pub struct FunctionRan {
    /// What it returned.
    pub result: Value,
    /// What it said to the console, one entry a call.
    pub logs: Vec<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Why a function gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// There is none of this name.
    #[error("there is no function {0:?}")]
    NotFound(String),
    /// The arguments are not as the function wants them; every fault with its place in them.
    #[error("the arguments are wrong: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    InvalidArguments(Vec<Fault>),
    /// It took too long.
    #[error("the function took longer than {seconds} seconds")]
    Timeout {
        /// What it may take.
        seconds: u64,
        /// What it had said to the console.
        logs: Vec<String>,
    },
    #[error("{}", located(.message, *.line))]
    Failed {
        /// How, with the engine's own words.
        message: String,
        /// The script that it is in.
        file: String,
        /// The line of that script, counted from 1, where one is known.
        line: Option<u32>,
        /// What it had said to the console.
        logs: Vec<String>,
    },
    /// There is no process to run it in; nothing of it has run.
    #[error("{0}")]
    Unavailable(String),
}

impl FunctionError {
    /// A stable name for machines.
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

/// Calls a function of a skill on behalf of a user. What it may reach beside its arguments is what the skill asks
/// for and the caller's assistant is approved for; that holds for the assistant's own skills alone, and not for
/// one (`skill`) that another skill brings into the conversation, or that is no skill yet. Dropping the future kills
/// it.
///
/// # Errors
/// Whatever kept it from giving a result.
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

/// Holds arguments against the schema that the function declares.
fn check(parameters: &Map<String, Value>, arguments: &Value) -> Result<(), FunctionError> {
    if !arguments.is_object() {
        let fault = Fault::new([""; 0], "type", "the arguments have to be an object");
        return Err(FunctionError::InvalidArguments(vec![fault]));
    }
    // It was read when the skill was uploaded; one that cannot be read any more lets nothing through.
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
            // Lines after the author's last are ours.
            let line = line.filter(|line| *line as usize <= code.lines().count());
            let message = message.replace(ENTRY, &function.name);
            FunctionError::Failed { message, file: function.file.clone(), line, logs }
        }
    }
}
