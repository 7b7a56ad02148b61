//! The span of a model call, according to OpenTelemetry's semantic conventions for generative AI.

use serde_json::{Value, json};
use telemetry::trace::{self, Attributes, Kind, Span};

use super::Model;
use crate::chat::{ChatDelta, ChatMessage, ChatRequest, Content, FinishReason, Role};

/// Provider names that the conventions fix, where they differ from the usual names here.
const PROVIDERS: [(&str, &str); 2] = [("gemini", "gcp.gemini"), ("azure", "azure.ai.openai")];

/// Starts the span of a call.
pub(super) fn begin(model: &Model, request: &ChatRequest) -> Span {
    let name = || format!("chat {}", model.upstream_id);
    let mut span = trace::span(Kind::Client, trace::current(), name);
    span.set(|set| {
        let provider = &*model.info.provider;
        let known = PROVIDERS.iter().find(|(ours, _)| *ours == provider);
        set.text("gen_ai.operation.name", "chat");
        set.text("gen_ai.provider.name", known.map_or(provider, |(_, theirs)| theirs));
        set.text("gen_ai.request.model", &model.upstream_id);
        set.text("gen_ai.output.type", output_type(request));
        numbers(set, request);
        if let Some(limit) = trace::content_limit() {
            let (system, others): (Vec<_>, Vec<_>) =
                request.messages.iter().partition(|message| message.role == Role::System);
            let system: Vec<Value> = system.into_iter().flat_map(parts).collect();
            let input: Vec<Value> = others.into_iter().map(message).collect();
            if !system.is_empty() {
                set.content("gen_ai.system_instructions", &Value::from(system).to_string(), limit);
            }
            set.content("gen_ai.input.messages", &Value::from(input).to_string(), limit);
        }
    });
    span
}

fn output_type(request: &ChatRequest) -> &'static str {
    match request.parameters.get("response_format").and_then(|format| format["type"].as_str()) {
        Some("json_schema" | "json_object") => "json",
        _ => "text",
    }
}

fn numbers(set: &mut Attributes, request: &ChatRequest) {
    let number = |name: &str| request.parameters.get(name).and_then(Value::as_f64);
    for (attribute, name) in [
        ("gen_ai.request.temperature", "temperature"),
        ("gen_ai.request.top_p", "top_p"),
        ("gen_ai.request.frequency_penalty", "frequency_penalty"),
        ("gen_ai.request.presence_penalty", "presence_penalty"),
    ] {
        if let Some(value) = number(name) {
            set.float(attribute, value);
        }
    }
    let limit =
        request.parameters.get("max_tokens").or_else(|| request.parameters.get("max_completion_tokens"));
    if let Some(tokens) = limit.and_then(Value::as_u64) {
        set.int("gen_ai.request.max_tokens", tokens);
    }
    if let Some(seed) = request.parameters.get("seed").and_then(Value::as_u64) {
        set.int("gen_ai.request.seed", seed);
    }
}

/// Records the attributes of a response delta in the span.
pub(super) fn record_delta(span: &mut Span, delta: &ChatDelta) {
    span.set(|set| match delta {
        ChatDelta::Answering { model } => {
            set.text("gen_ai.response.model", model.split_once('/').map_or(&**model, |(_, model)| model));
        }
        ChatDelta::Usage(usage) => {
            set.int("gen_ai.usage.input_tokens", usage.input_tokens);
            set.int("gen_ai.usage.output_tokens", usage.output_tokens);
            set.int("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens);
            set.int("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens);
            if usage.estimated {
                set.flag("understudy.usage.estimated", true);
            }
        }
        ChatDelta::Finish(reason) => {
            set.texts("gen_ai.response.finish_reasons", vec![reason_name(reason).to_owned()]);
        }
        _ => {}
    });
}

fn reason_name(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Other(other) => other,
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

fn message(message: &ChatMessage) -> Value {
    json!({"role": role(message.role), "parts": parts(message)})
}

/// Images and files are described, not included: their bytes are of no use in a trace.
fn parts(message: &ChatMessage) -> Vec<Value> {
    if let Some(call) = &message.tool_call_id {
        return vec![json!({"type": "tool_call_response", "id": call, "response": message.plain_text()})];
    }
    let content = message.content.iter().map(|content| match content {
        Content::Text(text) => json!({"type": "text", "content": text}),
        Content::Image { media_type, data, .. } => {
            json!({"type": "blob", "modality": "image", "mime_type": media_type, "size": data.len()})
        }
        Content::ImageUrl { .. } => json!({"type": "uri", "modality": "image"}),
        Content::File { filename, media_type, .. } => {
            json!({"type": "file", "name": filename, "mime_type": media_type})
        }
        Content::Raw(_) => json!({"type": "other"}),
    });
    let calls = message.tool_calls.iter().map(|call| {
        json!({"type": "tool_call", "id": call.call_id, "name": call.name, "arguments": call.arguments})
    });
    content.chain(calls).collect()
}

/// The recorded response of a model, up to a number of bytes.
pub(super) struct RecordedAnswer {
    limit: usize,
    text: String,
    calls: Vec<(u32, String, String, String)>,
    reason: Option<String>,
}

impl RecordedAnswer {
    pub fn up_to(limit: usize) -> Self {
        Self { limit, text: String::new(), calls: Vec::new(), reason: None }
    }

    pub fn add(&mut self, delta: &ChatDelta) {
        match delta {
            ChatDelta::Text(text) if self.text.len() < self.limit => self.text.push_str(text),
            ChatDelta::ToolCallStart { index, call_id, name } if self.calls.len() < 64 => {
                self.calls.push((*index, call_id.clone(), name.clone(), String::new()));
            }
            ChatDelta::ToolCallArguments { index, delta } => {
                let call = self.calls.iter_mut().find(|call| call.0 == *index);
                if let Some(call) = call.filter(|call| call.3.len() < self.limit) {
                    call.3.push_str(delta);
                }
            }
            ChatDelta::Finish(reason) => self.reason = Some(reason_name(reason).to_owned()),
            _ => {}
        }
    }

    pub fn write_to(self, span: &mut Span) {
        let text = (!self.text.is_empty()).then(|| json!({"type": "text", "content": self.text}));
        let calls = self.calls.iter().map(|(_, id, name, arguments)| {
            json!({"type": "tool_call", "id": id, "name": name, "arguments": arguments})
        });
        let parts: Vec<Value> = text.into_iter().chain(calls).collect();
        let output = json!([{"role": "assistant", "parts": parts, "finish_reason": self.reason}]);
        span.set(|set| {
            set.content("gen_ai.output.messages", &output.to_string(), self.limit);
        });
    }
}
