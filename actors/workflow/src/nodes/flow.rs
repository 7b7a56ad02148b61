//! Nodes that take no time: their outputs and their port follow from their inputs alone.

use expr::Values;
use serde_json::Value;

use super::{Fields, NodeError, NodeResult, is_true, list, one, text_of};
use crate::graph::{NodeKind, PlanNode, SwitchConfig, ValueType};

/// Does the work of a node that takes no time; `None` where the node is not of this kind.
///
/// The inputs of `start` are those of the run. Those of `join` are `{arrived}`.
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

/// Whether nodes of this type are done as soon as they begin, by [`inline`].
pub fn is_inline(node: &NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        node,
        Start | End | Set | Answer | Template | Fail | If | Switch(_) | Parallel | Break | Join(_) | List(_)
    )
}

/// The port by which a node leaves that gave these outputs, where they tell: for outputs that did not
/// come from its own work.
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

/// The outputs that a node of this type has, with their types; none where its author declares them or
/// they are whatever its inputs are.
pub fn outputs_of(node: &NodeKind) -> Option<Vec<(&'static str, ValueType)>> {
    let spec = node.spec();
    let own = spec.open_outputs || matches!(node, NodeKind::Start | NodeKind::End | NodeKind::Set);
    (!own).then(|| spec.outputs.iter().map(|field| (field.name, field.kind)).collect())
}

/// Whether two values are the same; 1 and 1.0 are.
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
