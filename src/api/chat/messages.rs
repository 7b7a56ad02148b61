//! Converts messages and tools of the OpenAI API to the server's own types.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use providers::{ChatMessage, Content, Role, ToolCall, ToolSpec};
use serde_json::{Map, Value};

use crate::http::Faults;

/// Maximum length of the name of a tool, in characters.
const NAME: usize = 128;

type Object = Map<String, Value>;

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes base64, with or without padding and line breaks. Returns `None` if the text is not valid base64.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let text = match text.contains(|c: char| c.is_ascii_whitespace()) {
        true => Cow::Owned(text.split_ascii_whitespace().collect()),
        false => Cow::Borrowed(text),
    };
    BASE64.decode(text.as_bytes()).ok()
}

/// Converts messages. Problems are added to `faults`, and all valid messages are returned.
pub fn messages(client_messages: &[Value], faults: &mut Faults) -> Vec<ChatMessage> {
    if client_messages.is_empty() {
        faults.add(["messages"], "must contain a message", "too_short");
    }
    let read = |(at, message): (usize, &Value)| {
        let mut at = FaultPath { path: vec!["messages".into(), at.to_string()], faults: &mut *faults };
        match message {
            Value::Object(message) => one(message, &mut at),
            _ => at.fault(&[], "must be an object", "type"),
        }
    };
    client_messages.iter().enumerate().filter_map(read).collect()
}

/// A path in the body, with the faults found so far.
struct FaultPath<'a> {
    path: Vec<String>,
    faults: &'a mut Faults,
}

impl FaultPath<'_> {
    /// Adds a fault below the path. Always returns `None`, for use as the result of a conversion.
    fn fault<T>(&mut self, more: &[&str], msg: impl Into<String>, kind: &'static str) -> Option<T> {
        let path = self.path.iter().map(String::as_str).chain(more.iter().copied());
        self.faults.add(path, msg, kind);
        None
    }
}

fn one(message: &Object, at: &mut FaultPath<'_>) -> Option<ChatMessage> {
    let role = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        _ => {
            let msg = "must be one of system, developer, user, assistant and tool";
            return at.fault(&["role"], msg, "enum");
        }
    };
    let content = contents(message.get("content"), role, at)?;
    let tool_calls = calls(message.get("tool_calls"), at)?;
    let tool_call_id = message.get("tool_call_id").and_then(Value::as_str).map(str::to_owned);
    if role == Role::Tool && tool_call_id.is_none() && !message.contains_key("name") {
        return at.fault(
            &["tool_call_id"],
            "a message of a tool must name the call that it answers",
            "missing",
        );
    }
    if content.is_empty() && tool_calls.is_empty() && matches!(role, Role::User | Role::System) {
        return at.fault(&["content"], "is missing", "missing");
    }
    const READ: [&str; 4] = ["role", "content", "tool_calls", "tool_call_id"];
    let extra = message.iter().filter(|(key, value)| !READ.contains(&key.as_str()) && !value.is_null());
    let extra = extra.map(|(key, value)| (key.clone(), value.clone())).collect();
    Some(ChatMessage { role, content, tool_calls, tool_call_id, extra })
}

fn contents(content: Option<&Value>, role: Role, at: &mut FaultPath<'_>) -> Option<Vec<Content>> {
    match content {
        None | Some(Value::Null) => Some(Vec::new()),
        // An assistant message with empty text is valid.
        Some(Value::String(text)) if text.is_empty() && role == Role::Assistant => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![Content::Text(text.clone())]),
        Some(Value::Array(parts)) => {
            let parts = parts.iter().enumerate().map(|(number, value)| {
                let number = number.to_string();
                part(value, &["content", &number], at)
            });
            // All parts are converted before the result is decided, so that every fault is reported.
            parts.collect::<Vec<_>>().into_iter().collect()
        }
        Some(_) => at.fault(&["content"], "must be a string or a list of parts", "type"),
    }
}

fn part(value: &Value, path: &[&str; 2], at: &mut FaultPath<'_>) -> Option<Content> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    match text("type") {
        Some("text") if value.get("cache_control").is_none() => match text("text") {
            Some(text) => Some(Content::Text(text.to_owned())),
            None => at.fault(&[path[0], path[1], "text"], "must be a string", "type"),
        },
        Some("image_url") => {
            let image = value.get("image_url");
            let url = image.and_then(|image| image.as_str().or_else(|| image.get("url")?.as_str()));
            let detail = image.and_then(|image| image.get("detail")?.as_str()).map(str::to_owned);
            match url {
                Some(url) => picture(url, detail, path, at),
                None => at.fault(&[path[0], path[1], "image_url", "url"], "is missing", "missing"),
            }
        }
        Some(_) => Some(Content::Raw(value.clone())),
        None => at.fault(&[path[0], path[1], "type"], "is missing", "missing"),
    }
}

fn picture(url: &str, detail: Option<String>, path: &[&str; 2], at: &mut FaultPath<'_>) -> Option<Content> {
    let path = [path[0], path[1], "image_url", "url"];
    let Some(data) = url.strip_prefix("data:") else {
        return match url.starts_with("https://") || url.starts_with("http://") {
            true => Some(Content::ImageUrl { url: url.to_owned(), detail }),
            false => at.fault(&path, "must be a web address or a data: address", "malformed"),
        };
    };
    let parts = data.split_once(";base64,").filter(|(media_type, _)| media_type.starts_with("image/"));
    let Some((media_type, text)) = parts else {
        return at.fault(&path, "must be a data:image/...;base64, address", "malformed");
    };
    let media_type = media_type.split(';').next().unwrap_or(media_type).to_owned();
    match decoded(text) {
        Some(data) => Some(Content::Image { media_type, data: data.into(), detail }),
        None => at.fault(&path, "the content after `;base64,` is not valid base64", "malformed"),
    }
}

fn calls(value: Option<&Value>, at: &mut FaultPath<'_>) -> Option<Vec<ToolCall>> {
    let items = match value {
        None | Some(Value::Null) => return Some(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return at.fault(&["tool_calls"], "must be a list", "type"),
    };
    let call = |(number, call): (usize, &Value)| {
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let (id, name) = (text("/id"), text("/function/name"));
        match id.zip(name) {
            Some((call_id, name)) => {
                let arguments = text("/function/arguments").unwrap_or_default();
                Some(ToolCall { call_id, name, arguments })
            }
            None => {
                let number = number.to_string();
                at.fault(&["tool_calls", &number], "needs an id and a function with a name", "missing")
            }
        }
    };
    items.iter().enumerate().map(call).collect::<Vec<_>>().into_iter().collect()
}

/// Converts the tools that the client executes itself. A string names one of the server's tools and is skipped here.
pub fn tools(client_tools: &[Value], faults: &mut Faults) -> Vec<ToolSpec> {
    let mut read: Vec<ToolSpec> = Vec::new();
    for (number, value) in client_tools.iter().enumerate().filter(|(_, value)| !value.is_string()) {
        let mut at = FaultPath { path: vec!["tools".into(), number.to_string()], faults: &mut *faults };
        let Some(tool) = tool(value, &mut at) else { continue };
        if read.iter().any(|other| other.name == tool.name) {
            at.fault::<()>(&["function", "name"], "is used by another tool, too", "duplicate");
        }
        read.push(tool);
    }
    read
}

fn tool(tool_json: &Value, at: &mut FaultPath<'_>) -> Option<ToolSpec> {
    if tool_json.get("type").and_then(Value::as_str) != Some("function") {
        return at.fault(&["type"], "must be function", "enum");
    }
    let Some(Value::Object(function)) = tool_json.get("function") else {
        return at.fault(&["function"], "is missing", "missing");
    };
    let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
    let sound = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    if name.is_empty() || name.len() > NAME || !name.chars().all(sound) {
        return at.fault(
            &["function", "name"],
            format!("must have 1 to {NAME} letters, digits, _ and -"),
            "malformed",
        );
    }
    let parameters = match function.get("parameters") {
        None | Some(Value::Null) => serde_json::json!({"type": "object", "properties": {}}),
        Some(schema @ Value::Object(_)) => schema.clone(),
        Some(_) => return at.fault(&["function", "parameters"], "is not a valid JSON Schema", "type"),
    };
    let description = function.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    const READ: [&str; 3] = ["name", "description", "parameters"];
    let extra = function.iter().filter(|(key, value)| !READ.contains(&key.as_str()) && !value.is_null());
    let extra = extra.map(|(key, value)| (key.clone(), value.clone())).collect();
    Some(ToolSpec { name: name.to_owned(), description, parameters, extra })
}
