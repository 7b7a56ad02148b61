//! The `code` node: runs scripts.

use std::collections::BTreeMap;
use std::time::Duration;

use sandbox::{Limits, Script, ScriptError, ScriptErrorKind};
use serde_json::Value;

use super::{Fields, NodeError, NodeMessage, NodeResult, Task, unavailable};
use crate::graph::{CodeConfig, PlanNode, ValueType};

/// Memory of a script whose node sets no limit, in bytes.
const MEMORY: u64 = 64 << 20;
/// Maximum memory that a node may give its script, in bytes. The installation may allow less.
const MAX_MEMORY: u64 = 512 << 20;
/// Minimum memory of a script, in bytes.
const MIN_MEMORY: u64 = 1 << 20;
/// Maximum size of a script's outputs, in bytes.
const OUTPUT: u64 = 4 << 20;
/// Time limit of a script whose node has no timeout.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs the node's script with its inputs. The console output of the script is logged even if the script fails. The outputs are
/// checked against the outputs that the node declares.
pub(super) async fn run(config: &CodeConfig, node: &PlanNode, task: &Task) -> Result<NodeResult, NodeError> {
    let script = Script::new(config.code.as_str(), task.inputs.clone());
    let limits = limits(config.memory_bytes, node.policy.timeout_ms);
    let ran = tokio::select! {
        biased;
        // Dropping the script kills its process.
        () = task.cancel.cancelled() => return Err(NodeError::new("cancelled", "the attempt was ended")),
        ran = task.run_context.sandbox.run(&script, &limits) => ran,
    };
    let (logs, ended) = match ran {
        Ok(ran) => (ran.logs, Ok(ran.output)),
        Err(mut why) => (std::mem::take(&mut why.logs), Err(why)),
    };
    for line in logs {
        task.output_sender.say(NodeMessage::Log(line)).await;
    }
    let output = ended.map_err(|why| failure(&why))?;
    let outputs = take_outputs(&node.outputs, output);
    outputs.map(NodeResult::with).map_err(|why| NodeError::new("code_outputs", why))
}

fn limits(memory: Option<u64>, timeout_ms: u64) -> Limits {
    let time = match timeout_ms {
        0 => MAX_TIMEOUT,
        ms => Duration::from_millis(ms),
    };
    let memory_bytes = memory.unwrap_or(MEMORY).clamp(MIN_MEMORY, MAX_MEMORY);
    Limits { time, memory_bytes, output_bytes: OUTPUT, ..Limits::default() }
}

fn failure(why: &ScriptError) -> NodeError {
    match why.kind {
        ScriptErrorKind::Unavailable => unavailable(&why.message),
        kind => NodeError::new(kind.code(), located(why)),
    }
}

/// Returns the message of a script error, with the line number if it is known.
pub(crate) fn located(why: &ScriptError) -> String {
    match why.line {
        Some(line) => format!("{} (line {line})", why.message),
        None => why.message.clone(),
    }
}

/// Checks the value returned by a script against the declared outputs. Each declared output must be present with its type.
/// Undeclared outputs are refused, because they are most likely misspelt. Without declarations, any object is accepted, and also
/// `null`.
pub(crate) fn take_outputs(
    declared: &BTreeMap<String, ValueType>,
    returned: Value,
) -> Result<Fields, String> {
    let outputs = match returned {
        Value::Object(outputs) => outputs,
        Value::Null if declared.is_empty() => return Ok(Fields::new()),
        other => {
            let wanted: Vec<_> = declared.keys().map(|name| format!("{name:?}")).collect();
            let actual = type_of(&other);
            let wanted =
                if wanted.is_empty() { String::new() } else { format!(" with {}", wanted.join(", ")) };
            return Err(format!("main() has to return an object{wanted}, and returned {actual}"));
        }
    };
    if declared.is_empty() {
        return Ok(outputs);
    }
    let wrong = declared.iter().filter_map(|(name, kind)| match outputs.get(name) {
        None => Some(format!("the output {name:?} is missing")),
        Some(value) if !kind.admits(value) => {
            Some(format!("the output {name:?} is {}, not {}", type_of(value), an(*kind)))
        }
        Some(_) => None,
    });
    let strange = outputs.keys().filter(|name| !declared.contains_key(*name));
    let strange = strange.map(|name| format!("the output {name:?} is not declared"));
    let faults: Vec<_> = wrong.chain(strange).collect();
    if faults.is_empty() { Ok(outputs) } else { Err(faults.join("; ")) }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn an(kind: ValueType) -> String {
    let article = if kind.name().starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {}", kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(declared: Value, returned: Value) -> Result<Value, String> {
        let declared = serde_json::from_value(declared).expect("types");
        take_outputs(&declared, returned).map(Value::Object)
    }

    #[test]
    fn take_outputs_checks_declared_outputs() {
        let two = json!({"n": "integer", "t": "string"});
        let good = json!({"n": 3, "t": ""});
        assert_eq!(taken(two.clone(), good.clone()), Ok(good));
        for (returned, words) in [
            (json!({"n": 3}), "\"t\" is missing"),
            (json!({"n": 3.5, "t": "x"}), "\"n\" is a number, not an integer"),
            (json!({"n": 3, "t": null}), "\"t\" is null, not a string"),
            (json!({"n": 3, "t": "x", "u": 1}), "\"u\" is not declared"),
            (json!(["n"]), "has to return an object with \"n\", \"t\", and returned an array"),
            (json!(null), "returned null"),
        ] {
            let why = taken(two.clone(), returned).expect_err("a fault");
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn take_outputs_accepts_any_object_without_declarations() {
        assert_eq!(taken(json!({}), json!({"a": 1})), Ok(json!({"a": 1})));
        assert_eq!(taken(json!({}), json!(null)), Ok(json!({})));
        assert!(taken(json!({}), json!(3)).is_err());
    }

    #[test]
    fn limits_clamps_memory_and_time() {
        assert_eq!(limits(None, 5_000).memory_bytes, MEMORY);
        assert_eq!(limits(Some(1), 5_000).memory_bytes, MIN_MEMORY);
        assert_eq!(limits(Some(u64::MAX), 5_000).memory_bytes, MAX_MEMORY);
        assert_eq!(limits(None, 250).time, Duration::from_millis(250));
        assert_eq!(limits(None, 0).time, MAX_TIMEOUT);
    }
}
