//! Writes a model's output as events: opens and closes parts as readers expect them.

use std::collections::HashSet;
use std::future::poll_fn;
use std::task::Poll;

use providers::{ChatDelta, ChatRequest, ChatStream, FinishReason, Model, ProviderError, ProviderErrorKind};
use runs::{EventData, WriteError};
use serde_json::{Map, Value};
use storage::records::Source;

use super::bill::of_choice;
use super::transcript::Transcript;
use crate::billing::usage;
use crate::run_context::RunWork;

/// Key of the reasoning data that a provider requires in the next request.
const THOUGHTS: &str = providers::THOUGHTS;

/// Maximum size of one answer in bytes: a provider whose output does not end must not fill the disk.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Size of a delta in bytes.
fn length(delta: &ChatDelta) -> usize {
    match delta {
        ChatDelta::Text(text) | ChatDelta::Reasoning(text) => text.len(),
        ChatDelta::ToolCallArguments { delta, .. } => delta.len(),
        // Small events whose number the provider controls; their envelopes are as large as their content.
        _ => 256,
    }
}

/// How a model call ended.
pub(super) enum Turn {
    Finished(FinishReason, Vec<Call>),
    Cancelled,
    Failed(ProviderError),
}

/// A tool call as the model wrote it.
pub(super) struct Call {
    index: u32,
    pub call_id: String,
    pub name: String,
    pub arguments: String,
}

impl Call {
    /// The arguments as JSON; a string if the model did not write valid JSON.
    pub fn arguments(&self) -> Value {
        match self.arguments.trim() {
            "" => Value::Object(Default::default()),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        }
    }
}

/// Writes one answer to the journal.
pub(super) struct DeltaWriter<'a> {
    pub work: &'a RunWork,
    /// Index among several answers, from 0.
    pub choice: u32,
    /// Names of the tools that the client executes.
    pub of_client: &'a HashSet<String>,
    open_text: Option<String>,
    open_reasoning: Option<String>,
    named: u32,
    call_ids: HashSet<String>,
    /// Reasoning data of this turn that the provider requires in the next request, if tools are called.
    thoughts: Vec<Value>,
    /// Total size of the output in bytes.
    bytes: usize,
}

impl<'a> DeltaWriter<'a> {
    /// Creates the writer of an answer that continues from `so_far`.
    pub fn new(work: &'a RunWork, so_far: Transcript, of_client: &'a HashSet<String>) -> Self {
        Self {
            work,
            choice: 0,
            of_client,
            open_text: so_far.open_text.map(|(part, _)| part),
            open_reasoning: so_far.open_reasoning.map(|(part, _)| part),
            named: so_far.parts_named,
            call_ids: so_far.call_ids,
            thoughts: Vec::new(),
            bytes: 0,
        }
    }

    /// Creates the writer of one of several answers.
    pub fn of_choice(work: &'a RunWork, choice: u32, of_client: &'a HashSet<String>) -> Self {
        Self { choice, ..Self::new(work, Transcript::default(), of_client) }
    }

    /// Performs one model call. Returns its text and how it ended.
    pub async fn turn(&mut self, model: &Model, request: ChatRequest) -> Result<(String, Turn), WriteError> {
        let cancelled = self.work.cancel.cancelled();
        tokio::pin!(cancelled);
        // Dropping the call or its stream closes the connection to the provider.
        let call = Box::pin(model.stream(request));
        let stream = tokio::select! {
            biased;
            () = &mut cancelled => return Ok((String::new(), Turn::Cancelled)),
            stream = call => stream,
        };
        let mut stream: ChatStream = match stream {
            Ok(stream) => stream,
            Err(why) => return Ok((String::new(), Turn::Failed(why))),
        };
        let (mut said, mut calls) = (String::new(), Vec::new());
        self.thoughts.clear();
        loop {
            // The stream is polled first because that is what usually wakes the task. The cancel is waited for only when
            // there is no delta, and is merely checked otherwise.
            let next = poll_fn(|cx| match stream.as_mut().poll_next(cx) {
                Poll::Ready(_) if self.work.cancel.is_cancelled() => Poll::Ready(None),
                Poll::Ready(delta) => Poll::Ready(Some(delta)),
                Poll::Pending => cancelled.as_mut().poll(cx).map(|()| None),
            });
            let Some(delta) = next.await else { return Ok((said, Turn::Cancelled)) };
            match delta {
                Some(Ok(ChatDelta::Finish(reason))) => {
                    self.close_part()?;
                    self.ready(&calls)?;
                    return Ok((said, Turn::Finished(reason, calls)));
                }
                Some(Ok(delta)) => {
                    self.bytes += length(&delta);
                    self.write_delta(model, delta, &mut said, &mut calls)?;
                    if self.bytes > MAX_ANSWER_BYTES {
                        let why = format!("the answer is longer than {MAX_ANSWER_BYTES} bytes");
                        let why = ProviderError::new(ProviderErrorKind::Protocol, why);
                        return Ok((said, Turn::Failed(why)));
                    }
                }
                Some(Err(why)) => return Ok((said, Turn::Failed(why))),
                None => {
                    let why = "the provider's answer ended early".to_owned();
                    let kind = ProviderErrorKind::Protocol;
                    return Ok((said, Turn::Failed(ProviderError::new(kind, why))));
                }
            }
            if !self.work.writer.has_room() {
                self.work.writer.room().await;
            }
        }
    }

    fn write_delta(
        &mut self,
        model: &Model,
        delta: ChatDelta,
        said: &mut String,
        calls: &mut Vec<Call>,
    ) -> Result<(), WriteError> {
        let choice = self.choice;
        let delta = match delta.refusal() {
            // A stored message has no field for a refusal.
            Some(refusal) if self.work.run.conversation_id.is_some() => ChatDelta::Text(refusal.to_owned()),
            _ => delta,
        };
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
            ChatDelta::ToolCallStart { index, call_id, name } => self.call(index, call_id, name, calls),
            ChatDelta::ToolCallArguments { index, delta } => {
                let Some(call) = calls.iter_mut().find(|call| call.index == index) else {
                    return Ok(());
                };
                call.arguments.push_str(&delta);
                let call_id = call.call_id.clone();
                self.push(EventData::ToolCallDelta { call_id, arguments: delta })
            }
            ChatDelta::Source { url, title, snippet } => {
                self.push(EventData::Source(Source { url, title, snippet, ..Source::default() }))
            }
            ChatDelta::Answering { model } => self.push_of_choice(EventData::Answering { model }),
            ChatDelta::Logprobs(logprobs) => self.push(EventData::Logprobs { choice, logprobs }),
            ChatDelta::Other { delta, chunk } => {
                let thoughts = delta.get(THOUGHTS).and_then(Value::as_array);
                self.thoughts.extend(thoughts.into_iter().flatten().cloned());
                self.push(EventData::Provider { choice, delta, chunk })
            }
            ChatDelta::Usage(used) => {
                let cost_nanos = model.info.prices.cost_nanos(&used);
                self.push_of_choice(EventData::Usage {
                    usage: usage(&used),
                    cost_nanos,
                    estimated: used.estimated,
                    model: None,
                })
            }
            ChatDelta::Finish(_) => Ok(()),
        }
    }

    fn call(
        &mut self,
        index: u32,
        call_id: String,
        name: String,
        calls: &mut Vec<Call>,
    ) -> Result<(), WriteError> {
        self.close_part()?;
        let call_id = self.unique(call_id);
        let arguments = String::new();
        calls.push(Call { index, call_id: call_id.clone(), name: name.clone(), arguments });
        self.choose(None, Some(&call_id))?;
        let client = self.of_client.contains(&name);
        self.push(EventData::ToolCallStart { call_id, name, client })
    }

    fn text_part(&mut self) -> Result<String, WriteError> {
        if let Some(part) = self.open_reasoning.take() {
            self.push(EventData::ReasoningEnd { part })?;
        }
        if let Some(part) = &self.open_text {
            return Ok(part.clone());
        }
        let part = self.name();
        self.choose(Some(&part), None)?;
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
        self.choose(Some(&part), None)?;
        self.push(EventData::ReasoningStart { part: part.clone() })?;
        self.open_reasoning = Some(part.clone());
        Ok(part)
    }

    /// Writes which answer the next part or call belongs to; nothing for the first answer.
    fn choose(&self, part: Option<&str>, call_id: Option<&str>) -> Result<(), WriteError> {
        if self.choice == 0 {
            return Ok(());
        }
        let (part, call_id) = (part.map(str::to_owned), call_id.map(str::to_owned));
        self.push(EventData::Choice { choice: self.choice, part, call_id })
    }

    /// Closes the part that is open.
    fn close_part(&mut self) -> Result<(), WriteError> {
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
            self.push(EventData::ToolCallReady { call_id, name, arguments: call.arguments() })?;
        }
        Ok(())
    }

    /// Returns a part name that is unique in the run.
    fn name(&mut self) -> String {
        self.named += 1;
        match self.choice {
            0 => self.named.to_string(),
            choice => format!("{choice}.{}", self.named),
        }
    }

    /// Makes a call ID unique: some servers restart their numbering in every turn, and several answers may use the same
    /// IDs.
    fn unique(&mut self, call_id: String) -> String {
        let call_id = match self.choice {
            0 => call_id,
            choice => format!("{call_id}.{choice}"),
        };
        let mut unique = call_id.clone();
        let mut n = 1;
        while unique.is_empty() || !self.call_ids.insert(unique.clone()) {
            n += 1;
            unique = format!("{call_id}-{n}");
        }
        unique
    }

    /// Returns the reasoning data to send back to the provider together with the results of its tool calls.
    pub fn kept_thoughts(&mut self) -> Map<String, Value> {
        let thoughts = std::mem::take(&mut self.thoughts);
        let entry = (!thoughts.is_empty()).then(|| (THOUGHTS.to_owned(), Value::Array(thoughts)));
        entry.into_iter().collect()
    }

    /// Writes an event that belongs to this answer as a whole.
    fn push_of_choice(&self, event: EventData) -> Result<(), WriteError> {
        let events = of_choice(self.choice).into_iter().chain([event]);
        self.work.writer.push_all(events.map(Into::into).collect())
    }

    /// Writes an event.
    pub fn push(&self, event: EventData) -> Result<(), WriteError> {
        self.work.writer.push(event)
    }
}
