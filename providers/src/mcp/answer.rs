//! Converts the result of a tool call to the JSON value that models read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value, json};

use super::error::{McpError, McpErrorKind, clean};

/// Converts a call result: plain text if the result contains only text, the structured content if there is any, and
/// otherwise `{text, structured, parts}`. Binary parts are described and not included. The value is cut after `most`
/// bytes.
///
/// # Errors
/// [`McpErrorKind::Tool`] with the tool's message if the tool reports that it failed.
pub(super) fn content(result: CallToolResult, most: usize) -> Result<Value, McpError> {
    let failed = result.is_error == Some(true);
    let (texts, parts) = sort(result.content);
    let text = texts.join("\n\n");
    if failed {
        let text =
            if text.trim().is_empty() { "the tool failed without an error message".to_owned() } else { text };
        return Err(McpError::new(McpErrorKind::Tool, cut(text, most.min(8_000))));
    }
    let structured = result.structured_content.filter(|value| !value.is_null());
    let whole = match (structured, parts.is_empty()) {
        (None, true) => Value::String(text),
        // The text repeats the structured content for models that do not read JSON, so it is left out.
        (Some(structured), true) => structured,
        (structured, false) => {
            let mut all = Map::new();
            if !text.is_empty() {
                all.insert("text".into(), text.into());
            }
            all.extend(structured.map(|structured| ("structured".to_owned(), structured)));
            all.insert("parts".into(), parts.into());
            Value::Object(all)
        }
    };
    Ok(within(whole, most))
}

/// Separates text blocks from all other content.
fn sort(content: Vec<ContentBlock>) -> (Vec<String>, Vec<Value>) {
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    for block in content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => parts.push(bytes("image", &image.mime_type, &image.data)),
            ContentBlock::Audio(audio) => parts.push(bytes("audio", &audio.mime_type, &audio.data)),
            ContentBlock::ResourceLink(link) => parts.push(json!({
                "type": "resource_link", "uri": link.uri, "name": link.name, "description": link.description,
            })),
            ContentBlock::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    parts.push(json!({"type": "resource", "uri": uri, "text": text}));
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let mut part = bytes("resource", mime_type.as_deref().unwrap_or_default(), &blob);
                    part["uri"] = uri.into();
                    parts.push(part);
                }
                _ => parts.push(json!({"type": "resource"})),
            },
            _ => parts.push(json!({"type": "unknown"})),
        }
    }
    (texts, parts)
}

/// Describes binary content by its media type and size.
fn bytes(kind: &str, media_type: &str, data: &str) -> Value {
    let length = BASE64_STANDARD.decode(data.trim()).map(|data| data.len()).ok();
    json!({"type": kind, "media_type": clean(media_type), "bytes": length, "note": "not shown"})
}

/// Returns the value, or the beginning of its text or JSON if it has more than `most` bytes.
fn within(value: Value, most: usize) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text, most)),
        value => {
            let json = value.to_string();
            if json.len() <= most { value } else { Value::String(cut(json, most)) }
        }
    }
}

fn cut(mut text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let whole = text.len();
    text.truncate(text.floor_char_boundary(most));
    text.push_str(&format!("\n[cut: the tool gave {whole} bytes]"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(json: Value, most: usize) -> Result<Value, McpError> {
        content(serde_json::from_value(json).unwrap(), most)
    }

    #[test]
    fn content_returns_text_structured_content_or_parts() {
        let text = json!({"type": "text", "text": "hello"});
        assert_eq!(answer(json!({"content": [text]}), 100), Ok(json!("hello")));
        assert_eq!(answer(json!({"content": [text, text]}), 100), Ok(json!("hello\n\nhello")));
        let structured = json!({"content": [text], "structuredContent": {"n": 1}});
        assert_eq!(answer(structured, 100), Ok(json!({"n": 1})));
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        let mixed = answer(json!({"content": [text, image]}), 1_000).unwrap();
        assert_eq!(mixed["text"], "hello");
        assert_eq!(mixed["parts"][0]["bytes"], 3);
        assert_eq!(answer(json!({"content": []}), 100), Ok(json!("")));
    }

    #[test]
    fn content_returns_an_error_for_failed_calls_and_cuts_long_results() {
        let failed = json!({"content": [{"type": "text", "text": "no such row"}], "isError": true});
        let why = answer(failed, 100).unwrap_err();
        assert_eq!((why.kind, why.message.as_str()), (McpErrorKind::Tool, "no such row"));
        let long = json!({"content": [{"type": "text", "text": "ä".repeat(500)}]});
        let cut = answer(long, 99).unwrap();
        let cut = cut.as_str().unwrap();
        assert!(cut.starts_with("ä") && cut.ends_with("[cut: the tool gave 1000 bytes]"), "{cut}");
        let structured = json!({"content": [], "structuredContent": {"n": "x".repeat(500)}});
        assert!(answer(structured, 99).unwrap().is_string());
    }
}
