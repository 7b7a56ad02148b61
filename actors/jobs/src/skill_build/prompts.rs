//! The prompts for the model, and the parser of its answers.

use std::collections::BTreeMap;

use assist::ask::json_in;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::records::SkillDraft;

/// Maximum number of faults that are reported to a model at once.
const FAULTS: usize = 20;
/// Maximum number of files in a draft.
const FILES: usize = 50;

/// The system prompt.
pub(super) const RULES: &str = r##"You write skills for an assistant platform. A skill is a few files that tell an assistant how to do something and, where words are not enough, give it functions to call.

`SKILL.md` is needed. It begins with YAML between two lines of `---`:

---
name: Prices with VAT
description: Works out gross prices. Use it whenever a price is asked for.
usable_in: both
services: []
---

`name` has at most 100 characters. `description` says in one or two sentences what the skill does and when to use it. `usable_in` is `chat`, `workflow` or `both`. `services` lists the external services that functions need, and is left out where there are none: `web:<host>` for requests to that host, `data` for the assistant's stored items, `knowledge` for searching its documents. Below the YAML stand the instructions, as Markdown, addressed to the assistant.

Functions stand in files that end in `.js`, each like this:

const functions = {
  add_vat: {
    description: "The gross price of a net price.",
    parameters: {
      type: "object",
      properties: { net: { type: "number" }, rate: { type: "number", description: "For example 0.19" } },
      required: ["net", "rate"],
      additionalProperties: false,
    },
    run({ net, rate }) {
      return { gross: Math.round(net * (1 + rate) * 100) / 100 };
    },
  },
};

Names of functions are letters, digits and `_`, and unique in the skill. `parameters` is a JSON Schema of an object. `run(args, host)` may be `async` and returns what JSON can hold; it throws an `Error` with a helpful message where it cannot do its work. It is plain ECMAScript 2023: no `import`, no `require`, no `fetch`, no timers, no files. With the services that the skill asks for, `host` has `await host.fetch({ method, url, headers, query, body })`, which gives `{ status, headers, body }`; `await host.data.query({ filter, limit })`, `host.data.create(data)`, `host.data.update(id, data)` and `host.data.delete(id)`; `await host.search(query, { limit })`. `host.log(text)` is always there.

Write functions only where calculating, looking up or keeping something is needed; many skills are instructions alone. Do not invent addresses of services.

Answer with one JSON object and nothing else: `{"files": [{"path": "SKILL.md", "content": "..."}], "examples": [{"function": "add_vat", "arguments": "{\"net\": 10, \"rate\": 0.19}"}]}`, with the whole content of every file, and for every function one example of its arguments, as the text of a JSON object. Every function is called with its example before the skill is accepted."##;

/// The response format, for providers that support one.
pub(super) fn format() -> Value {
    let text = json!({"type": "string"});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let file = object(json!({"path": text, "content": text}), json!(["path", "content"]));
    let example = object(json!({"function": text, "arguments": text}), json!(["function", "arguments"]));
    let files = json!({"type": "array", "items": file});
    let examples = json!({"type": "array", "items": example});
    let schema = object(json!({"files": files, "examples": examples}), json!(["files", "examples"]));
    json!({"type": "json_schema", "json_schema": {"name": "skill", "strict": true, "schema": schema}})
}

/// The first prompt of a build.
pub(super) fn task(prompt: &str, base: Option<&BTreeMap<String, String>>) -> String {
    let Some(base) = base else { return format!("Write a skill:\n\n{prompt}") };
    let files: Vec<Value> =
        base.iter().map(|(path, content)| json!({"path": path, "content": content})).collect();
    format!(
        "Change the skill that follows. Answer with all of its files, also those that stay as they are.\n\n\
         What is to be changed:\n\n{prompt}\n\nThe skill as it is now:\n\n{}",
        json!({"files": files})
    )
}

/// Returns the model's last answer, rebuilt from the draft after a crash.
pub(super) fn reminder(draft: &SkillDraft) -> String {
    let files: Vec<Value> =
        draft.files.iter().map(|(path, content)| json!({"path": path, "content": content})).collect();
    let example = |trial: &storage::records::SkillTrial| json!({"function": trial.function, "arguments": trial.arguments.to_string()});
    let examples: Vec<Value> = draft.trials.iter().map(example).collect();
    json!({"files": files, "examples": examples}).to_string()
}

/// Describes the faults of a draft for the model that wrote it.
pub(super) fn complaint(faults: &[String]) -> String {
    let mut lines: Vec<String> = faults.iter().take(FAULTS).map(|fault| format!("- {fault}")).collect();
    if faults.len() > FAULTS {
        lines.push(format!("- and {} more", faults.len() - FAULTS));
    }
    format!(
        "This skill does not pass its checks:\n\n{}\n\nAnswer with the whole JSON object again, mended, and nothing else.",
        lines.join("\n")
    )
}

/// A draft as parsed from an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ParsedDraft {
    /// The files, by path.
    pub files: BTreeMap<String, String>,
    /// Arguments to call the functions with, by function.
    pub examples: BTreeMap<String, Value>,
    /// Faults of the answer itself.
    pub faults: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    files: Vec<File>,
    #[serde(default)]
    examples: Vec<Example>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct Example {
    function: String,
    arguments: Value,
}

/// Parses an answer and collects all faults.
pub(super) fn read(answer: &str) -> ParsedDraft {
    let mut drafted = ParsedDraft::default();
    let read = json_in(answer).ok_or_else(|| "it holds no JSON".to_owned());
    let read = read.and_then(|value| serde_json::from_value::<Answer>(value).map_err(|why| why.to_string()));
    let Answer { files, examples } = match read {
        Ok(read) => read,
        Err(why) => {
            let message = format!("the answer is not an object with `files` and `examples`: {why}");
            drafted.faults.push(message);
            return drafted;
        }
    };
    if files.len() > FILES {
        drafted.faults.push(format!("the skill has more than {FILES} files"));
        return drafted;
    }
    for File { path, content } in files {
        if drafted.files.contains_key(&path) {
            drafted.faults.push(format!("{path}: occurs twice"));
        }
        drafted.files.insert(path, content);
    }
    for Example { function, arguments } in examples {
        let arguments = match &arguments {
            Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            other => other.clone(),
        };
        if !arguments.is_object() {
            drafted.faults.push(format!("the example of {function} is not the text of a JSON object"));
            continue;
        }
        drafted.examples.insert(function, arguments);
    }
    drafted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_finds_the_object_anywhere_in_an_answer() {
        let object = json!({
            "files": [{"path": "SKILL.md", "content": "x"}],
            "examples": [{"function": "f", "arguments": "{\"a\": 1}"}, {"function": "g", "arguments": {"b": 2}}],
        });
        for answer in [object.to_string(), format!("Here it is:\n```json\n{object}\n```\nGood luck!")] {
            let drafted = read(&answer);
            assert_eq!(drafted.faults, Vec::<String>::new());
            assert_eq!(drafted.files["SKILL.md"], "x");
            assert_eq!(
                (&drafted.examples["f"], &drafted.examples["g"]),
                (&json!({"a": 1}), &json!({"b": 2}))
            );
        }
    }

    #[test]
    fn read_reports_faults_of_an_answer() {
        assert!(read("I cannot do that.").faults[0].contains("holds no JSON"));
        assert!(read("{\"file\": []}").faults[0].contains("files"));
        let twice = json!({"files": [{"path": "a", "content": ""}, {"path": "a", "content": ""}],
            "examples": [{"function": "f", "arguments": "[1]"}]});
        assert_eq!(read(&twice.to_string()).faults.len(), 2);
    }

    #[test]
    fn reminder_can_be_read_again() {
        let draft = SkillDraft {
            files: BTreeMap::from([("SKILL.md".to_owned(), "x".to_owned())]),
            trials: vec![storage::records::SkillTrial {
                function: "f".into(),
                arguments: json!({"a": 1}),
                ..Default::default()
            }],
            ..SkillDraft::default()
        };
        let again = read(&reminder(&draft));
        assert_eq!((again.files, again.examples["f"].clone()), (draft.files, json!({"a": 1})));
    }
}
