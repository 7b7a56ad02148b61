//! Encodes messages and their content blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::chat::{ChatMessage, Content, ProviderError, Role, ToolCall, data_url};
use crate::thoughts;

/// The field that tells the provider to cache everything up to this block.
const CACHE: &str = "cache_control";

/// Returns the system prompt, if there is any.
pub(super) fn system(messages: &[ChatMessage], more: Option<&str>) -> Result<Option<Value>, ProviderError> {
    let mut all = Vec::new();
    for message in messages.iter().filter(|message| message.role == Role::System) {
        all.extend(content(message)?);
    }
    all.extend(more.map(text));
    if all.iter().any(|block| block.get(CACHE).is_some()) {
        return Ok(Some(Value::Array(all)));
    }
    let texts: Vec<&str> = all.iter().filter_map(|block| block["text"].as_str()).collect();
    Ok((!texts.is_empty()).then(|| Value::from(texts.join("\n\n"))))
}

/// Returns the turns of the conversation. Adjacent messages of the same role are merged.
pub(super) fn turns(messages: &[ChatMessage]) -> Result<Vec<Value>, ProviderError> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages.iter().filter(|message| message.role != Role::System) {
        let (role, blocks) = match message.role {
            Role::Assistant => ("assistant", assistant_blocks(message)?),
            Role::Tool => ("user", vec![result(message)?]),
            Role::System | Role::User => ("user", content(message)?),
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    if let Some(("assistant", blocks)) = turns.last_mut() {
        trim_end(blocks);
    }
    Ok(turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect())
}

/// Returns the blocks of an assistant's turn: reasoning, content, tool calls.
fn assistant_blocks(message: &ChatMessage) -> Result<Vec<Value>, ProviderError> {
    let mut blocks: Vec<Value> =
        thoughts::in_format(message, thoughts::ANTHROPIC).filter_map(thought).collect();
    blocks.extend(content(message)?);
    blocks.extend(message.tool_calls.iter().map(call));
    Ok(blocks)
}

fn thought(details: &Value) -> Option<Value> {
    if let Some(data) = details.get("data") {
        return Some(json!({ "type": "redacted_thinking", "data": data }));
    }
    let signature = details.get("signature").filter(|signature| signature.is_string())?;
    let text = details.get("text").cloned().unwrap_or_else(|| Value::from(""));
    Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
}

fn call(call: &ToolCall) -> Value {
    let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    let input = arguments.unwrap_or_else(|| json!({}));
    json!({ "type": "tool_use", "id": id(&call.call_id), "name": call.name, "input": input })
}

fn result(message: &ChatMessage) -> Result<Value, ProviderError> {
    let call = message.tool_call_id.as_deref().unwrap_or_default();
    let mut block = json!({ "type": "tool_result", "tool_use_id": id(call) });
    let content = blocks(&message.content)?;
    if !content.is_empty() {
        block["content"] = Value::Array(content);
    }
    if let Some(cache) = message.extra.get(CACHE) {
        block[CACHE] = cache.clone();
    }
    Ok(block)
}

/// Ids of calls that other providers generated may contain characters that this API rejects.
fn id(call: &str) -> String {
    let sound = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    if call.is_empty() { "_".to_owned() } else { call.chars().map(sound).collect() }
}

fn content(message: &ChatMessage) -> Result<Vec<Value>, ProviderError> {
    let mut blocks = blocks(&message.content)?;
    if let (Some(last), Some(cache)) = (blocks.last_mut(), message.extra.get(CACHE)) {
        last[CACHE] = cache.clone();
    }
    Ok(blocks)
}

fn blocks(content: &[Content]) -> Result<Vec<Value>, ProviderError> {
    let all = content.iter().map(block).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn block(part: &Content) -> Result<Option<Value>, ProviderError> {
    Ok(match part {
        // The API rejects blank text.
        Content::Text(words) => (!words.trim().is_empty()).then(|| text(words)),
        Content::File { .. } => part.in_words().map(|words| text(&words)),
        Content::Image { media_type, data, .. } => Some(image(media_type, &STANDARD.encode(data))),
        Content::ImageUrl { url, .. } => Some(image_at(url)),
        Content::Raw(raw) => Some(foreign(raw)?),
    })
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

fn image(media_type: &str, data: &str) -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": data } })
}

fn image_at(url: &str) -> Value {
    match data_url(url) {
        Some((media_type, data)) => image(media_type, data),
        None => json!({ "type": "image", "source": { "type": "url", "url": url } }),
    }
}

/// Converts a content part of the OpenAI API, or passes on one of this API.
fn foreign(raw: &Value) -> Result<Value, ProviderError> {
    let kind = raw["type"].as_str().unwrap_or_default();
    let refused =
        |what: &str| Err(ProviderError::refused(format!("Anthropic's API does not support {what}")));
    let words = |field: &str| raw[field].as_str().map(text);
    let block = match kind {
        "text" => words("text"),
        "refusal" => words("refusal"),
        "image_url" => raw["image_url"]["url"].as_str().or_else(|| raw["image_url"].as_str()).map(image_at),
        "file" => document(&raw["file"]),
        "image" | "document" | "search_result" if raw.get("source").is_some() => return Ok(raw.clone()),
        _ => return refused(&format!("a part of the type {kind:?}")),
    };
    let Some(mut block) = block else {
        return refused(&format!("this part of the type {kind:?}"));
    };
    if let Some(cache) = raw.get(CACHE) {
        block[CACHE] = cache.clone();
    }
    Ok(block)
}

/// Converts an inline file if it is a PDF, the only supported type.
fn document(file: &Value) -> Option<Value> {
    let (media_type, data) = data_url(file["file_data"].as_str()?)?;
    if media_type != "application/pdf" {
        return None;
    }
    let source = json!({ "type": "base64", "media_type": media_type, "data": data });
    let mut block = Map::from_iter([("type".to_owned(), "document".into()), ("source".to_owned(), source)]);
    if let Some(name) = file.get("filename").filter(|name| name.is_string()) {
        block.insert("title".to_owned(), name.clone());
    }
    Some(Value::Object(block))
}

/// The API rejects a prefilled answer that ends in whitespace.
fn trim_end(blocks: &mut [Value]) {
    let Some(words) = blocks.last().and_then(|block| block["text"].as_str()) else {
        return;
    };
    let trimmed = words.trim_end().to_owned();
    if let Some(last) = blocks.last_mut() {
        last["text"] = Value::from(trimmed);
    }
}
