//! The `agent` node: a model that calls tools until it gives its answer.

use assist::toolbox::Toolbox;
use providers::{ChatMessage, Role};
use serde_json::{Value, json};

use super::llm::question;
use super::model::{Answer, ModelCall};
use super::{Fields, NodeError, NodeMessage, NodeResult, Task, tool};
use crate::graph::AgentConfig;

/// Maximum number of characters of a tool result that are logged.
const SHOWN: usize = 2_000;

/// Alternates between calling the model and executing the tool calls that it requests.
pub(super) async fn run(config: &AgentConfig, task: &Task) -> Result<NodeResult, NodeError> {
    let tools = tool::open(task, &config.tools).await?;
    let asking = ModelCall::new(&config.llm, task)?;
    let mut messages = question(&asking, task)?;
    let specs = tools.specs();
    let mut text = task.said.clone().unwrap_or_default();
    let mut calls = Vec::new();
    let most = task.run_context.max_turns.max(1);
    let turns = if config.max_turns == 0 { most } else { config.max_turns.min(most) };
    for _ in 0..turns {
        let answer = asking.ask(&messages, specs.clone(), true).await?;
        text.push_str(&answer.text);
        if answer.calls.is_empty() {
            return Ok(NodeResult::with(Fields::from_iter([
                ("text".into(), text.into()),
                ("calls".into(), calls.into()),
            ])));
        }
        if !answer.text.is_empty() {
            // The text of the next turn begins a new paragraph.
            text.push_str("\n\n");
            task.output_sender.say(NodeMessage::Delta("\n\n".into())).await;
        }
        messages.extend(call(&tools, task, answer, &mut calls).await);
    }
    Err(NodeError::new("max_turns", format!("the model still requested tool calls after {turns} turns")))
}

/// Executes the tool calls. Returns the messages with their results.
async fn call(tools: &Toolbox, task: &Task, answer: Answer, calls: &mut Vec<Value>) -> Vec<ChatMessage> {
    let mut message = ChatMessage::text(Role::Assistant, answer.text);
    let mut results = Vec::with_capacity(answer.calls.len());
    for call in &answer.calls {
        let arguments = match call.arguments.trim() {
            "" => json!({}),
            text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        };
        let result = tools.call(&call.name, &arguments, &task.cancel, &task.ear(&call.name)).await;
        task.bill(tools.take_spent()).await;
        let content = match &result {
            Ok(output) => output.to_string(),
            Err(why) => format!("error: {why}"),
        };
        let shown: String = content.chars().take(SHOWN).collect();
        task.output_sender.say(NodeMessage::Log(format!("{}({arguments}) -> {shown}", call.name))).await;
        let (output, error) = (result.as_ref().ok(), result.as_ref().err().map(ToString::to_string));
        calls.push(json!({"name": call.name, "arguments": arguments, "output": output, "error": error}));
        results.push(ChatMessage::tool_result(call.call_id.clone(), content));
    }
    message.tool_calls = answer.calls;
    std::iter::once(message).chain(results).collect()
}
