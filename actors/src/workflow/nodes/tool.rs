//! Tools that are called with a node's inputs.

use serde_json::Value;

use super::{Done, NodeError, Task, one, unavailable};
use crate::completion::tools;
use crate::workflow::graph::ToolConfig;

/// Calls one of the server's own tools. Those of tool servers join them when their area is built.
pub(super) fn run(config: &ToolConfig, task: &Task) -> Result<Done, NodeError> {
    check(&config.tool)?;
    let arguments = Value::Object(task.inputs.clone());
    let offered = std::slice::from_ref(&config.tool);
    let result = tools::call(offered, &config.tool, &arguments);
    result.map(|result| Done::with(one("result", result))).map_err(|why| NodeError::new("tool", why))
}

/// Whether there is such a tool.
pub(super) fn check(name: &str) -> Result<(), NodeError> {
    if name.contains('/') {
        return Err(unavailable(&format!("the tool {name:?} belongs to a tool server, and none is set up")));
    }
    let known = tools::find(name).is_some();
    if known { Ok(()) } else { Err(NodeError::new("not_found", format!("there is no tool {name:?}"))) }
}
