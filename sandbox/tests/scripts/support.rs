//! Functions shared by the tests.

use sandbox::{Limits, Sandbox, SandboxConfig, Script, ScriptError, ScriptErrorKind, ScriptOutput};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Limits that no regular script exceeds, even on a slow machine.
pub fn roomy() -> Limits {
    Limits { time: Duration::from_secs(60), ..Limits::default() }
}

/// Limits for scripts that must exceed the time limit.
pub fn hasty() -> Limits {
    Limits { time: Duration::from_millis(400), ..Limits::default() }
}

/// A separate sandbox that uses this program.
pub fn sandbox() -> Sandbox {
    Sandbox::new(SandboxConfig::default())
}

pub fn fields(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// Runs a script with inputs.
pub async fn run(code: &str, inputs: Value, limits: Limits) -> Result<ScriptOutput, ScriptError> {
    sandbox().run(&Script::new(code, fields(inputs)), &limits).await
}

/// The result of a script that must succeed.
pub async fn result(code: &str) -> Value {
    match run(code, json!({}), roomy()).await {
        Ok(ran) => ran.output,
        Err(why) => panic!("{code}\n{why:?}"),
    }
}

/// The error of a script that must fail.
pub async fn error(code: &str, limits: Limits) -> ScriptError {
    match run(code, json!({}), limits).await {
        Ok(ran) => panic!("{code}\ngave {:.200}", ran.output.to_string()),
        Err(why) => why,
    }
}

/// Checks the kind of an error, and that its message contains `words`.
pub async fn fails(code: &str, limits: Limits, kind: ScriptErrorKind, words: &str) -> ScriptError {
    let why = error(code, limits).await;
    assert_eq!(why.kind, kind, "{code}\n{why:?}");
    assert!(why.message.contains(words), "{code}\n{why:?}");
    why
}

/// Process ids of this process's children, including dead ones that have not been reaped.
pub fn children() -> Vec<u32> {
    children_of(std::process::id())
}

/// Process ids of the children of a process.
pub fn children_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| parent_of(*id) == Some(parent)).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Waits until a condition is true.
pub async fn until(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never came: {what}");
}
