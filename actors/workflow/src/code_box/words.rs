//! The prompts for the model, and the extraction of code from its answer.

use serde_json::Value;

use super::CodeBoxRequest;
use super::check::{Check, Trial, short};

/// Maximum number of failed checks that one prompt reports.
const MAX_FAILED_CHECKS: usize = 3;
/// Maximum number of cases that the model is shown.
const SHOWN: usize = 5;

/// The system prompt.
pub(super) const RULES: &str = "\
You write JavaScript for one step of a workflow. Answer with one fenced code block and nothing else.
The code defines `function main(inputs)`, which may be async. It is given an object with the declared inputs and \
returns an object with exactly the declared outputs, each of its declared type.
There is only the ECMAScript language: no modules, no import or export, no network, no files, no timers. \
`console.log` goes to a log. Results have to be plain JSON: no undefined, functions, Map, Set or BigInt in outputs.
Handle inputs that are empty. Do not read properties of values that may be missing.";

pub(super) fn task(request: &CodeBoxRequest, trial: &Trial<'_>) -> String {
    let types = |fields: &std::collections::BTreeMap<String, crate::graph::ValueType>| {
        let lines = fields.iter().map(|(name, kind)| format!("- {name}: {}\n", kind.name()));
        let lines: String = lines.collect();
        if lines.is_empty() { "- none\n".to_owned() } else { lines }
    };
    let (inputs, outputs) = (types(&request.inputs), types(&request.outputs));
    let instruction = request.instruction.trim();
    let mut text = format!("The task:\n{instruction}\n\nInputs:\n{inputs}\nOutputs:\n{outputs}");
    // Made-up inputs contain no information about the task.
    if request.examples.is_empty() && request.recorded.is_empty() {
        return text;
    }
    for case in trial.cases.iter().take(SHOWN) {
        text.push_str(&format!("\nExample inputs: {}\n", short(&Value::Object(case.inputs.clone()))));
        if let Some(outputs) = &case.outputs {
            text.push_str(&format!("Expected outputs: {}\n", short(&Value::Object(outputs.clone()))));
        }
    }
    text
}

/// Describes the failed checks for the model.
pub(super) fn complaint(checks: &[Check]) -> String {
    let mut text = String::from("The code does not pass. Mend it, and answer with the whole code again.\n");
    for check in checks.iter().filter(|check| !check.passed).take(MAX_FAILED_CHECKS) {
        let inputs = short(&Value::Object(check.inputs.clone()));
        text.push_str(&format!("\nWith the inputs {inputs}: {}\n", check.complaint()));
    }
    text
}

/// Extracts the code from an answer: the fenced block that defines `main`, or else the first block, or else the whole answer.
pub(super) fn code_in(answer: &str) -> String {
    let blocks = fenced(answer);
    let best = blocks.iter().find(|block| block.contains("main")).or(blocks.first());
    best.map_or_else(|| answer.trim(), |block| block.trim_matches('\n')).to_owned()
}

/// Returns the blocks between lines of three backticks. An unclosed block extends to the end.
fn fenced(answer: &str) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), None::<String>);
    for line in answer.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (&mut open, is_fence) {
            (None, true) => open = Some(String::new()),
            (Some(_), true) => blocks.extend(open.take()),
            (Some(block), false) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks.extend(open);
    blocks
}

#[cfg(test)]
mod tests {
    use super::code_in;

    #[test]
    fn code_in_finds_the_code_in_typical_answers() {
        let code = "function main(inputs) {\n  return { a: `x` };\n}";
        for answer in [
            code.to_owned(),
            format!("```js\n{code}\n```"),
            format!("Here it is:\n\n```javascript\n{code}\n```\nIt does this and that."),
            format!("  ```\n{code}\n  ```"),
            format!("```json\n{{\"a\": 1}}\n```\nand\n```js\n{code}\n```"),
            format!("```js\n{code}"),
            format!("\n\n{code}\n\n"),
        ] {
            assert_eq!(code_in(&answer), code, "{answer}");
        }
        assert_eq!(code_in(""), "");
    }
}
