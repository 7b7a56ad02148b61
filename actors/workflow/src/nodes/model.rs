//! Calls models on behalf of nodes.

use std::sync::Arc;

use assist::BilledModel;
use assist::billing::usage;
use assist::offer::ModelAccess;
use futures::StreamExt;
use providers::{
    ChatDelta, ChatMessage, ChatRequest, FinishReason, Model, ProviderError, ProviderErrorKind, Role,
    ToolCall, ToolSpec,
};
use serde_json::{Map, Value};
use storage::records::Assistant;

use super::{NodeError, NodeMessage, Task};
use crate::graph::LlmConfig;

/// A model, and the parameters and instructions for calling it.
pub(super) struct ModelCall<'a> {
    task: &'a Task,
    pub model: Arc<Model>,
    parameters: Map<String, Value>,
    /// The system message, if there is one.
    pub system: Option<String>,
}

pub(super) struct Answer {
    pub text: String,
    pub calls: Vec<ToolCall>,
}

impl<'a> ModelCall<'a> {
    /// Finds the model and builds the system message: the assistant's instructions, if the node uses them, followed by the node's
    /// own.
    pub(super) fn new(config: &LlmConfig, task: &'a Task) -> Result<Self, NodeError> {
        let name = config.model.as_ref().unwrap_or(&task.model);
        let model = offer(task)?.find(name);
        let model =
            model.ok_or_else(|| NodeError::new("not_found", format!("there is no model {name:?}")))?;
        let assistant = assistant(task)?;
        let (instructions, mut parameters) = match assistant {
            Some(assistant) => (assistant.system_prompt, assistant.model_parameters),
            None => Default::default(),
        };
        parameters.extend(config.parameters.clone());
        // Only the node decides which tools may be called.
        parameters.remove("tool_choice");
        let instructions = config.use_instructions.then_some(instructions);
        let sections = [instructions, task.text("system")];
        let sections = sections.iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty());
        let system = sections.collect::<Vec<_>>().join("\n\n");
        Ok(Self { task, model, parameters, system: Some(system).filter(|system| !system.is_empty()) })
    }

    /// Appends text to the system message.
    pub(super) fn instruct(&mut self, more: &str) {
        self.system = Some(match self.system.take() {
            Some(system) => format!("{system}\n\n{more}"),
            None => more.to_owned(),
        });
    }

    /// Sets a parameter, overriding the assistant and the node.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.parameters.insert(name.to_owned(), value);
    }

    /// Whether the model can continue from the middle of its own answer.
    pub(super) fn goes_on(&self) -> bool {
        self.model.info.capability_tags.iter().any(|tag| tag == "prefill")
    }

    /// Calls the model. If `aloud` is set, the text is reported while it is generated.
    pub(super) async fn ask(
        &self,
        messages: &[ChatMessage],
        tools: Vec<ToolSpec>,
        aloud: bool,
    ) -> Result<Answer, NodeError> {
        let offer = offer(self.task)?;
        offer.within_budget()?;
        let above = self.system.iter().map(|system| ChatMessage::text(Role::System, system.clone()));
        let request = ChatRequest {
            model: self.model.upstream_id.clone(),
            messages: above.chain(messages.iter().cloned()).collect(),
            tools,
            tool_choice: None,
            parameters: self.parameters.clone(),
            keys: offer.keys(),
        };
        let call = Call {
            task: self.task,
            model: &self.model,
            by: BilledModel::new(&self.model),
            aloud,
            input_chars: request.input_chars(),
            output_chars: 0,
            reasoning_chars: 0,
            text: String::new(),
            calls: Vec::new(),
        };
        // Dropping the call closes the connection to the provider and reports the usage so far.
        tokio::select! {
            biased;
            () = self.task.cancel.cancelled() => Err(NodeError::new("cancelled", "the attempt was ended")),
            answer = call.answer(request) => answer,
        }
    }
}

/// Returns the models that the user may use now. This is read for each call, because a run may take days.
fn offer(task: &Task) -> Result<ModelAccess, NodeError> {
    let models = &task.run_context.models;
    let read =
        task.run_context.store.read_now(|reader| ModelAccess::read(reader, models, task.tenant, task.user));
    read.map_err(|why| NodeError::new("storage", why.to_string()))
}

/// Returns the run's assistant, if it has one.
fn assistant(task: &Task) -> Result<Option<Assistant>, NodeError> {
    let Some(id) = task.assistant_id else { return Ok(None) };
    let found = task.run_context.store.read_now(|reader| reader.get::<Assistant>(task.tenant, &id));
    let found = found.map_err(|why: storage::Error| NodeError::new("storage", why.to_string()))?;
    Ok(found.map(|row| row.body))
}

struct Call<'a> {
    task: &'a Task,
    model: &'a Model,
    /// The model that answers, which may be a fallback.
    by: BilledModel,
    aloud: bool,
    input_chars: u64,
    /// Number of characters for which no usage has been reported.
    output_chars: u64,
    reasoning_chars: u64,
    text: String,
    calls: Vec<(u32, ToolCall)>,
}

impl Call<'_> {
    async fn answer(mut self, request: ChatRequest) -> Result<Answer, NodeError> {
        let mut stream = self.model.stream(request).await.map_err(|why| failure(&why))?;
        while let Some(delta) = stream.next().await {
            match delta.map_err(|why| failure(&why))? {
                ChatDelta::Finish(reason) => {
                    self.tell_reason(reason).await;
                    let calls = std::mem::take(&mut self.calls).into_iter().map(|(_, call)| call).collect();
                    return Ok(Answer { text: std::mem::take(&mut self.text), calls });
                }
                delta => self.apply(delta).await,
            }
        }
        let why = ProviderError::new(ProviderErrorKind::Protocol, "the provider's answer ended early");
        Err(failure(&why))
    }

    async fn apply(&mut self, delta: ChatDelta) {
        // A refusal is treated as the model's text.
        let delta = delta.refusal().map(|refusal| ChatDelta::Text(refusal.to_owned())).unwrap_or(delta);
        match delta {
            ChatDelta::Text(text) => {
                self.output_chars += text.chars().count() as u64;
                self.text.push_str(&text);
                if self.aloud {
                    self.task.output_sender.say(NodeMessage::Delta(text)).await;
                }
            }
            ChatDelta::Reasoning(text) => self.reasoning_chars += text.chars().count() as u64,
            ChatDelta::ToolCallStart { index, call_id, name } => {
                self.calls.push((index, ToolCall { call_id, name, arguments: String::new() }));
            }
            ChatDelta::ToolCallArguments { index, delta } => {
                self.output_chars += delta.chars().count() as u64;
                if let Some((_, call)) = self.calls.iter_mut().find(|(at, _)| *at == index) {
                    call.arguments.push_str(&delta);
                }
            }
            ChatDelta::Usage(used) => {
                (self.output_chars, self.reasoning_chars) = (0, 0);
                self.task.output_sender.say(usage_message(&self.by, &used)).await;
            }
            ChatDelta::Answering { model } => {
                self.by = BilledModel::named(&self.task.run_context.models, &model);
                self.task.output_sender.say(NodeMessage::Answering(self.by.model.clone())).await;
            }
            ChatDelta::Source { .. }
            | ChatDelta::Logprobs(_)
            | ChatDelta::Other { .. }
            | ChatDelta::Finish(_) => {}
        }
    }

    async fn tell_reason(&self, reason: FinishReason) {
        let line = match reason {
            FinishReason::Stop | FinishReason::ToolCalls => return,
            FinishReason::Length => "the model's answer was cut off at its maximum length".to_owned(),
            FinishReason::ContentFilter => "the provider withheld the rest of the answer".to_owned(),
            FinishReason::Other(reason) => format!("the model stopped with the reason {reason:?}"),
        };
        self.task.output_sender.say(NodeMessage::Log(line)).await;
    }
}

impl Drop for Call<'_> {
    /// Bills model output without reported usage by estimate.
    fn drop(&mut self) {
        if self.output_chars + self.reasoning_chars > 0 {
            let owed = providers::Usage::estimate(self.input_chars, self.output_chars, self.reasoning_chars);
            self.task.output_sender.send_without_waiting(usage_message(&self.by, &owed));
        }
    }
}

fn usage_message(by: &BilledModel, used: &providers::Usage) -> NodeMessage {
    NodeMessage::Usage {
        model: by.model.clone(),
        usage: usage(used),
        cost_nanos: by.cost_nanos(used),
        estimated: used.estimated,
    }
}

/// Converts a provider error to the error of a node.
fn failure(why: &ProviderError) -> NodeError {
    let mut error = NodeError::new(why.stable_code(), why.message.clone());
    error.provider_code.clone_from(&why.code);
    match why.kind {
        ProviderErrorKind::Status(status) => error.status = Some(status),
        ProviderErrorKind::RateLimited { retry_after } => {
            error.status = Some(429);
            error.retry_after = retry_after;
        }
        _ => {}
    }
    error
}
