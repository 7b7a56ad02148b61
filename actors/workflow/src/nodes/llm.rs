//! The `llm` node: calls a model.

use assist::completion::CONTINUE_INSTRUCTION;
use providers::{ChatMessage, Role};

use super::model::ModelCall;
use super::{NodeError, NodeResult, Task, one};
use crate::graph::LlmConfig;

/// Sends one prompt and returns the answer.
pub(super) async fn run(config: &LlmConfig, task: &Task) -> Result<NodeResult, NodeError> {
    let asking = ModelCall::new(config, task)?;
    let messages = question(&asking, task)?;
    let answer = asking.ask(&messages, Vec::new(), true).await?;
    let said = task.said.clone().unwrap_or_default();
    Ok(NodeResult::with(one("text", said + &answer.text)))
}

/// Returns the prompt. If an earlier attempt was interrupted in the middle of its answer, adds the text of that attempt.
pub(super) fn question(asking: &ModelCall<'_>, task: &Task) -> Result<Vec<ChatMessage>, NodeError> {
    let mut messages = vec![ChatMessage::text(Role::User, task.needed_text("prompt")?)];
    if let Some(said) = task.said.as_ref().filter(|said| !said.is_empty()) {
        messages.push(ChatMessage::text(Role::Assistant, said.clone()));
        if !asking.goes_on() {
            messages.push(ChatMessage::text(Role::User, CONTINUE_INSTRUCTION));
        }
    }
    Ok(messages)
}
