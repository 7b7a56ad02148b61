//! The answer itself: model calls with tool calls in between.

use futures::StreamExt;
use providers::{
    ChatDelta, ChatMessage, ChatRequest, ChatStream, FinishReason, Model, ProviderError, ProviderErrorKind,
    Role, ToolCall,
};
use serde_json::Value;
use storage::records::Usage;

use super::prompt::{self, Prompt};
use super::title;
use super::transcript::Transcript;
use crate::event::EventData;
use crate::journal::WriteError;
use crate::library::Vectors;
use crate::supervise::{Ending, Work};
use crate::toolbox::Toolbox;

/// How a model call ended.
enum Turn {
    Finished(FinishReason, Vec<Call>),
    Cancelled,
    Failed(ProviderError),
}

/// A tool call as the model wrote it.
struct Call {
    index: u32,
    call_id: String,
    name: String,
    arguments: String,
}

/// Answers, from where `so_far` stands.
pub(super) async fn answer(work: &Work, so_far: Transcript) -> Result<Ending, WriteError> {
    let prompt = tokio::select! {
        biased;
        () = work.cancel.cancelled() => return Ok(Ending::Cancelled),
        prompt = prompt::assemble(work, &so_far) => prompt,
    };
    let prompt = match prompt {
        Ok(prompt) => prompt,
        Err(ending) => return Ok(ending),
    };
    let Prompt { model, mut request, parent_id, tools, sources, question } = prompt;
    let input_estimate = request.input_chars().div_ceil(4);
    let mut begun = None;
    if !so_far.started {
        let (model, message_id) = (model.info.id.clone(), work.run.message_id);
        let first = EventData::RunStarted { model, message_id, parent_id, input_estimate };
        begun = Some(work.begin(first)?);
    }
    if let Some(title) = question.as_deref().and_then(title::title_of) {
        work.writer.push(EventData::Title { title })?;
    }
    let told = sources.events();
    if !told.is_empty() {
        work.writer.push_all(told)?;
    }
    let mut voice = Voice::new(work, so_far);
    for _ in 0..work.max_turns {
        let (said, turn) = voice.turn(&model, request.clone()).await?;
        if let Some(begun) = begun.take() {
            begun.verdict().await.map_err(|_| WriteError)?;
        }
        match turn {
            Turn::Cancelled => return Ok(Ending::Cancelled),
            Turn::Failed(why) => return Ok(failure(&why)),
            Turn::Finished(reason, calls) if calls.is_empty() => return Ok(finished(reason)),
            Turn::Finished(_, calls) => {
                let Some(results) = voice.call_tools(&tools, said, calls).await? else {
                    return Ok(Ending::Cancelled);
                };
                request.messages.extend(results);
            }
        }
    }
    Ok(Ending::Succeeded { reason: Some("max_turns".into()) })
}

fn finished(reason: FinishReason) -> Ending {
    let reason = match reason {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("length".into()),
        FinishReason::ContentFilter => Some("content_filter".into()),
        FinishReason::Other(other) => Some(other),
    };
    Ending::Succeeded { reason }
}

fn failure(why: &ProviderError) -> Ending {
    Ending::failed(code_of(why), why.message.clone())
}

/// The stable code of a provider's failure.
pub(crate) fn code_of(why: &ProviderError) -> &'static str {
    match why.kind {
        ProviderErrorKind::Timeout => "upstream_timeout",
        ProviderErrorKind::Connect => "upstream_unreachable",
        ProviderErrorKind::Status(_) => "upstream_error",
        ProviderErrorKind::RateLimited { .. } => "upstream_rate_limited",
        ProviderErrorKind::Protocol => "upstream_protocol",
        ProviderErrorKind::Refused => "upstream_refused",
        ProviderErrorKind::Auth => "upstream_auth",
    }
}

/// Turns what models say into events, and keeps parts open and shut as readers expect them.
struct Voice<'a> {
    work: &'a Work,
    open_text: Option<String>,
    open_reasoning: Option<String>,
    named: u32,
    call_ids: std::collections::HashSet<String>,
}

impl<'a> Voice<'a> {
    fn new(work: &'a Work, so_far: Transcript) -> Self {
        Self {
            work,
            open_text: so_far.open_text.map(|(part, _)| part),
            open_reasoning: so_far.open_reasoning.map(|(part, _)| part),
            named: so_far.parts_named,
            call_ids: so_far.call_ids,
        }
    }

    /// One model call: what it said as text, and how it ended.
    async fn turn(&mut self, model: &Model, request: ChatRequest) -> Result<(String, Turn), WriteError> {
        let cancelled = self.work.cancel.cancelled();
        tokio::pin!(cancelled);
        // Dropping the call, or its stream, closes the connection to the provider.
        let stream = tokio::select! {
            biased;
            () = &mut cancelled => return Ok((String::new(), Turn::Cancelled)),
            stream = model.chat.stream(request) => stream,
        };
        let mut stream: ChatStream = match stream {
            Ok(stream) => stream,
            Err(why) => return Ok((String::new(), Turn::Failed(why))),
        };
        let (mut said, mut calls) = (String::new(), Vec::new());
        loop {
            let delta = tokio::select! {
                biased;
                () = &mut cancelled => return Ok((said, Turn::Cancelled)),
                delta = stream.next() => delta,
            };
            match delta {
                Some(Ok(ChatDelta::Finish(reason))) => {
                    self.shut()?;
                    self.ready(&calls)?;
                    return Ok((said, Turn::Finished(reason, calls)));
                }
                Some(Ok(delta)) => self.say(model, delta, &mut said, &mut calls)?,
                Some(Err(why)) => return Ok((said, Turn::Failed(why))),
                None => {
                    let why = "the provider's answer ended early".to_owned();
                    let kind = ProviderErrorKind::Protocol;
                    return Ok((said, Turn::Failed(ProviderError { kind, message: why })));
                }
            }
            self.work.writer.room().await;
        }
    }

    fn say(
        &mut self,
        model: &Model,
        delta: ChatDelta,
        said: &mut String,
        calls: &mut Vec<Call>,
    ) -> Result<(), WriteError> {
        match delta {
            ChatDelta::Text(text) => {
                said.push_str(&text);
                let part = self.text_part()?;
                self.push(EventData::TextDelta { part, text })
            }
            ChatDelta::Reasoning(text) => {
                let part = self.reasoning_part()?;
                self.push(EventData::ReasoningDelta { part, text })
            }
            ChatDelta::ToolCallStart { index, call_id, name } => {
                self.shut()?;
                let call_id = self.unique(call_id);
                let call =
                    Call { index, call_id: call_id.clone(), name: name.clone(), arguments: String::new() };
                calls.push(call);
                self.push(EventData::ToolCallStart { call_id, name })
            }
            ChatDelta::ToolCallArguments { index, delta } => {
                let Some(call) = calls.iter_mut().find(|call| call.index == index) else {
                    return Ok(());
                };
                call.arguments.push_str(&delta);
                let call_id = call.call_id.clone();
                self.push(EventData::ToolCallDelta { call_id, arguments: delta })
            }
            ChatDelta::Source { url, document_id, title, snippet } => {
                let document_id = document_id.and_then(|id| id.parse().ok());
                self.push(EventData::Source { url, document_id, title, snippet, place: None })
            }
            ChatDelta::Usage(used) => {
                let cost_nanos = model.info.prices.cost_nanos(&used);
                self.push(EventData::Usage {
                    usage: usage(&used),
                    cost_nanos,
                    estimated: used.estimated,
                    model: None,
                })
            }
            ChatDelta::Finish(_) => Ok(()),
        }
    }

    fn text_part(&mut self) -> Result<String, WriteError> {
        if let Some(part) = self.open_reasoning.take() {
            self.push(EventData::ReasoningEnd { part })?;
        }
        if let Some(part) = &self.open_text {
            return Ok(part.clone());
        }
        let part = self.name();
        self.push(EventData::TextStart { part: part.clone() })?;
        self.open_text = Some(part.clone());
        Ok(part)
    }

    fn reasoning_part(&mut self) -> Result<String, WriteError> {
        if let Some(part) = self.open_text.take() {
            self.push(EventData::TextEnd { part })?;
        }
        if let Some(part) = &self.open_reasoning {
            return Ok(part.clone());
        }
        let part = self.name();
        self.push(EventData::ReasoningStart { part: part.clone() })?;
        self.open_reasoning = Some(part.clone());
        Ok(part)
    }

    /// Ends the part that is open.
    fn shut(&mut self) -> Result<(), WriteError> {
        if let Some(part) = self.open_reasoning.take() {
            self.push(EventData::ReasoningEnd { part })?;
        }
        if let Some(part) = self.open_text.take() {
            self.push(EventData::TextEnd { part })?;
        }
        Ok(())
    }

    fn ready(&self, calls: &[Call]) -> Result<(), WriteError> {
        for call in calls {
            let (call_id, name) = (call.call_id.clone(), call.name.clone());
            self.push(EventData::ToolCallReady { call_id, name, arguments: arguments(call) })?;
        }
        Ok(())
    }

    /// Calls the tools and gives the messages that tell the model of it; none where the run was told to
    /// stop meanwhile.
    async fn call_tools(
        &self,
        tools: &Toolbox,
        said: String,
        calls: Vec<Call>,
    ) -> Result<Option<Vec<ChatMessage>>, WriteError> {
        let mut asked = ChatMessage::text(Role::Assistant, said);
        let mut results = Vec::with_capacity(calls.len());
        for call in &calls {
            let arguments = arguments(call);
            let result = tokio::select! {
                biased;
                () = self.work.cancel.cancelled() => None,
                result = tools.call(&call.name, &arguments, &self.work.cancel) => Some(result),
            };
            for bill in tools.spent().iter().filter_map(Vectors::bill) {
                self.push(bill)?;
            }
            let Some(result) = result else { return Ok(None) };
            let text = match &result {
                Ok(output) => output.to_string(),
                Err(why) => format!("error: {why}"),
            };
            results.push(ChatMessage::tool_result(call.call_id.clone(), text));
            let (output, error) = (result.clone().ok(), result.err());
            self.push(EventData::ToolResult { call_id: call.call_id.clone(), output, error })?;
        }
        let tool_call =
            |call: Call| ToolCall { call_id: call.call_id, name: call.name, arguments: call.arguments };
        asked.tool_calls = calls.into_iter().map(tool_call).collect();
        Ok(Some(std::iter::once(asked).chain(results).collect()))
    }

    fn name(&mut self) -> String {
        self.named += 1;
        self.named.to_string()
    }

    /// Some servers count their calls anew in every turn.
    fn unique(&mut self, call_id: String) -> String {
        let mut unique = call_id.clone();
        let mut n = 1;
        while unique.is_empty() || !self.call_ids.insert(unique.clone()) {
            n += 1;
            unique = format!("{call_id}-{n}");
        }
        unique
    }

    fn push(&self, event: EventData) -> Result<(), WriteError> {
        self.work.writer.push(event)
    }
}

fn arguments(call: &Call) -> Value {
    match call.arguments.trim() {
        "" => Value::Object(Default::default()),
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// A provider's count in the form in which it is kept.
pub(crate) fn usage(used: &providers::Usage) -> Usage {
    Usage {
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
        cached_tokens: used.cached_tokens,
        reasoning_tokens: used.reasoning_tokens,
    }
}
