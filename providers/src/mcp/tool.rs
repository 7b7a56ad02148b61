//! Tool definitions of a tool server.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

/// Maximum length of a description in characters. It is untrusted text that goes into the prompt.
const DESCRIPTION: usize = 1_024;
/// Maximum length of a tool's name in characters.
const NAME: usize = 128;
/// Maximum size of a tool's schema in bytes.
const SCHEMA: usize = 32 << 10;

/// Maximum number of unusable tools that are reported by name.
const LEFT_OUT: usize = 20;

/// The tools of a server that can be used, and the first ones that cannot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerTools {
    /// The tools that can be offered to a model.
    pub tools: Vec<ServerTool>,
    /// The first tools that cannot be offered, up to 20.
    pub left_out: Vec<SkippedTool>,
}

impl ServerTools {
    /// Records a tool that cannot be offered, up to the maximum number.
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

/// A tool that cannot be offered to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedTool {
    /// The server's name for the tool without control characters; up to 128 characters.
    pub name: String,
    /// What is wrong with the tool's definition.
    pub why: &'static str,
}

impl SkippedTool {
    pub(super) fn new(name: &str, why: &'static str) -> Self {
        Self { name: plain(name, NAME), why }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ServerTool {
    /// The server's name for the tool.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// The server's description of the tool; up to 1,024 characters.
    pub description: String,
    /// The JSON Schema of the arguments, an object, stored as JSON text: lists of tools are cached, and a parsed tree
    /// takes many times as much memory.
    schema: Arc<str>,
    /// Whether the server declares that a call changes nothing.
    pub read_only: bool,
    /// Whether the server declares that repeating a call has no additional effect.
    pub idempotent: bool,
}

impl ServerTool {
    /// Validates a tool definition as listed by its server.
    ///
    /// # Errors
    /// The reason why the tool cannot be offered to a model.
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

    /// Parses the JSON Schema of the tool's arguments.
    pub fn parameters(&self) -> Map<String, Value> {
        serde_json::from_str(&self.schema).unwrap_or_default()
    }

    /// The size of the definition in bytes.
    pub fn bytes(&self) -> usize {
        let title = self.title.as_ref().map_or(0, String::len);
        self.name.len() + title + self.description.len() + self.schema.len()
    }

    /// Whether, according to the server, a call that may already have run can be repeated.
    pub fn is_repeatable(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// The `_meta` field to which [`keeping_execution`] copies the execution hints of a tool.
const EXECUTION: &str = "execution";
const TASK_SUPPORT: &str = "taskSupport";

fn is_task_only(tool: &Tool) -> bool {
    let execution_field = tool.meta.as_ref().and_then(|meta| meta.0.get(EXECUTION));
    execution_field
        .and_then(|execution_field| execution_field.get(TASK_SUPPORT))
        .is_some_and(|execution_field| execution_field == "required")
}

/// Moves the `execution` field of listed tools into `_meta`, which `rmcp` preserves; `rmcp` does not know `execution`
/// and would drop it.
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

/// Returns the schema in the form that every provider accepts, or `None` if it does not describe an object or is too
/// large.
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

/// Trims a text, removes its control characters and limits it to `most` characters.
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
    fn from_listed_limits_names_descriptions_and_schemas() {
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
