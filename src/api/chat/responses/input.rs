//! Converts the items of a response request of the OpenAI Responses API to chat messages.

use providers::{ChatMessage, Content, Role, ToolCall};
use serde_json::{Map, Value, json};

use crate::api::chat::messages;
use crate::http::Faults;

/// Converts the input. Problems are added to `faults`.
pub fn input(client_input: &Value, faults: &mut Faults) -> Vec<ChatMessage> {
    match client_input {
        Value::String(text) if !text.is_empty() => vec![ChatMessage::text(Role::User, text.as_str())],
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().fold(Vec::new(), |read, (at, item)| append(read, item, at, faults))
        }
        _ => {
            faults.add(["input"], "must be a string or a list of items", "type");
            Vec::new()
        }
    }
}

/// Adds an item. Consecutive function calls become one assistant message.
fn append(mut read: Vec<ChatMessage>, item: &Value, at: usize, faults: &mut Faults) -> Vec<ChatMessage> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let at = at.to_string();
    match text("type").unwrap_or("message") {
        "message" => read.extend(message(item, &at, faults)),
        "function_call" => match (text("call_id"), text("name")) {
            (Some(call_id), Some(name)) => {
                let arguments = text("arguments").unwrap_or_default().to_owned();
                let call = ToolCall { call_id: call_id.to_owned(), name: name.to_owned(), arguments };
                match read.last_mut().filter(|last| last.role == Role::Assistant) {
                    Some(last) => last.tool_calls.push(call),
                    None => {
                        let said =
                            ChatMessage { content: Vec::new(), ..ChatMessage::text(Role::Assistant, "") };
                        read.push(ChatMessage { tool_calls: vec![call], ..said });
                    }
                }
            }
            _ => faults.add(["input", &at], "needs a call_id and a name", "missing"),
        },
        "function_call_output" => match text("call_id") {
            Some(call_id) => read.push(ChatMessage::tool_result(call_id, output(item.get("output")))),
            None => faults.add(["input", &at, "call_id"], "is missing", "missing"),
        },
        // Reasoning items are specific to their provider and cannot be passed to other models.
        "reasoning" => {}
        other => {
            let msg = format!("items of the type {other:?} are not supported");
            faults.add(["input", &at, "type"], msg, "enum");
        }
    }
    read
}

fn output(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Converts a message to the chat completions format first, whose reader validates it.
fn message(item: &Value, at: &str, faults: &mut Faults) -> Option<ChatMessage> {
    let content = match item.get("content") {
        Some(Value::Array(parts)) => Value::Array(parts.iter().map(part).collect()),
        Some(other) => other.clone(),
        None => Value::Null,
    };
    let mut found = Faults::new("body");
    let message = json!({"role": item.get("role").cloned().unwrap_or("user".into()), "content": content});
    let mut read = messages::messages(&[message], &mut found);
    for fault in found.into_vec() {
        // Translates the path `messages.0.…` to `input.<at>.…`.
        let way: Vec<String> = fault.loc.iter().skip(3).map(ToString::to_string).collect();
        let way = ["input", at].into_iter().chain(way.iter().map(String::as_str));
        faults.add(way, fault.msg, "invalid");
    }
    let mut message = read.pop()?;
    // Assistant messages contain a single text.
    if message.role == Role::Assistant {
        let text = message.plain_text();
        message.content = if text.is_empty() { Vec::new() } else { vec![Content::Text(text)] };
    }
    Some(message)
}

/// Converts a content part to the chat completions format.
fn part(value: &Value) -> Value {
    let field = |key: &str| value.get(key).cloned().unwrap_or_default();
    match value.get("type").and_then(Value::as_str) {
        Some("input_text" | "output_text" | "refusal") => {
            let text = value.get("text").or(value.get("refusal")).cloned().unwrap_or_default();
            json!({"type": "text", "text": text})
        }
        Some("input_image") => {
            json!({"type": "image_url", "image_url": {"url": field("image_url"), "detail": field("detail")}})
        }
        Some("input_file") => {
            let mut file = value.as_object().cloned().unwrap_or_default();
            file.remove("type");
            json!({"type": "file", "file": file})
        }
        _ => value.clone(),
    }
}

/// Converts the client's functions, which are flat in this API, to the nested form of the chat completions API. Tools that only OpenAI
/// hosts (`web_search`, `code_interpreter`, ...) and tools whose arguments are not JSON are left out: common agents offer them to every
/// provider and work without them.
pub fn tools(client_tools: &[Value]) -> Vec<Value> {
    let nested = |tool: &Value| match (tool.get("type").and_then(Value::as_str), tool.get("function")) {
        (Some("function"), None) => {
            let mut function = tool.as_object().cloned().unwrap_or_default();
            function.remove("type");
            Some(json!({"type": "function", "function": function}))
        }
        (Some(hosted), _) if hosted != "function" => None,
        _ => Some(tool.clone()),
    };
    client_tools.iter().filter_map(nested).collect()
}

/// Converts parameters to the names of the chat completions API.
pub fn parameters(mut rest: Map<String, Value>) -> Map<String, Value> {
    // Fields that only the Responses API has and no chat model understands.
    const OWN: [&str; 9] = [
        "client_metadata",
        "truncation",
        "include",
        "max_tool_calls",
        "context_management",
        "prompt_cache_retention",
        "top_logprobs",
        "stream_options",
        "metadata",
    ];
    rest.retain(|name, value| !value.is_null() && !OWN.contains(&name.as_str()));
    let mut parameters = Map::new();
    for (name, value) in rest {
        match name.as_str() {
            "max_output_tokens" => drop(parameters.insert("max_tokens".into(), value)),
            "reasoning" => {
                let effort = value.get("effort").filter(|effort| !effort.is_null()).cloned();
                parameters.extend(effort.map(|effort| ("reasoning_effort".to_owned(), effort)));
            }
            "text" => {
                let format = value.get("format").and_then(format);
                parameters.extend(format.map(|format| ("response_format".to_owned(), format)));
                let verbosity = value.get("verbosity").filter(|verbosity| !verbosity.is_null()).cloned();
                parameters.extend(verbosity.map(|verbosity| ("verbosity".to_owned(), verbosity)));
            }
            "tool_choice" => drop(parameters.insert(name, choice(value))),
            _ => drop(parameters.insert(name, value)),
        }
    }
    parameters
}

/// Nests `{type: json_schema, name, schema, strict}` as the chat completions API expects it. Returns `None` for plain text.
fn format(value: &Value) -> Option<Value> {
    match value.get("type").and_then(Value::as_str)? {
        "text" => None,
        "json_schema" => {
            let mut schema = value.as_object()?.clone();
            schema.remove("type");
            Some(json!({"type": "json_schema", "json_schema": schema}))
        }
        _ => Some(value.clone()),
    }
}

fn choice(value: Value) -> Value {
    match (value.get("type").and_then(Value::as_str), value.get("name")) {
        (Some("function"), Some(name)) => json!({"type": "function", "function": {"name": name}}),
        _ => value,
    }
}
