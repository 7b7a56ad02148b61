//! The inputs of a run: their text for the conversation, and how they are derived from a message.

use runs::GraphFault;
use serde_json::{Map, Value, json};
use storage::records::{Message, Part};

use super::graph::{InputSpec, Plan, ValueType};

/// Inputs larger than this, in bytes of JSON, are stored apart from the run's record.
pub(super) const MESSAGE_LIMIT: usize = 16 * 1024;
/// The input that receives the text of a message, if the graph declares it.
const MESSAGE: &str = "message";
/// The input that receives the files of a message, if the graph declares it.
const FILES: &str = "files";
/// Maximum number of characters of one input that are shown in the conversation.
const SHOWN: usize = 4_000;

/// The text shown in the conversation instead of the inputs if another run started the run.
pub(super) const BY_A_RUN: &str = "Started by another workflow.";

/// Returns the faults of inputs for a graph, or `None` if the graph itself is invalid.
pub fn input_faults(graph: &Value, inputs: &Map<String, Value>) -> Option<Vec<GraphFault>> {
    let plan = Plan::read(graph).ok()?;
    Some(plan.take_inputs(inputs).err().unwrap_or_default())
}

/// Formats inputs as text for the conversation.
pub(super) fn text_of(inputs: &Map<String, Value>) -> String {
    let cut = |text: &str| match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    let shown = |value: &Value| match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    };
    let mut entries = inputs.iter();
    match (entries.next(), entries.next()) {
        (None, _) => "Start".to_owned(),
        (Some((_, Value::String(text))), None) => cut(text),
        _ => {
            let line = |(name, value): (&String, &Value)| format!("{name}: {}", shown(value));
            inputs.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns the text that best describes a run: `message`, or else the first required text, or else the first text.
pub(super) fn about<'v>(plan: &Plan, inputs: &'v Map<String, Value>) -> Option<&'v str> {
    let text = |name: &str| inputs.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let needed = |(_, spec): &(&String, &InputSpec)| spec.required && spec.default.is_none();
    let first = plan.inputs.iter().filter(needed).find_map(|(name, _)| text(name));
    text(MESSAGE).or(first).or_else(|| plan.inputs.keys().find_map(|name| text(name)))
}

/// Returns the name of the input that receives the text of a message: `message`, or else the only required text input.
pub(super) fn of_message(plan: &Plan) -> Result<String, Vec<GraphFault>> {
    let takes = |spec: &InputSpec| matches!(spec.kind, ValueType::String | ValueType::Any);
    let needed = |spec: &InputSpec| spec.required && spec.default.is_none();
    let by_name = plan.inputs.get(MESSAGE).filter(|spec| takes(spec)).map(|_| MESSAGE.to_owned());
    let only = || {
        let mut texts = plan.inputs.iter().filter(|(_, spec)| takes(spec) && needed(spec));
        texts.next().filter(|_| texts.next().is_none()).map(|(name, _)| name.clone())
    };
    let name = by_name.or_else(only);
    let missing = plan
        .inputs
        .iter()
        .filter(|(input, spec)| needed(spec) && Some(*input) != name.as_ref() && input.as_str() != FILES);
    let mut faults: Vec<_> = missing.map(|(input, _)| lacking(input)).collect();
    match name {
        Some(name) if faults.is_empty() => Ok(name),
        // A graph without required inputs runs without the message.
        None if faults.is_empty() => Ok(String::new()),
        _ => {
            faults.sort_by(|a, b| a.loc.cmp(&b.loc));
            Err(faults)
        }
    }
}

fn lacking(input: &str) -> GraphFault {
    GraphFault {
        loc: vec![input.to_owned()],
        msg: "the workflow needs this input, and a message does not give it".into(),
        kind: "missing",
    }
}

/// Builds the inputs of a run from a message.
pub(super) fn from_message(plan: &Plan, name: &str, message: &Message) -> Map<String, Value> {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let mut inputs = Map::new();
    if !name.is_empty() {
        inputs.insert(name.to_owned(), Value::String(texts.collect::<Vec<_>>().join("\n")));
    }
    let files: Vec<_> = message.attachments.iter().map(|file| json!(file)).collect();
    for (input, spec) in &plan.inputs {
        match spec.kind {
            ValueType::File => drop(files.first().map(|file| inputs.insert(input.clone(), file.clone()))),
            ValueType::Array | ValueType::Any if input == FILES => {
                inputs.insert(input.clone(), Value::Array(files.clone()));
            }
            _ => {}
        }
    }
    inputs
}
