//! Encodes a request for the OpenAI Chat Completions API.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::chat::{ChatMessage, ChatRequest, Content, Role, ToolCall, ToolSpec};

/// Returns the body of a streaming request. `count` requests the usage, which a few servers do not support. `strict`
/// omits fields that only other servers support.
pub(super) fn body(request: &ChatRequest, count: bool, strict: bool) -> Vec<u8> {
    serde_json::to_vec(&Body { request, count, strict }).expect("a request has only string keys")
}

/// Message fields of other servers, which a strict server rejects.
const FOREIGN: [&str; 4] = [crate::thoughts::KEY, "reasoning", "reasoning_content", "cache_control"];

/// Parameters by which a gateway would route the request to another model than the one whose price and access were
/// checked, or would run additional features. Routing is decided by this server.
const DIVERTING: [&str; 4] = ["models", "route", "provider", "plugins"];

struct Body<'a> {
    request: &'a ChatRequest,
    count: bool,
    strict: bool,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChatRequest { model, messages, tools, tool_choice, parameters, .. } = self.request;
        let mut map = serializer.serialize_map(None)?;
        let mut ours = vec!["model", "messages", "stream", "stream_options", "n"];
        map.serialize_entry("model", model)?;
        let messages: Vec<_> = messages.iter().map(|message| Message(message, self.strict)).collect();
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
        ours.extend(DIVERTING);
        let settled = parameters.contains_key("max_completion_tokens");
        for (key, value) in parameters {
            // OpenAI's newer models reject `max_tokens`, while most other servers support only that.
            let key = match key.as_str() {
                "max_tokens" if self.strict && settled => continue,
                "max_tokens" if self.strict => "max_completion_tokens",
                key => key,
            };
            if !ours.contains(&key) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

/// Returns the caller's stream options with usage enabled.
fn stream_options(parameters: &Map<String, Value>, count: bool) -> Option<Map<String, Value>> {
    if !count {
        return None;
    }
    let requested = parameters.get("stream_options").and_then(Value::as_object);
    let mut options = requested.cloned().unwrap_or_default();
    options.insert("include_usage".to_owned(), Value::Bool(true));
    Some(options)
}

/// A message, and whether to omit fields that only other servers support.
struct Message<'a>(&'a ChatMessage, bool);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ChatMessage { role, content, tool_calls, tool_call_id, extra } = self.0;
        let mut map = serializer.serialize_map(None)?;
        // A function result in the format that predates tools: it names the function and has no call id.
        let of_function = *role == Role::Tool && tool_call_id.is_none() && extra.contains_key("name");
        map.serialize_entry("role", if of_function { "function" } else { role_name(*role) })?;
        map.serialize_entry("content", &Parts { content, calls: !tool_calls.is_empty() })?;
        if !tool_calls.is_empty() {
            let calls: Vec<_> = tool_calls.iter().map(Call).collect();
            map.serialize_entry("tool_calls", &calls)?;
        }
        if let Some(id) = tool_call_id {
            map.serialize_entry("tool_call_id", id)?;
        }
        const OURS: [&str; 4] = ["role", "content", "tool_calls", "tool_call_id"];
        let foreign = |key: &str| OURS.contains(&key) || (self.1 && FOREIGN.contains(&key));
        for (key, value) in extra.iter().filter(|(key, _)| !foreign(key)) {
            map.serialize_entry(key, value)?;
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

/// The content of a message: a single string if it contains only text, since not all servers accept a list; a list of
/// parts otherwise; null in a message with tool calls and no text.
struct Parts<'a> {
    content: &'a [Content],
    calls: bool,
}

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |part: &Content| matches!(part, Content::Text(_) | Content::File { .. });
        if !self.content.iter().all(text) {
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
        if let Content::Raw(part) = self.0 {
            return part.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(2))?;
        match self.0 {
            Content::Image { media_type, data, detail } => {
                let mut url = format!("data:{media_type};base64,");
                STANDARD.encode_string(data, &mut url);
                map.serialize_entry("type", "image_url")?;
                map.serialize_entry("image_url", &Picture { url: &url, detail })?;
            }
            Content::ImageUrl { url, detail } => {
                map.serialize_entry("type", "image_url")?;
                map.serialize_entry("image_url", &Picture { url, detail })?;
            }
            Content::Text(_) | Content::File { .. } | Content::Raw(_) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", &inline(self.0))?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Picture<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: &'a Option<String>,
}

fn inline(part: &Content) -> String {
    part.in_words().unwrap_or_default()
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
        // An empty text is not valid JSON, and servers that parse it would reject the history.
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
            #[serde(skip_serializing_if = "str::is_empty")]
            description: &'a str,
            parameters: &'a Value,
            #[serde(flatten)]
            extra: &'a Map<String, Value>,
        }
        let ToolSpec { name, description, parameters, extra } = self.0;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name, description, parameters, extra })?;
        map.end()
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
