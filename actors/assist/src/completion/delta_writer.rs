//! What a model says, as events: parts open and shut as readers expect them.

use std::collections::HashSet;

use futures::StreamExt;
use providers::{ChatDelta, ChatRequest, ChatStream, FinishReason, Model, ProviderError, ProviderErrorKind};
use runs::{EventData, WriteError};
use serde_json::{Map, Value};
use storage::records::Source;

use super::bill::of_choice;
use super::transcript::Transcript;
use crate::billing::usage;
use crate::run_context::RunWork;

/// Where providers tell what they want to see again of a model's thoughts.
const THOUGHTS: &str = providers::THOUGHTS;

/// Bytes that one answer may have: a provider that does not come to an end must not fill the disk.
const LONGEST: usize = 32 << 20;

/// Bytes that a piece of an answer takes.
fn length(delta: &ChatDelta) -> usize {
    match delta {
        ChatDelta::Text(text) | ChatDelta::Reasoning(text) => text.len(),
        ChatDelta::ToolCallArguments { delta, .. } => delta.len(),
        // Their names weigh as much as they do; there are as many of them as the provider likes.
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
    /// The arguments as JSON; a string where the model wrote none.
    pub fn arguments(&self) -> Value {
        match self.arguments.trim() {
            "" => Value::Object(Default::default()),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        }
    }
}

/// One answer on its way into the journal.
pub(super) struct DeltaWriter<'a> {
    pub work: &'a RunWork,
    /// Which of several answers it is, from 0.
    pub choice: u32,
    /// Names of the tools that the client calls.
    pub of_client: &'a HashSet<String>,
    open_text: Option<String>,
    open_reasoning: Option<String>,
    named: u32,
    call_ids: HashSet<String>,
    /// What the provider wants to see again of this turn's thoughts, should tools be called.
    thoughts: Vec<Value>,
    /// Bytes of all that was said.
    bytes: usize,
}

impl<'a> DeltaWriter<'a> {
    /// The voice of an answer that goes on from `so_far`.
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

    /// The voice of one of several answers.
    pub fn of_choice(work: &'a RunWork, choice: u32, of_client: &'a HashSet<String>) -> Self {
        Self { choice, ..Self::new(work, Transcript::default(), of_client) }
    }

    /// One model call: what it said as text, and how it ended.
    pub async fn turn(&mut self, model: &Model, request: ChatRequest) -> Result<(String, Turn), WriteError> {
        let cancelled = self.work.cancel.cancelled();
        tokio::pin!(cancelled);
        // Dropping the call, or its stream, closes the connection to the provider.
        let stream = tokio::select! {
            biased;
            () = &mut cancelled => return Ok((String::new(), Turn::Cancelled)),
            stream = model.stream(request) => stream,
        };
        let mut stream: ChatStream = match stream {
            Ok(stream) => stream,
            Err(why) => return Ok((String::new(), Turn::Failed(why))),
        };
        let (mut said, mut calls) = (String::new(), Vec::new());
        self.thoughts.clear();
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
                Some(Ok(delta)) => {
                    self.bytes += length(&delta);
                    self.say(model, delta, &mut said, &mut calls)?;
                    if self.bytes > LONGEST {
                        let why = format!("the answer is longer than {LONGEST} bytes");
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
        let choice = self.choice;
        let delta = match delta.refusal() {
            // A stored message has no place of its own for what a model refuses.
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
        self.shut()?;
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

    /// Says of which answer the part or call is that opens next; nothing for the first.
    fn choose(&self, part: Option<&str>, call_id: Option<&str>) -> Result<(), WriteError> {
        if self.choice == 0 {
            return Ok(());
        }
        let (part, call_id) = (part.map(str::to_owned), call_id.map(str::to_owned));
        self.push(EventData::Choice { choice: self.choice, part, call_id })
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
            self.push(EventData::ToolCallReady { call_id, name, arguments: call.arguments() })?;
        }
        Ok(())
    }

    /// A name that no other part of the run has.
    fn name(&mut self) -> String {
        self.named += 1;
        match self.choice {
            0 => self.named.to_string(),
            choice => format!("{choice}.{}", self.named),
        }
    }

    /// Some servers number their calls from the start in every turn, and several answers may use the same numbers.
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

    /// What goes back to the provider beside the words of the turn before, when its tools have answered.
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
