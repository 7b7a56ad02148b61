//! What a tool server offers.

use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Characters of a description that models are shown: it is a stranger's text in the prompt.
const DESCRIPTION: usize = 1_024;
/// Characters of a tool's name.
const NAME: usize = 128;
/// Bytes of a tool's schema.
const SCHEMA: usize = 32 << 10;

/// A tool of a tool server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerTool {
    /// What its server calls it.
    pub name: String,
    /// What it is called for people.
    pub title: Option<String>,
    /// What it does, in its server's words; up to 1,024 characters.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Map<String, Value>,
    /// Whether its server says that a call changes nothing.
    pub read_only: bool,
    /// Whether its server says that the same call once more changes nothing more.
    pub idempotent: bool,
}

impl ServerTool {
    /// A tool as its server tells of it; none where it cannot be offered to a model.
    pub(super) fn of(tool: Tool) -> Option<Self> {
        let name = tool.name.trim();
        let good = |c: char| !c.is_control() && !c.is_whitespace();
        if name.is_empty() || name.chars().count() > NAME || !name.chars().all(good) {
            return None;
        }
        let parameters = parameters(tool.input_schema.as_ref())?;
        let hints = tool.annotations.unwrap_or_default();
        let title = tool.title.or(hints.title).map(|title| plain(&title, NAME));
        Some(Self {
            name: name.to_owned(),
            title: title.filter(|title| !title.is_empty()),
            description: plain(tool.description.as_deref().unwrap_or_default(), DESCRIPTION),
            parameters,
            read_only: hints.read_only_hint == Some(true),
            idempotent: hints.idempotent_hint == Some(true),
        })
    }

    /// Whether, by what its server says, a call that may have been made already can be made again.
    pub fn is_repeatable(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// The schema in the form that every provider takes.
fn parameters(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut schema = schema.clone();
    schema.remove("$schema");
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => drop(schema.insert("type".into(), json!("object"))),
        Some(_) => return None,
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    let length = serde_json::to_vec(&schema).map_or(usize::MAX, |json| json.len());
    (length <= SCHEMA).then_some(schema)
}

/// Words without what is no text, up to a length.
fn plain(words: &str, most: usize) -> String {
    let good = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    words.trim().chars().filter(good).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: Value) -> Option<ServerTool> {
        ServerTool::of(serde_json::from_value(json).unwrap())
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
        assert_eq!(Value::Object(it.parameters), json!({"type": "object", "properties": {}}));
        let huge = json!({"type": "object", "description": "y".repeat(40_000)});
        assert!(tool(json!({"name": "find", "inputSchema": huge})).is_none());
        assert!(tool(json!({"name": "find", "inputSchema": {"type": "string"}})).is_none());
        for name in ["", " ", "a b", "a\nb", &long] {
            assert!(tool(json!({"name": name, "inputSchema": {}})).is_none(), "{name:?}");
        }
    }
}
