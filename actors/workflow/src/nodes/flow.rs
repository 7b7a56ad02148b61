//! Nodes that complete immediately. Their outputs and port depend only on their inputs.

use expr::Values;
use serde_json::Value;

use super::{Fields, NodeError, NodeResult, is_true, list, one, text_of};
use crate::graph::{NodeKind, PlanNode, SwitchConfig, ValueType};

/// Executes a node that completes immediately. Returns `None` for nodes of other types.
///
/// The inputs of a `start` node are the inputs of the run. The inputs of a `join` node are `{arrived}`.
pub fn inline(node: &PlanNode, inputs: Fields, values: &Values) -> Option<Result<NodeResult, NodeError>> {
    Some(match &node.kind {
        NodeKind::Start | NodeKind::End | NodeKind::Set => Ok(NodeResult::with(inputs)),
        NodeKind::Answer | NodeKind::Template => Ok(NodeResult::with(one("text", text(&inputs, "text")))),
        NodeKind::Fail => Err(failure(&inputs)),
        NodeKind::If => Ok(condition(&inputs)),
        NodeKind::Switch(config) => Ok(switch(config, &inputs)),
        NodeKind::Parallel | NodeKind::Break => Ok(NodeResult::default()),
        NodeKind::Join(_) => {
            let arrived = inputs.get("arrived").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
            Ok(NodeResult::with(one("arrived", arrived)))
        }
        NodeKind::List(config) => list::run(config, inputs, values),
        _ => return None,
    })
}

/// Whether nodes of this type complete immediately, through [`inline`].
pub fn is_inline(node: &NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        node,
        Start | End | Set | Answer | Template | Fail | If | Switch(_) | Parallel | Break | Join(_) | List(_)
    )
}

/// Returns the port of a node with these outputs, if the outputs determine it. Used for outputs that the node itself did not
/// produce.
pub fn port_of(node: &NodeKind, outputs: &Fields) -> Option<String> {
    let output = |name: &str| outputs.get(name).and_then(Value::as_str).map(str::to_owned);
    match node {
        NodeKind::If => outputs.get("result").map(|result| is_true(result).to_string()),
        NodeKind::Switch(_) => output("case"),
        NodeKind::Classifier(_) => output("class"),
        NodeKind::Human(_) => output("action"),
        _ => None,
    }
}

/// Returns the outputs of a node type, with their value types. Returns `None` if the author of the graph declares them, or if
/// they equal the inputs.
pub fn outputs_of(node: &NodeKind) -> Option<Vec<(&'static str, ValueType)>> {
    let spec = node.spec();
    let own = spec.open_outputs || matches!(node, NodeKind::Start | NodeKind::End | NodeKind::Set);
    (!own).then(|| spec.outputs.iter().map(|field| (field.name, field.kind)).collect())
}

/// Whether two values are equal. Numbers are compared by value, so 1 equals 1.0.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| is_same(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

fn text(inputs: &Fields, name: &str) -> String {
    inputs.get(name).map(text_of).unwrap_or_default()
}

fn failure(inputs: &Fields) -> NodeError {
    let (code, message) = (text(inputs, "code"), text(inputs, "message"));
    let code = if code.is_empty() { "failed" } else { &code };
    let message = if message.is_empty() { "the workflow ended as failed".to_owned() } else { message };
    NodeError::new(code, message)
}

fn condition(inputs: &Fields) -> NodeResult {
    let result = inputs.get("condition").is_some_and(is_true);
    NodeResult { outputs: one("result", result), port: Some(result.to_string()) }
}

fn switch(config: &SwitchConfig, inputs: &Fields) -> NodeResult {
    let value = inputs.get("value").unwrap_or(&Value::Null);
    let case = config.cases.iter().find(|case| is_same(&case.value, value));
    let port = case.map_or("default", |case| &case.port).to_owned();
    NodeResult { outputs: one("case", port.as_str()), port: Some(port) }
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;
