//! A complete answer in the format of the OpenAI API, gathered from the events of a run.

use std::collections::{BTreeMap, HashMap};

use runs::{Event, EventData, Terminal};
use serde::Serialize;
use serde_json::{Map, Value, json};
use storage::records::{RunState, Source};
use utoipa::ToSchema;

use crate::http::encodings::{Constants, annotation, data, finish_reason, used};

/// One or several answers of a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatCompletionResponse {
    /// Id of the completion. To attach to its stream, use `/api/chat/streams/{id}` with the part after `chatcmpl-`.
    #[schema(example = "chatcmpl-0199f3a21c3f7bd08f6d9c2f6c1e2a11")]
    pub id: String,
    /// Always `chat.completion`.
    pub object: &'static str,
    /// Time of the request, in seconds since 1970.
    pub created: i64,
    /// Full id of the model that answered.
    pub model: String,
    /// The answers; as many as the request asks for.
    pub choices: Vec<ChatCompletionChoice>,
    /// Token usage of all answers together.
    #[schema(value_type = Object)]
    pub usage: Value,
    /// Other fields of the provider's response, under the provider's names.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub extra: Map<String, Value>,
}

/// One answer of a completion.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatCompletionChoice {
    /// Number of the answer, from 0.
    pub index: u32,
    /// Content of the answer.
    pub message: ChatCompletionMessage,
    /// Log probabilities of the tokens, if requested.
    #[schema(value_type = Option<Object>)]
    pub logprobs: Option<Value>,
    /// Why the answer ended: `stop`, `length`, `tool_calls` or `content_filter`.
    pub finish_reason: &'static str,
}

/// The content of an answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatCompletionMessage {
    /// Always `assistant`.
    pub role: &'static str,
    /// Text of the answer; `null` if there is none.
    pub content: Option<String>,
    /// Refusal of the model, in its own words.
    pub refusal: Option<Value>,
    /// Reasoning of the model before the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning_content: String,
    /// Calls of the client's tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub tool_calls: Vec<Value>,
    /// Sources that the answer rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub annotations: Vec<Value>,
    /// Other fields of the provider's response, under the provider's names.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub extra: Map<String, Value>,
}

impl ChatCompletionResponse {
    /// Builds the response from the gathered output of a run.
    pub fn from_run(run: &Constants, gathered: Gathered, terminal: Option<&Terminal>) -> Self {
        let usage = terminal.map(|terminal| terminal.usage).unwrap_or_default();
        let cut_off = terminal.is_some_and(|terminal| terminal.status == RunState::Interrupted);
        let ended = terminal.and_then(|terminal| terminal.reason.as_deref());
        let ended = if cut_off { Some("length") } else { ended };
        let Gathered { mut choices, chunk, answering, .. } = gathered;
        choices.entry(0).or_default();
        Self {
            id: format!("chatcmpl-{}", run.run_id.simple()),
            object: "chat.completion",
            created: run.created,
            model: answering.unwrap_or_else(|| run.model.clone()),
            choices: choices.into_iter().map(|(index, choice)| choice.into_response(index, ended)).collect(),
            usage: used(&usage),
            extra: chunk,
        }
    }
}

/// The output of a run so far.
#[derive(Debug, Default)]
pub struct Gathered {
    choices: BTreeMap<u32, Choice>,
    /// Maps part names and call ids to the number of their answer; those of the first answer are not listed.
    names: HashMap<String, u32>,
    /// Fields that providers set on whole chunks.
    chunk: Map<String, Value>,
    /// The model that answers in place of the requested one.
    answering: Option<String>,
}

#[derive(Debug, Default)]
struct Choice {
    content: String,
    reasoning: String,
    calls: Vec<Called>,
    sources: Vec<Value>,
    logprobs: Map<String, Value>,
    other: Map<String, Value>,
    reason: Option<String>,
}

#[derive(Debug)]
struct Called {
    id: String,
    name: String,
    /// The raw JSON text, as the model wrote it.
    arguments: String,
}

impl Gathered {
    /// Applies the next event of the run.
    pub fn apply(&mut self, event: &Event) {
        if &*event.kind == "source" {
            if let Some(source) = data::<Source>(event) {
                self.choice(0).sources.push(annotation(&source));
            }
            return;
        }
        // Events of a later version are skipped; the answer does not depend on them.
        if let Some(data) = EventData::read(event) {
            self.take(data);
        }
    }

    fn take(&mut self, data: EventData) {
        match data {
            EventData::Choice { choice, part, call_id } => {
                self.names.extend(part.or(call_id).map(|name| (name, choice)));
            }
            EventData::TextDelta { part, text } => self.choice_named(&part).content.push_str(&text),
            EventData::ReasoningDelta { part, text } => self.choice_named(&part).reasoning.push_str(&text),
            EventData::ToolCallStart { call_id, name, client: true } => {
                let call = Called { id: call_id.clone(), name, arguments: String::new() };
                self.choice_named(&call_id).calls.push(call);
            }
            EventData::ToolCallDelta { call_id, arguments } => {
                self.call(&call_id, |call| call.arguments.push_str(&arguments));
            }
            EventData::ToolCallReady { call_id, arguments, .. } => {
                self.call(&call_id, |call| {
                    if call.arguments.is_empty() {
                        call.arguments = arguments.to_string();
                    }
                });
            }
            EventData::Logprobs { choice, logprobs } => merge(&mut self.choice(choice).logprobs, logprobs),
            EventData::Provider { choice, delta, chunk } => {
                merge(&mut self.choice(choice).other, Value::Object(delta));
                merge(&mut self.chunk, Value::Object(chunk));
            }
            EventData::Answering { model } => self.answering = Some(model),
            EventData::ChoiceEnded { choice, reason } => self.choice(choice).reason = Some(reason),
            EventData::RunReset {} => *self = Self::default(),
            _ => {}
        }
    }

    fn choice(&mut self, choice: u32) -> &mut Choice {
        self.choices.entry(choice).or_default()
    }

    fn choice_named(&mut self, name: &str) -> &mut Choice {
        let choice = self.names.get(name).copied().unwrap_or_default();
        self.choice(choice)
    }

    fn call(&mut self, call_id: &str, change: impl FnOnce(&mut Called)) {
        let call = self.choice_named(call_id).calls.iter_mut().find(|call| call.id == call_id);
        if let Some(call) = call {
            change(call);
        }
    }
}

/// Merges the pieces of a streamed value: strings are concatenated, arrays extended, objects merged recursively, and all other values
/// replaced. The fields in `WHOLE` are sent in full each time, so they are replaced too.
fn merge(into: &mut Map<String, Value>, more: Value) {
    const WHOLE: [&str; 5] = ["service_tier", "system_fingerprint", "id", "type", "name"];
    let Value::Object(more) = more else { return };
    for (name, value) in more {
        match (into.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) if !WHOLE.contains(&name.as_str()) => {
                text.push_str(&more);
            }
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
            (Some(Value::Object(known)), more @ Value::Object(_)) => merge(known, more),
            (Some(_), Value::Null) => {}
            (_, value) => drop(into.insert(name, value)),
        }
    }
}

impl Choice {
    fn into_response(self, index: u32, ended: Option<&str>) -> ChatCompletionChoice {
        let Self { content, reasoning, calls, sources, logprobs, mut other, reason } = self;
        let call = |call: Called| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        };
        let refusal = other.remove("refusal");
        let otherwise = ["function_call", "audio"].iter().any(|form| other.contains_key(*form));
        let silent = content.is_empty() && (!calls.is_empty() || refusal.is_some() || otherwise);
        let mut annotations = sources;
        if let Some(Value::Array(more)) = other.remove("annotations") {
            annotations.extend(more);
        }
        ChatCompletionChoice {
            index,
            message: ChatCompletionMessage {
                role: "assistant",
                content: (!silent).then_some(content),
                refusal,
                reasoning_content: reasoning,
                tool_calls: calls.into_iter().map(call).collect(),
                annotations,
                extra: other,
            },
            logprobs: (!logprobs.is_empty()).then_some(Value::Object(logprobs)),
            finish_reason: finish_reason(reason.as_deref().or(ended)),
        }
    }
}
