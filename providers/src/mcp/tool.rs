//! What a tool server offers.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

/// Characters of a description that models are shown: it is a stranger's text in the prompt.
const DESCRIPTION: usize = 1_024;
/// Characters of a tool's name.
const NAME: usize = 128;
/// Bytes of a tool's schema.
const SCHEMA: usize = 32 << 10;

/// Tools that are named although they cannot be used.
const LEFT_OUT: usize = 20;

/// What a tool server offers: a list of the tools that can be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerTools {
    /// Those that can be used.
    pub tools: Vec<ServerTool>,
    /// The first of those that cannot.
    pub left_out: Vec<SkippedTool>,
}

impl ServerTools {
    /// Notes one that cannot be used, unless there are many.
    pub(super) fn leave_out(&mut self, one: SkippedTool) {
        if self.left_out.len() < LEFT_OUT {
            self.left_out.push(one);
        }
    }
}

impl std::ops::Deref for ServerTools {
    type Target = [ServerTool];

    fn deref(&self) -> &Self::Target {
        &self.tools
    }
}

/// A tool that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedTool {
    /// What its server calls it, as far as that can be shown; up to 128 characters.
    pub name: String,
    /// The fault in its definition.
    pub why: &'static str,
}

impl SkippedTool {
    pub(super) fn new(name: &str, why: &'static str) -> Self {
        Self { name: plain(name, NAME), why }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ServerTool {
    /// What its server calls it.
    pub name: String,
    /// What it is called for people.
    pub title: Option<String>,
    /// What it does, in its server's words; up to 1,024 characters.
    pub description: String,
    /// The JSON Schema of its arguments, an object, as JSON: lists of tools are kept, and a tree takes many times as much.
    schema: Arc<str>,
    /// Whether its server says that a call changes nothing.
    pub read_only: bool,
    /// Whether its server says that the same call once more changes nothing more.
    pub idempotent: bool,
}

impl ServerTool {
    /// A tool as its server tells of it.
    ///
    /// # Errors
    /// Why it cannot be offered to a model.
    pub(super) fn from_listed(tool: Tool) -> Result<Self, SkippedTool> {
        let name = tool.name.trim();
        let good = |c: char| !c.is_control() && !c.is_whitespace();
        if name.is_empty() || name.chars().count() > NAME || !name.chars().all(good) {
            return Err(SkippedTool::new(name, "its name is not valid"));
        }
        if is_task_only(&tool) {
            return Err(SkippedTool::new(name, "it can only be called as a task, which is not supported"));
        }
        let schema = schema(tool.input_schema.as_ref());
        let schema = schema.ok_or_else(|| {
            SkippedTool::new(name, "its schema does not describe an object, or is too large")
        })?;
        let hints = tool.annotations.unwrap_or_default();
        let title = tool.title.or(hints.title).map(|title| plain(&title, NAME));
        Ok(Self {
            name: name.to_owned(),
            title: title.filter(|title| !title.is_empty()),
            description: plain(tool.description.as_deref().unwrap_or_default(), DESCRIPTION),
            schema,
            read_only: hints.read_only_hint == Some(true),
            idempotent: hints.idempotent_hint == Some(true),
        })
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(&self) -> Map<String, Value> {
        serde_json::from_str(&self.schema).unwrap_or_default()
    }

    /// How much its server says of it, in bytes.
    pub fn bytes(&self) -> usize {
        let title = self.title.as_ref().map_or(0, String::len);
        self.name.len() + title + self.description.len() + self.schema.len()
    }

    /// Whether, by what its server says, a call that may have been made already can be made again.
    pub fn is_repeatable(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// Where [`keeping_execution`] puts what a server says of how a tool runs.
const EXECUTION: &str = "execution";
const TASK_SUPPORT: &str = "taskSupport";

fn is_task_only(tool: &Tool) -> bool {
    let execution_field = tool.meta.as_ref().and_then(|meta| meta.0.get(EXECUTION));
    execution_field
        .and_then(|execution_field| execution_field.get(TASK_SUPPORT))
        .is_some_and(|execution_field| execution_field == "required")
}

/// A message of a server in which what it says of how its tools run stands among what the protocol's library keeps: it
/// knows nothing of it.
pub(super) fn keeping_execution(message: String) -> String {
    if !message.contains("\"taskSupport\"") {
        return message;
    }
    let Ok(mut read) = serde_json::from_str::<Value>(&message) else { return message };
    let tools = read.pointer_mut("/result/tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(execution) = tool.remove(EXECUTION) {
            let meta = tool.entry("_meta").or_insert_with(|| json!({}));
            if let Some(meta) = meta.as_object_mut() {
                meta.insert(EXECUTION.to_owned(), execution);
            }
        }
    }
    read.to_string()
}

/// The schema in the form that every provider takes.
fn schema(schema: &Map<String, Value>) -> Option<Arc<str>> {
    let mut schema = schema.clone();
    schema.remove("$schema");
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => drop(schema.insert("type".into(), json!("object"))),
        Some(_) => return None,
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    let json = serde_json::to_string(&schema).ok()?;
    (json.len() <= SCHEMA).then(|| json.into())
}

/// Words without what is no text, up to a length.
fn plain(words: &str, most: usize) -> String {
    let good = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    words.trim().chars().filter(good).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: Value) -> Result<ServerTool, SkippedTool> {
        ServerTool::from_listed(serde_json::from_value(json).unwrap())
    }

    #[test]
    fn what_a_stranger_says_is_kept_short() {
        let long = "x".repeat(5_000);
        let it =
            tool(json!({"name": "find", "description": format!("a\u{0}\u{1b}b{long}"), "inputSchema": {},
            "annotations": {"readOnlyHint": true}}))
            .unwrap();
        assert_eq!(it.description.chars().count(), DESCRIPTION);
        assert!(it.description.starts_with("abx") && it.is_repeatable());
        assert_eq!(Value::Object(it.parameters()), json!({"type": "object", "properties": {}}));
        let huge = json!({"type": "object", "description": "y".repeat(40_000)});
        assert!(tool(json!({"name": "find", "inputSchema": huge})).is_err());
        assert!(tool(json!({"name": "find", "inputSchema": {"type": "string"}})).is_err());
        for name in ["", " ", "a b", "a\nb", &long] {
            assert!(tool(json!({"name": name, "inputSchema": {}})).is_err(), "{name:?}");
        }
    }
}
