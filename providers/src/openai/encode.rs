//! Writes a request as the OpenAI interface has it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::chat::{ChatMessage, ChatRequest, Content, Role, ToolCall, ToolSpec};

/// The body of a request for a streamed answer. `count` asks for the usage, which a few servers
/// do not understand.
pub(super) fn body(request: &ChatRequest, count: bool) -> Vec<u8> {
    serde_json::to_vec(&Body { request, count }).expect("a request has only string keys")
}

struct Body<'a> {
    request: &'a ChatRequest,
    count: bool,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChatRequest { model, messages, tools, tool_choice, parameters } = self.request;
        let mut map = serializer.serialize_map(None)?;
        let mut ours = vec!["model", "messages", "stream", "stream_options"];
        map.serialize_entry("model", model)?;
        let messages: Vec<_> = messages.iter().map(Message).collect();
        map.serialize_entry("messages", &messages)?;
        map.serialize_entry("stream", &true)?;
        if let Some(options) = stream_options(parameters, self.count) {
            map.serialize_entry("stream_options", &options)?;
        }
        if !tools.is_empty() {
            let tools: Vec<_> = tools.iter().map(Tool).collect();
            map.serialize_entry("tools", &tools)?;
            ours.push("tools");
        }
        if let Some(choice) = tool_choice {
            map.serialize_entry("tool_choice", choice)?;
            ours.push("tool_choice");
        }
        for (key, value) in parameters {
            if !ours.contains(&key.as_str()) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

/// What the caller set, with the usage asked for.
fn stream_options(parameters: &Map<String, Value>, count: bool) -> Option<Map<String, Value>> {
    if !count {
        return None;
    }
    let given = parameters.get("stream_options").and_then(Value::as_object);
    let mut options = given.cloned().unwrap_or_default();
    options.insert("include_usage".to_owned(), Value::Bool(true));
    Some(options)
}

struct Message<'a>(&'a ChatMessage);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChatMessage { role, content, tool_calls, tool_call_id } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", role_name(*role))?;
        map.serialize_entry("content", &Parts { content, calls: !tool_calls.is_empty() })?;
        if !tool_calls.is_empty() {
            let calls: Vec<_> = tool_calls.iter().map(Call).collect();
            map.serialize_entry("tool_calls", &calls)?;
        }
        if let Some(id) = tool_call_id {
            map.serialize_entry("tool_call_id", id)?;
        }
        map.end()
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// The content of a message: one string where that is enough, since not all servers take a list;
/// a list of parts where there are pictures; null beside tool calls where nothing was said.
struct Parts<'a> {
    content: &'a [Content],
    calls: bool,
}

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.content.iter().any(|part| matches!(part, Content::Image { .. })) {
            return serializer.collect_seq(self.content.iter().map(Part));
        }
        match self.content {
            [] if self.calls => serializer.serialize_none(),
            [Content::Text(text)] => serializer.serialize_str(text),
            parts => {
                let texts: Vec<_> = parts.iter().map(inline).collect();
                serializer.serialize_str(&texts.join("\n\n"))
            }
        }
    }
}

struct Part<'a>(&'a Content);

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        if let Content::Image { media_type, data } = self.0 {
            let mut url = format!("data:{media_type};base64,");
            STANDARD.encode_string(data, &mut url);
            map.serialize_entry("type", "image_url")?;
            map.serialize_entry("image_url", &Named("url", &url))?;
        } else {
            map.serialize_entry("type", "text")?;
            map.serialize_entry("text", &inline(self.0))?;
        }
        map.end()
    }
}

/// The text of a part; a file's stands in a tag that names it.
fn inline(part: &Content) -> String {
    match part {
        Content::Text(text) => text.clone(),
        Content::Image { .. } => String::new(),
        Content::File { filename, media_type, text } => {
            let plain = |s: &str| s.replace(['"', '<', '>', '\n', '\r'], "_");
            let (name, kind) = (plain(filename), plain(media_type));
            format!("<file name=\"{name}\" type=\"{kind}\">\n{text}\n</file>")
        }
    }
}

/// An object of one text.
struct Named<'a>(&'static str, &'a str);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}

struct Call<'a>(&'a ToolCall);

impl Serialize for Call<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            arguments: &'a str,
        }
        let ToolCall { call_id, name, arguments } = self.0;
        // An empty text is no JSON, and servers that parse it would refuse the history.
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("id", call_id)?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name, arguments })?;
        map.end()
    }
}

struct Tool<'a>(&'a ToolSpec);

impl Serialize for Tool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a Value,
        }
        let ToolSpec { name, description, parameters } = self.0;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name, description, parameters })?;
        map.end()
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
