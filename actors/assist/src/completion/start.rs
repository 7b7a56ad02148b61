//! Accepts a completion in one transaction, which adds the messages and the run, or rejects it.

use std::sync::Arc;

use providers::Models;
use runs::{AttachError, Runs, StartError, StartValue};
use storage::accounting;
use storage::records::{
    Assistant, AssistantType, Message, MessageRole, MessageStatus, Recovery, Run, RunKind, RunState,
};
use storage::{Row, TenantId, Timestamp, Tx, journal};
use uuid::Uuid;

use super::input::{self, AnswerPosition};
use super::request::{CompletionStart, OnActive, Started, StoredRequest};
use super::{Completion, DEFAULT_RECOVERY};
use crate::accept;
use crate::toolbox::builtin;

/// The decision of the accepting transaction.
enum Accepted {
    /// A run that has to be launched.
    New(Box<Row<Run>>),
    /// A run that was accepted under the same idempotency key after the key was looked up.
    Before(Box<Row<Run>>),
    /// The assistant is a workflow, which handles the message differently.
    Workflow(Uuid),
}

/// Accepts a completion and starts it. When this returns, the user's message, the run and the message for the answer
/// are durable. If the assistant is a workflow, the message starts a workflow run.
///
/// # Errors
/// The reason why the request is rejected. Nothing has been changed then.
pub async fn start(runs: &Runs, start: CompletionStart) -> Result<Started, StartError> {
    let own = runs.clone();
    runs.run_uninterrupted(async move { accept_and_launch(&own, start).await }).await
}

async fn accept_and_launch(runs: &Runs, mut start: CompletionStart) -> Result<Started, StartError> {
    if runs.draining() {
        return Err(StartError::ShuttingDown);
    }
    if let Some(key) = &mut start.idempotency_key
        && let Some(run) = key.run(runs.store(), &start.request_sha256).await?
    {
        return resume(runs, start.tenant, run).await;
    }
    runs.may_start(start.tenant, start.user)?;
    let start = Arc::new(start);
    let handler = runs.handler::<Completion>();
    loop {
        let (models, request) = (handler.run_context.models.clone(), start.clone());
        let begun = begun_at(runs, start.tenant, start.user, Some(start.conversation_id));
        let accepted = runs.store().run(move |tx| accept(tx, &models, &request, begun)).await;
        return match accepted {
            Ok(Accepted::New(row)) => Ok(launch(runs, start.tenant, *row, None)),
            Ok(Accepted::Before(row)) => resume(runs, start.tenant, *row).await,
            Ok(Accepted::Workflow(assistant)) => {
                handler.workflows.start_with_message(runs, &start, assistant).await
            }
            Err(StartError::StreamActive { stream_id }) if start.on_active == OnActive::Cancel => {
                runs.cancel(start.tenant, stream_id, start.user).await.map_err(reattach)?;
                continue;
            }
            Err(why) => Err(why),
        };
    }
}

/// The start time of a run that is accepted now, or `None` if it has to be queued.
pub(super) fn begun_at(
    runs: &Runs,
    tenant: TenantId,
    user: Uuid,
    conversation: Option<Uuid>,
) -> Option<Timestamp> {
    runs.starts_immediately(tenant, user, conversation).then(Timestamp::now)
}

/// The state of a run that is accepted, by its start time.
pub(super) fn state_of(begun: Option<Timestamp>) -> RunState {
    begun.map_or(RunState::Queued, |_| RunState::Running)
}

/// Launches a run that was just accepted.
pub(super) fn launch(runs: &Runs, tenant: TenantId, run: Row<Run>, handed: Option<StartValue>) -> Started {
    let cursor = runs.launch_with(tenant, run.clone(), handed);
    Started { message_id: run.message_id.unwrap_or_default(), run, resumed: false, cursor }
}

/// Attaches to a run that was accepted earlier, from its first event.
pub(super) async fn resume(runs: &Runs, tenant: TenantId, run: Row<Run>) -> Result<Started, StartError> {
    let cursor = runs.attach_to(tenant, &run, 0).await.map_err(reattach)?;
    Ok(Started { message_id: run.message_id.unwrap_or_default(), run, resumed: true, cursor })
}

/// Converts the error of attaching to a run that was accepted earlier.
pub fn reattach(why: AttachError) -> StartError {
    match why {
        AttachError::Busy => StartError::Busy,
        AttachError::Expired => StartError::Expired,
        AttachError::NotFound => StartError::NotFound("stream"),
        AttachError::Storage(why) => StartError::Storage(why),
    }
}

fn accept(
    tx: &mut Tx,
    models: &Models,
    start: &CompletionStart,
    begun: Option<Timestamp>,
) -> Result<Accepted, StartError> {
    let tenant = start.tenant;
    if let Some(key) = &start.idempotency_key
        && let Some(run) = key.accepted(tx, &start.request_sha256)?
    {
        return Ok(Accepted::Before(Box::new(run)));
    }
    let mut conversation = accept::conversation(tx, tenant, start.user, start.conversation_id)?;
    if start.on_active != OnActive::Queue
        && let Some(stream_id) = accept::live_run(tx, tenant, conversation.id)?
    {
        return Err(StartError::StreamActive { stream_id });
    }
    let assistant = match (start.assistant_id, conversation.assistant_id) {
        (Some(id), _) => Some(accept::assistant(tx, tenant, start.user, id)?),
        (None, Some(id)) => Some(accept::assistant(tx, tenant, start.user, id).map_err(conversation_error)?),
        (None, None) => None,
    };
    if let Some(assistant) = assistant.as_ref().filter(|row| row.kind == AssistantType::Workflow) {
        return Ok(Accepted::Workflow(assistant.id));
    }
    let named = [start.model.as_deref(), conversation.model.as_deref()];
    let model = accept::model(tx, models, tenant, start.user, named, assistant.as_ref())?;
    let (tools, server_tools) = tools_of(start.tools.as_deref(), assistant.as_ref())?;
    accept::named(tx, tenant, start.user, start.skills.as_deref(), &start.knowledge_bases)?;

    let placed = input::insert(tx, tenant, &mut conversation, &start.input)?;
    let AnswerPosition { parent_id, added } = placed;
    let (run_id, message_id) = (Uuid::now_v7(), Uuid::now_v7());
    let answer = Message {
        parent_id: Some(parent_id),
        role: MessageRole::Assistant,
        model: Some(model.clone()),
        run_id: Some(run_id),
        status: MessageStatus::Streaming,
        ..Message::default()
    };
    tx.insert_message(tenant, (conversation.id, message_id), answer)?;
    conversation.current_message_id = Some(message_id);
    conversation.message_count += added + 1;
    let assistant_id = assistant.as_ref().map(|row| row.id);
    let skills = start.skills.clone().unwrap_or_else(|| {
        let own = assistant.as_ref().map(|row| row.skills.clone()).unwrap_or_default();
        own.into_iter().chain(conversation.skills.iter().copied()).collect()
    });
    let stored_request = StoredRequest {
        parent_id: Some(parent_id),
        parameters: parameters(start, assistant.as_ref()),
        tools,
        server_tools,
        skills,
        knowledge_bases: start.knowledge_bases.clone(),
    };
    let conversation_id = conversation.id;
    tx.update(tenant, conversation)?;
    let run = Run {
        kind: RunKind::Completion,
        user: start.user,
        conversation_id: Some(conversation_id),
        assistant_id,
        message_id: Some(message_id),
        model,
        state: state_of(begun),
        started_at: begun,
        epoch: 1,
        recovery: recovery(start, assistant.as_ref()),
        request: serde_json::to_value(&stored_request)
            .map_err(|why| storage::Error::Invalid(why.to_string()))?,
        context: start.context.clone(),
        token_id: start.token_id,
        trace: tx.trace(),
        ..Run::default()
    };
    accounting::count_accepted(tx, tenant, &run, added)?;
    let row = tx.insert(tenant, run_id, run)?;
    journal::set_epoch(tx.batch(), tenant, run_id, 1);
    if let Some(key) = &start.idempotency_key {
        key.record_run(tx, &start.request_sha256, run_id)?;
    }
    Ok(Accepted::New(Box::new(row)))
}

/// If the request names no assistant, the missing assistant is the conversation's.
fn conversation_error(why: StartError) -> StartError {
    match why {
        StartError::NotFound("assistant") => StartError::AssistantGone,
        why => why,
    }
}

/// The tools that a request names, or otherwise the assistant's. Returns the built-in tools, and separately the tools
/// of tool servers (`server/tool`, `server/*`) if the request has a list. Whether a tool server offers a tool is only
/// known once it is called.
pub(super) fn tools_of(
    named: Option<&[String]>,
    assistant: Option<&Row<Assistant>>,
) -> Result<(Vec<String>, Option<Vec<String>>), StartError> {
    let Some(named) = named else {
        let own = assistant.map(|row| row.tools.clone()).unwrap_or_default();
        return Ok((own.into_iter().filter(|name| builtin::find(name).is_some()).collect(), None));
    };
    let servers = assistant.map(|row| row.tool_servers.as_slice()).unwrap_or_default();
    let is_known = |name: &String| match name.split_once('/') {
        Some((server, tool)) => servers.iter().any(|it| it.name == server && (tool == "*" || it.lets(tool))),
        None => builtin::find(name).is_some(),
    };
    if let Some(unknown) = named.iter().find(|name| !is_known(name)) {
        return Err(StartError::UnknownTool {
            tool: unknown.clone(),
            builtin: crate::toolbox::BUILTIN_TOOLS.iter().map(|tool| tool.name).collect(),
        });
    }
    let (outward, own): (Vec<String>, Vec<String>) =
        named.iter().cloned().partition(|name| name.contains('/'));
    Ok((own, Some(outward)))
}

fn parameters(
    start: &CompletionStart,
    assistant: Option<&Row<Assistant>>,
) -> serde_json::Map<String, serde_json::Value> {
    let mut parameters = assistant.map(|row| row.model_parameters.clone()).unwrap_or_default();
    parameters.extend(start.parameters.clone());
    parameters
}

fn recovery(start: &CompletionStart, assistant: Option<&Row<Assistant>>) -> Recovery {
    let own = assistant.and_then(|row| row.recovery);
    start.recovery.or(own).unwrap_or(DEFAULT_RECOVERY)
}
