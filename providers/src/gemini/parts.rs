//! Encodes turns and their parts.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::chat::{ChatMessage, Content, ProviderError, Role, data_url};
use crate::thoughts;

/// The placeholder for a missing signature, which the API's documentation specifies for turns that other models
/// generated.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Returns the system instruction, if there is any.
pub(super) fn system(messages: &[ChatMessage]) -> Result<Option<Value>, ProviderError> {
    let mut parts = Vec::new();
    for message in messages.iter().filter(|message| message.role == Role::System) {
        parts.extend(content(&message.content)?);
    }
    Ok((!parts.is_empty()).then(|| json!({ "parts": parts })))
}

/// Returns the turns of the conversation. Adjacent messages of the same role are merged. `signed` means that the
/// model requires the signatures of its calls.
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

/// Returns the parts of a model's turn: its content and its calls, each with its signature.
fn model_parts(message: &ChatMessage, signed: bool) -> Result<Vec<Value>, ProviderError> {
    let mut parts = content(&message.content)?;
    let signature = |call: Option<&str>| {
        let mut thoughts_given = thoughts::in_format(message, thoughts::GEMINI);
        thoughts_given.find(|thought| thought.get("id").and_then(Value::as_str) == call)?.get("data").cloned()
    };
    // A signature without a call belongs to the text.
    if let (Some(last), Some(signature)) = (parts.last_mut(), signature(None)) {
        last["thoughtSignature"] = signature;
    }
    for (at, call) in message.tool_calls.iter().enumerate() {
        let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        let args = arguments.unwrap_or_else(|| json!({}));
        let mut part = json!({ "functionCall": { "name": call.name, "args": args } });
        // Of several parallel calls only the first has a signature.
        let missing = || (signed && at == 0).then(|| Value::from(UNSIGNED));
        if let Some(signature) = signature(Some(&call.call_id)).or_else(missing) {
            part["thoughtSignature"] = signature;
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Returns the result of a call under the name of the called function; images follow as separate parts.
fn result(message: &ChatMessage, names: &HashMap<&str, &str>) -> Result<Vec<Value>, ProviderError> {
    let call = message.tool_call_id.as_deref().unwrap_or_default();
    let named = || message.extra.get("name").and_then(Value::as_str);
    let name = names.get(call).copied().or_else(named).unwrap_or("tool");
    let (texts, others): (Vec<Value>, Vec<Value>) =
        content(&message.content)?.into_iter().partition(|part| part.get("text").is_some());
    let text: Vec<&str> = texts.iter().filter_map(|part| part["text"].as_str()).collect();
    let text = text.join("\n");
    // The API requires an object as the result.
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

/// Returns the media type of an image from the extension in its URL, since the API requires one.
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

/// Converts a content part of the OpenAI API, or passes on one of this API.
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
        ProviderError::refused(format!("Gemini's API does not support this part of the type {kind:?}"))
    })
}

fn sound(audio: &Value) -> Option<Value> {
    let format = audio["format"].as_str().unwrap_or("wav");
    Some(inline(&format!("audio/{format}"), audio["data"].as_str()?))
}
