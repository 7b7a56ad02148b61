//! The answer itself: model calls with tool calls in between.

use futures::future::try_join_all;
use providers::mcp::Progress;
use providers::{ChatMessage, ChatRequest, FinishReason, Model, Role, ToolCall};
use runs::event::tool::{ToolProgress, ToolStarted};
use runs::{EventData, OverBudget, PendingCommit, RunOutcome, WriteError};
use serde_json::{Map, Value};

use super::delta_writer::{Call, DeltaWriter, Turn};
use super::prompt::{self, Prompt};
use super::title;
use super::transcript::Transcript;
use crate::library::Vectors;
use crate::offer::spendable;
use crate::run_context::RunWork;
use crate::toolbox::{CallUpdate, OutgoingCall, Toolbox};
use crate::upstream_error::upstream_error;

/// Finish reason of a run whose model calls tools of the client.
pub(crate) const CALLS_TOOLS: &str = "tool_calls";

/// Generates the answer, starting from `so_far`.
pub(super) async fn answer(work: &RunWork, so_far: Transcript) -> Result<RunOutcome, WriteError> {
    // Boxed, as is everything else that lasts only for a moment, so that its memory is not reserved while the answer arrives.
    let assembled = Box::pin(prompt::assemble(work, &so_far));
    let prompt = tokio::select! {
        biased;
        () = work.cancel.cancelled() => return Ok(RunOutcome::Cancelled),
        prompt = assembled => prompt,
    };
    let prompt = match prompt {
        Ok(prompt) => prompt,
        Err(outcome) => return Ok(outcome),
    };
    let Prompt { model, request, parent_id, tools, sources, memories, question, of_client, choices } = prompt;
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
    for trouble in tools.issues() {
        work.writer.push(EventData::ToolServer(trouble.clone()))?;
    }
    // An answer that continues may be given memories that it was not given before the crash.
    if memories.iter().any(|id| !so_far.memories.contains(id)) {
        work.writer.push(EventData::Memories { memory_ids: memories })?;
    }
    let events = sources.events();
    if !events.is_empty() {
        work.writer.push_all(events)?;
    }
    let exchange = Exchange { model: &model, tools: &tools };
    if choices <= 1 {
        return exchange.answer(request, DeltaWriter::new(work, so_far, &of_client), begun).await;
    }
    if let Some(begun) = begun {
        begun.verdict().await.map_err(|_| WriteError)?;
    }
    let voices = (0..choices).map(|choice| DeltaWriter::of_choice(work, choice, &of_client));
    let one = |writer| exchange.one_of_several(request.clone(), writer);
    let outcomes = try_join_all(voices.map(one)).await?;
    Ok(together(outcomes))
}

/// The outcome of a run with several answers: it succeeds if all of them do.
fn together(outcomes: Vec<RunOutcome>) -> RunOutcome {
    let bad = |outcome: &RunOutcome| !matches!(outcome, RunOutcome::Succeeded { .. });
    let worst = outcomes.iter().position(bad).unwrap_or_default();
    outcomes.into_iter().nth(worst).unwrap_or(RunOutcome::Succeeded { reason: None })
}

/// A model, and the tools that it may call.
struct Exchange<'a> {
    model: &'a Model,
    tools: &'a Toolbox,
}

impl Exchange<'_> {
    async fn one_of_several(
        &self,
        request: ChatRequest,
        writer: DeltaWriter<'_>,
    ) -> Result<RunOutcome, WriteError> {
        let (choice, work) = (writer.choice, writer.work);
        let outcome = self.answer(request, writer, None).await?;
        if let RunOutcome::Succeeded { reason } = &outcome {
            let reason = reason.clone().unwrap_or_else(|| "stop".to_owned());
            work.writer.push(EventData::ChoiceEnded { choice, reason })?;
        }
        Ok(outcome)
    }

    /// Calls the model until it calls no more tools. `begun` is the commit of the run's first event, which need not be
    /// durable before the model is called.
    async fn answer(
        &self,
        mut request: ChatRequest,
        mut writer: DeltaWriter<'_>,
        mut begun: Option<PendingCommit>,
    ) -> Result<RunOutcome, WriteError> {
        for _ in 0..writer.work.max_turns {
            let (said, turn) = writer.turn(self.model, request.clone()).await?;
            if let Some(begun) = begun.take() {
                begun.verdict().await.map_err(|_| WriteError)?;
            }
            match turn {
                Turn::Cancelled => return Ok(RunOutcome::Cancelled),
                Turn::Failed(why) => return Ok(RunOutcome::Failed { error: upstream_error(&why) }),
                Turn::Finished(reason, calls) if calls.is_empty() => return Ok(finished(reason)),
                // The client sends a new request with the results of its tools, and the model repeats the calls of ours
                // if it still needs them.
                Turn::Finished(_, calls)
                    if calls.iter().any(|call| writer.of_client.contains(&call.name)) =>
                {
                    return Ok(RunOutcome::Succeeded { reason: Some(CALLS_TOOLS.into()) });
                }
                Turn::Finished(_, calls) => {
                    let thoughts = writer.kept_thoughts();
                    let results = Box::pin(call_tools(&writer, self.tools, (said, thoughts), calls)).await?;
                    let Some(results) = results else { return Ok(RunOutcome::Cancelled) };
                    request.messages.extend(results);
                    if let Some(outcome) = unaffordable(writer.work) {
                        return Ok(outcome);
                    }
                }
            }
        }
        Ok(RunOutcome::Succeeded { reason: Some("max_turns".into()) })
    }
}

/// The outcome of a run that may not call its model again because other runs have exhausted the budget.
fn unaffordable(work: &RunWork) -> Option<RunOutcome> {
    let (tenant, user) = (work.tenant, work.run.user);
    match work.store.read_now(|reader| spendable(reader, tenant, user)) {
        Ok(Ok(())) => None,
        Ok(Err(over)) => Some(RunOutcome::failed(OverBudget::CODE, over.to_string())),
        Err(why) => Some(RunOutcome::failed("storage", why.to_string())),
    }
}

/// Executes the tool calls. Returns the messages that report them to the model, or `None` if the run was cancelled before
/// they returned.
async fn call_tools(
    writer: &DeltaWriter<'_>,
    tools: &Toolbox,
    (said, thoughts): (String, Map<String, Value>),
    calls: Vec<Call>,
) -> Result<Option<Vec<ChatMessage>>, WriteError> {
    let mut message = ChatMessage { extra: thoughts, ..ChatMessage::text(Role::Assistant, said) };
    let mut results = Vec::with_capacity(calls.len());
    let cancel = &writer.work.cancel;
    for call in &calls {
        let arguments = call.arguments();
        outward(writer, tools, call).await?;
        // If the journal accepts no more events, the next important event ends the run.
        let ear = |heard| {
            let _ = writer.push(of_call(&call.call_id, heard));
        };
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            result = tools.call(&call.name, &arguments, cancel, &ear) => Some(result),
        };
        for bill in tools.take_spent().iter().filter_map(Vectors::bill) {
            writer.push(bill)?;
        }
        // The call also observes the cancel and may see it first. In both cases its effect is unknown.
        let result = result.filter(|result| !matches!(result, Err(why) if why.code == "cancelled"));
        let Some(result) = result else { return Ok(None) };
        let text = match &result {
            Ok(output) => output.to_string(),
            Err(why) => format!("error: {why}"),
        };
        results.push(ChatMessage::tool_result(call.call_id.clone(), text));
        let (output, error) = (result.clone().ok(), result.err().map(|why| why.to_string()));
        writer.push(EventData::ToolResult { call_id: call.call_id.clone(), output, error })?;
    }
    let tool_call =
        |call: Call| ToolCall { call_id: call.call_id, name: call.name, arguments: call.arguments };
    message.tool_calls = calls.into_iter().map(tool_call).collect();
    Ok(Some(std::iter::once(message).chain(results).collect()))
}

/// Writes to the journal that a tool server is about to be called, before anything is sent to it.
async fn outward(writer: &DeltaWriter<'_>, tools: &Toolbox, call: &Call) -> Result<(), WriteError> {
    let Some(OutgoingCall { server, tool, repeatable }) = tools.outward(&call.name) else { return Ok(()) };
    let call_id = call.call_id.clone();
    writer.push(EventData::ToolStarted(ToolStarted { call_id, server, tool, repeatable }))?;
    writer.work.writer.flush().await
}

/// Converts an update of a tool call to an event.
fn of_call(call_id: &str, heard: CallUpdate) -> EventData {
    match heard {
        CallUpdate::Progress(Progress { progress, total, message }) => {
            EventData::ToolProgress(ToolProgress { call_id: call_id.to_owned(), progress, total, message })
        }
        CallUpdate::Server(trouble) => EventData::ToolServer(trouble),
    }
}

fn finished(reason: FinishReason) -> RunOutcome {
    let reason = match reason {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("length".into()),
        FinishReason::ContentFilter => Some("content_filter".into()),
        FinishReason::Other(other) => Some(other),
    };
    RunOutcome::Succeeded { reason }
}
