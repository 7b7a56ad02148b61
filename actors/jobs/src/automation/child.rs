//! The child run of an automation's run: the run of the assistant.

use std::time::Duration;

use assist::completion::{self, CompletionStart, Input, OnActive, WorkflowRequest, WorkflowStarter};
use runs::{RequestKey, StartError, Work};
use storage::records::{Assistant, AssistantType, AutomationRun, Run};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::start::CONTEXT;

/// The pause between attempts to start the child run while the server or the owner has too many runs.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Returns the child run that an earlier epoch started for this ledger entry, if any.
pub(super) fn before(
    reader: &Reader,
    tenant: TenantId,
    line: &AutomationRun,
) -> storage::Result<Option<Uuid>> {
    if line.stream_id.is_some() {
        return Ok(line.stream_id);
    }
    let Some(conversation) = line.conversation_id else { return Ok(None) };
    let scan = Scan::index("by_conversation").prefix(conversation.as_bytes());
    let runs = reader.scan::<Run>(tenant, scan)?.items;
    Ok(runs.iter().find(|run| run.context.as_deref() == Some(CONTEXT)).map(|run| run.id))
}

/// Starts the assistant's run. Returns `None` if the automation's run was cancelled first. A start that is refused because of
/// high load is retried.
pub(super) async fn start(
    work: &Work,
    workflows: &dyn WorkflowStarter,
    line: &Row<AutomationRun>,
) -> Result<Option<Uuid>, StartError> {
    // An attempt is never abandoned halfway, because the run that it started must be recorded.
    while !work.cancel.is_cancelled() {
        match attempt(work, workflows, line).await {
            Err(
                StartError::TooMany
                | StartError::Busy
                | StartError::Storage(storage::Error::Busy | storage::Error::Full),
            ) => {
                let _ = tokio::time::timeout(RETRY_DELAY, work.cancel.cancelled()).await;
            }
            // After the restart, the server finds this run and starts its child.
            Err(StartError::ShuttingDown) => work.cancel.cancelled().await,
            other => return other.map(Some),
        }
    }
    Ok(None)
}

async fn attempt(
    work: &Work,
    workflows: &dyn WorkflowStarter,
    line: &Row<AutomationRun>,
) -> Result<Uuid, StartError> {
    let (tenant, assistant) = (work.tenant, line.assistant_id);
    let assistant = work.store.read(move |reader| reader.get::<Assistant>(tenant, &assistant)).await?;
    let conversation_id = line.conversation_id.ok_or(StartError::NotFound("conversation"))?;
    match assistant.ok_or(StartError::NotFound("assistant"))?.kind {
        AssistantType::Chat => {
            let text = line.prompt.clone().ok_or_else(|| misfit("prompt"))?;
            let start = CompletionStart {
                tenant,
                user: line.owner,
                token_id: None,
                conversation_id,
                idempotency_key: Some(RequestKey::new(tenant, line.owner, &key(line))),
                request_sha256: line.id.to_string(),
                input: Input::Message { text, attachments: Vec::new(), parent: None },
                model: None,
                assistant_id: None,
                parameters: Default::default(),
                skills: None,
                tools: None,
                knowledge_bases: Vec::new(),
                recovery: None,
                on_active: OnActive::Refuse,
                context: Some(CONTEXT.to_owned()),
                stream: true,
            };
            completion::start(&work.runs, start).await.map(|started| started.run.id)
        }
        AssistantType::Workflow => {
            let request = WorkflowRequest {
                tenant,
                user: line.owner,
                assistant_id: line.assistant_id,
                conversation_id,
                inputs: line.inputs.clone().unwrap_or_default(),
                idempotency_key: key(line),
                request_sha256: line.id.to_string(),
                context: CONTEXT.to_owned(),
                parent: work.run.id,
            };
            workflows.start_with_inputs(&work.runs, request).await
        }
    }
}

/// Derived from the ledger entry, so that after a crash between the start and its record the same run is found again.
fn key(line: &Row<AutomationRun>) -> String {
    format!("automation:{}", line.id)
}

fn misfit(loc: &'static str) -> StartError {
    StartError::Invalid { loc, msg: "is required for a chat assistant".to_owned() }
}
