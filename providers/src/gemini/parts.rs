//! Turns, and the parts they are made of.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::chat::{ChatMessage, Content, ProviderError, Role, data_url};
use crate::thoughts;

/// What stands in the place of a signature that is not there any more, as the interface's documentation says
/// for turns that came from elsewhere.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The instructions that stand on top, if there are any.
pub(super) fn system(messages: &[ChatMessage]) -> Result<Option<Value>, ProviderError> {
    let mut parts = Vec::new();
    for message in messages.iter().filter(|message| message.role == Role::System) {
        parts.extend(content(&message.content)?);
    }
    Ok((!parts.is_empty()).then(|| json!({ "parts": parts })))
}

/// The turns of the conversation. Those of the same role that follow each other are one. `signed` tells that
/// the model wants the signatures of its calls again.
pub(super) fn turns(messages: &[ChatMessage], signed: bool) -> Result<Vec<Value>, ProviderError> {
    let names: HashMap<&str, &str> = messages
        .iter()
        .flat_map(|message| &message.tool_calls)
        .map(|call| (call.call_id.as_str(), call.name.as_str()))
        .collect();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages.iter().filter(|message| message.role != Role::System) {
        let (role, parts) = match message.role {
            Role::Assistant => ("model", model_parts(message, signed)?),
            Role::Tool => ("user", result(message, &names)?),
            Role::System | Role::User => ("user", content(&message.content)?),
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ if parts.is_empty() => {}
            _ => turns.push((role, parts)),
        }
    }
    Ok(turns.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect())
}

/// What the model said in a turn: its words and its calls, each with what was signed for it.
fn model_parts(message: &ChatMessage, signed: bool) -> Result<Vec<Value>, ProviderError> {
    let mut parts = content(&message.content)?;
    let signature = |call: Option<&str>| {
        let mut thoughts_given = thoughts::in_format(message, thoughts::GEMINI);
        thoughts_given.find(|thought| thought.get("id").and_then(Value::as_str) == call)?.get("data").cloned()
    };
    // What was signed for no call belongs to the words.
    if let (Some(last), Some(signature)) = (parts.last_mut(), signature(None)) {
        last["thoughtSignature"] = signature;
    }
    for (at, call) in message.tool_calls.iter().enumerate() {
        let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        let args = arguments.unwrap_or_else(|| json!({}));
        let mut part = json!({ "functionCall": { "name": call.name, "args": args } });
        // Of several calls at once only the first is signed.
        let missing = || (signed && at == 0).then(|| Value::from(UNSIGNED));
        if let Some(signature) = signature(Some(&call.call_id)).or_else(missing) {
            part["thoughtSignature"] = signature;
        }
        parts.push(part);
    }
    Ok(parts)
}

/// The result of a call, found by the call's name; pictures in it stand beside it.
fn result(message: &ChatMessage, names: &HashMap<&str, &str>) -> Result<Vec<Value>, ProviderError> {
    let call = message.tool_call_id.as_deref().unwrap_or_default();
    let named = || message.extra.get("name").and_then(Value::as_str);
    let name = names.get(call).copied().or_else(named).unwrap_or("tool");
    let (texts, others): (Vec<Value>, Vec<Value>) =
        content(&message.content)?.into_iter().partition(|part| part.get("text").is_some());
    let text: Vec<&str> = texts.iter().filter_map(|part| part["text"].as_str()).collect();
    let text = text.join("\n");
    // A result is an object here.
    let thoughts_given: Option<Value> = serde_json::from_str(&text).ok().filter(Value::is_object);
    let response = thoughts_given.unwrap_or_else(|| json!({ "result": text }));
    let mut parts = vec![json!({ "functionResponse": { "name": name, "response": response } })];
    parts.extend(others);
    Ok(parts)
}

fn content(content: &[Content]) -> Result<Vec<Value>, ProviderError> {
    let all = content.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn part(part: &Content) -> Result<Option<Value>, ProviderError> {
    Ok(match part {
        Content::Text(text) => (!text.is_empty()).then(|| json!({ "text": text })),
        Content::File { .. } => part.in_words().map(|text| json!({ "text": text })),
        Content::Image { media_type, data, .. } => Some(inline(media_type, &STANDARD.encode(data))),
        Content::ImageUrl { url, .. } => Some(at(url)),
        Content::Raw(raw) => Some(foreign(raw)?),
    })
}

fn inline(media_type: &str, data: &str) -> Value {
    json!({ "inlineData": { "mimeType": media_type, "data": data } })
}

fn at(url: &str) -> Value {
    match data_url(url) {
        Some((media_type, data)) => inline(media_type, data),
        None => json!({ "fileData": { "mimeType": picture_type(url), "fileUri": url } }),
    }
}

/// The type of a picture by the end of its address, since it must be told.
fn picture_type(url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    match path.rsplit('.').next() {
        Some("png") => "image/png",
        Some("webp") => "image/webp",
        Some("gif") => "image/gif",
        Some("heic") => "image/heic",
        _ => "image/jpeg",
    }
}

/// A part of the OpenAI interface, or one of this interface as it is.
fn foreign(raw: &Value) -> Result<Value, ProviderError> {
    let kind = raw["type"].as_str().unwrap_or_default();
    let words = |field: &str| raw[field].as_str().map(|text| json!({ "text": text }));
    let part = match kind {
        "text" => words("text"),
        "refusal" => words("refusal"),
        "image_url" => raw["image_url"]["url"].as_str().or_else(|| raw["image_url"].as_str()).map(at),
        "input_audio" => sound(&raw["input_audio"]),
        "file" => raw["file"]["file_data"].as_str().and_then(data_url).map(|(kind, data)| inline(kind, data)),
        "" if raw.get("inlineData").is_some() || raw.get("fileData").is_some() => Some(raw.clone()),
        _ => None,
    };
    part.ok_or_else(|| {
        ProviderError::refused(format!("Gemini's interface has no form for this part of the type {kind:?}"))
    })
}

fn sound(audio: &Value) -> Option<Value> {
    let format = audio["format"].as_str().unwrap_or("wav");
    Some(inline(&format!("audio/{format}"), audio["data"].as_str()?))
}
