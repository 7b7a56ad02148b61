//! Makes one call of the model and streams it to the journal.

use std::time::Duration;

use assist::billing::usage;
use assist::{BilledModel, RunWork};
use futures::StreamExt;
use providers::{ChatDelta, ChatMessage, ChatRequest, Model, ProviderError, ProviderErrorKind};
use runs::{EventData, WriteError};
use serde_json::{Map, Value};

use super::prompts;

/// Time limit of a model for one draft.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum size of an answer, in bytes. A longer answer is unlikely to be usable.
const MAX_ANSWER_BYTES: usize = 512 << 10;

/// Builds the request for a draft.
pub(super) fn request(model: &Model, messages: &[ChatMessage]) -> ChatRequest {
    ChatRequest {
        model: model.upstream_id.clone(),
        messages: messages.to_vec(),
        parameters: Map::from_iter([("response_format".to_owned(), prompts::format())]),
        ..ChatRequest::default()
    }
}

/// Asks the model for a draft and returns the whole answer. `name` must be unique among the calls of the run, because the parts
/// are named after it.
pub(super) async fn ask(
    work: &RunWork,
    model: &Model,
    request: ChatRequest,
    name: &str,
) -> Result<Result<String, ProviderError>, WriteError> {
    let mut writer = DeltaWriter {
        work,
        model,
        by: BilledModel::new(model),
        name,
        parts: 0,
        text: String::new(),
        open: Open::Nothing,
    };
    let answer = match tokio::time::timeout(TIMEOUT, writer.receive(request)).await {
        Ok(heard) => heard?,
        Err(_) => {
            let why = "the model took too long to write the skill";
            Err(ProviderError::new(ProviderErrorKind::Timeout, why))
        }
    };
    writer.close_part()?;
    Ok(answer.map(|()| writer.text))
}

/// Whether a provider may have refused the request because it does not support a response format.
pub(super) fn may_lack_response_format(why: &ProviderError, request: &ChatRequest) -> bool {
    let refused = matches!(why.kind, ProviderErrorKind::Refused | ProviderErrorKind::Status(400..=499));
    refused && request.parameters.get("response_format").is_some_and(Value::is_object)
}

#[derive(PartialEq)]
enum Open {
    Nothing,
    Text,
    Reasoning,
}

struct DeltaWriter<'a> {
    work: &'a RunWork,
    model: &'a Model,
    /// The model that answers, which may be a fallback.
    by: BilledModel,
    name: &'a str,
    /// Number of parts that have been opened.
    parts: u32,
    text: String,
    open: Open,
}

impl DeltaWriter<'_> {
    async fn receive(&mut self, request: ChatRequest) -> Result<Result<(), ProviderError>, WriteError> {
        let mut stream = match self.model.stream(request).await {
            Ok(stream) => stream,
            Err(why) => return Ok(Err(why)),
        };
        while let Some(delta) = stream.next().await {
            match delta {
                Ok(ChatDelta::Finish(_)) => return Ok(Ok(())),
                Ok(delta) => self.write(delta)?,
                Err(why) => return Ok(Err(why)),
            }
            if self.text.len() > MAX_ANSWER_BYTES {
                let why = "the model's answer with the skill is too long";
                return Ok(Err(ProviderError::new(ProviderErrorKind::Protocol, why)));
            }
            self.work.writer.room().await;
        }
        let why = "the provider's answer ended early";
        Ok(Err(ProviderError::new(ProviderErrorKind::Protocol, why)))
    }

    fn write(&mut self, delta: ChatDelta) -> Result<(), WriteError> {
        match delta {
            ChatDelta::Text(text) => {
                self.text.push_str(&text);
                if self.open != Open::Text {
                    self.next()?;
                    self.work.writer.push(EventData::TextStart { part: self.part() })?;
                    self.open = Open::Text;
                }
                self.work.writer.push(EventData::TextDelta { part: self.part(), text })
            }
            ChatDelta::Reasoning(text) => {
                if self.open != Open::Reasoning {
                    self.next()?;
                    self.work.writer.push(EventData::ReasoningStart { part: self.part() })?;
                    self.open = Open::Reasoning;
                }
                self.work.writer.push(EventData::ReasoningDelta { part: self.part(), text })
            }
            ChatDelta::Usage(used) => self.work.writer.push(EventData::Usage {
                usage: usage(&used),
                cost_nanos: self.by.cost_nanos(&used),
                estimated: used.estimated,
                model: Some(self.by.model.clone()),
            }),
            ChatDelta::Answering { model } => {
                self.by = BilledModel::named(&self.work.run_context.models, &model);
                self.work.writer.push(EventData::Answering { model: self.by.model.clone() })
            }
            _ => Ok(()),
        }
    }

    fn part(&self) -> String {
        format!("{}.{}", self.name, self.parts)
    }

    /// Closes the open part before another part begins.
    fn next(&mut self) -> Result<(), WriteError> {
        self.close_part()?;
        self.parts += 1;
        Ok(())
    }

    /// Closes the part that is open, if any.
    fn close_part(&mut self) -> Result<(), WriteError> {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => Ok(()),
            Open::Text => self.work.writer.push(EventData::TextEnd { part: self.part() }),
            Open::Reasoning => self.work.writer.push(EventData::ReasoningEnd { part: self.part() }),
        }
    }
}
