//! Tools that every installation has. Skills and tool servers provide further ones.

use providers::ToolSpec;
use serde_json::{Value, json};
use storage::Timestamp;

/// A built-in tool of the server.
pub struct BuiltinTool {
    /// Name of the tool for models.
    pub name: &'static str,
    /// The description for models.
    pub description: &'static str,
    parameters: fn() -> Value,
    call: fn(&Value) -> Result<Value, String>,
}

/// All built-in tools.
pub const BUILTIN_TOOLS: &[BuiltinTool] = &[
    BuiltinTool {
        name: "current_time",
        description: "The date and time now, in UTC.",
        parameters: || json!({"type": "object", "properties": {}, "additionalProperties": false}),
        call: |_| Ok(json!({"utc": Timestamp::now().to_string()})),
    },
    BuiltinTool {
        name: "count_text",
        description: "Counts the characters, words and lines of a text exactly.",
        parameters: || {
            json!({"type": "object", "properties": {"text": {"type": "string"}},
                   "required": ["text"], "additionalProperties": false})
        },
        call: |arguments| {
            let text = arguments.get("text").and_then(Value::as_str);
            let text = text.ok_or("`text` is missing or not a string")?;
            let (characters, words) = (text.chars().count(), text.split_whitespace().count());
            Ok(json!({"characters": characters, "words": words, "lines": text.lines().count()}))
        },
    },
];

impl BuiltinTool {
    /// The definition of the tool for a provider.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.into(),
            description: self.description.into(),
            parameters: (self.parameters)(),
            ..ToolSpec::default()
        }
    }
}

/// The built-in tool with this name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltinTool> {
    BUILTIN_TOOLS.iter().find(|tool| tool.name == name)
}

/// Calls a tool that was offered to the model. Returns its output, or an error message for the model.
pub(crate) fn call(offered: &[String], name: &str, arguments: &Value) -> Result<Value, String> {
    let offered = offered.iter().any(|other| other == name);
    let tool = find(name).filter(|_| offered).ok_or_else(|| format!("there is no tool {name:?}"))?;
    (tool.call)(arguments)
}
