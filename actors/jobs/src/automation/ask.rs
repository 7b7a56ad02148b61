//! Checks whether the request of an automation matches its assistant.

use runs::GraphFault;
use serde_json::{Map, Value};
use storage::records::{Assistant, AssistantType};

use super::Ask;

/// A fault in the request of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskFault {
    /// The location, relative to the automation: `["inputs", "topic"]`.
    pub loc: Vec<String>,
    /// A description for users.
    pub msg: String,
    /// A stable code for programs.
    pub kind: &'static str,
}

fn fault(field: &str, msg: &str, kind: &'static str) -> AskFault {
    AskFault { loc: vec![field.to_owned()], msg: msg.to_owned(), kind }
}

/// Checks the inputs of a workflow against its graph. Returns `None` if the graph itself has faults.
pub type InputFaults = fn(graph: &Value, inputs: &Map<String, Value>) -> Option<Vec<GraphFault>>;

/// Checks a request against the assistant that will answer it. Returns all faults at once.
pub fn check(assistant: &Assistant, ask: &Ask, input_faults: InputFaults) -> Vec<AskFault> {
    match assistant.kind {
        AssistantType::Chat => {
            let mut faults = Vec::new();
            if ask.prompt.as_deref().is_none_or(|prompt| prompt.trim().is_empty()) {
                faults.push(fault("prompt", "is required for a chat assistant", "missing"));
            }
            if ask.inputs.is_some() {
                faults.push(fault(
                    "inputs",
                    "are for workflows; the assistant takes a prompt",
                    "not_of_this_kind",
                ));
            }
            faults
        }
        AssistantType::Workflow => {
            let mut faults = inputs(assistant, ask, input_faults);
            if ask.prompt.is_some() {
                faults.push(fault(
                    "prompt",
                    "is for chat assistants; a workflow takes inputs",
                    "not_of_this_kind",
                ));
            }
            faults
        }
    }
}

fn inputs(assistant: &Assistant, ask: &Ask, input_faults: InputFaults) -> Vec<AskFault> {
    let Some(graph) = &assistant.workflow else {
        return vec![fault("assistant_id", "the assistant has no graph yet", "invalid")];
    };
    let inputs = ask.inputs.clone().unwrap_or_default();
    let Some(faults) = input_faults(graph, &inputs) else {
        return vec![fault("assistant_id", "the assistant's graph has faults", "invalid")];
    };
    let located = faults.into_iter().map(|fault| AskFault {
        loc: std::iter::once("inputs".to_owned()).chain(fault.loc).collect(),
        msg: fault.msg,
        kind: fault.kind,
    });
    located.collect()
}
