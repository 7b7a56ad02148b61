//! Whether what an automation asks fits its assistant.

use runs::GraphFault;
use serde_json::{Map, Value};
use storage::records::{Assistant, AssistantType};

use super::Ask;

/// Something wrong with what is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskFault {
    /// Where, from the automation inwards: `["inputs", "topic"]`.
    pub loc: Vec<String>,
    /// What is wrong, for people.
    pub msg: String,
    /// What is wrong, for machines.
    pub kind: &'static str,
}

fn fault(field: &str, msg: &str, kind: &'static str) -> AskFault {
    AskFault { loc: vec![field.to_owned()], msg: msg.to_owned(), kind }
}

/// What is wrong with the inputs of a workflow, by its graph; none where the graph itself has faults.
pub type InputFaults = fn(graph: &Value, inputs: &Map<String, Value>) -> Option<Vec<GraphFault>>;

/// Holds what is asked against the assistant that is to answer. All faults at once.
pub fn check(assistant: &Assistant, ask: &Ask, input_faults: InputFaults) -> Vec<AskFault> {
    match assistant.kind {
        AssistantType::Chat => {
            let mut faults = Vec::new();
            if ask.prompt.as_deref().is_none_or(|prompt| prompt.trim().is_empty()) {
                faults.push(fault("prompt", "is needed: the assistant is a chat assistant", "missing"));
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
