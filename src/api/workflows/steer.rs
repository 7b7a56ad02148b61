//! Stopping a run, and giving it what it waits for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::HttpResponse;
use actors::workflow::debug::newest_run;
use actors::workflow::{Resume, ResumeRefused, Resumed};
use actors::{AskError, EventData, StreamEvent};
use serde_json::json;
use storage::records::{Run, RunKind};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::refusal;
use super::schema::{WorkflowRunResumeBody, WorkflowRunResumeResponse};
use crate::App;
use crate::api::conversations::streams;
use crate::http::{Api, ApiError, Caller, Code};

/// Bytes of a journal that are looked through at once.
const LOOK: usize = 256 * 1024;
/// How long a run that does not answer is asked again, and how often.
const PATIENCE: Duration = Duration::from_secs(2);
const ASK_AGAIN: Duration = Duration::from_millis(25);

/// Stops the run of this assistant in the caller's conversation, and waits a little until it has.
pub async fn cancel(
    app: &App,
    caller: &Arc<Caller>,
    conversation: Uuid,
    assistant: Uuid,
) -> Api<HttpResponse> {
    let run = run_of(app, caller.tenant, conversation, assistant).await?;
    let receipt = streams::cancel(app, caller, Some(conversation), run.id).await?;
    let ended = receipt.terminal.is_some();
    let mut response = if ended { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    Ok(response.json(receipt))
}

/// Gives the run of this assistant in the caller's conversation what it waits for.
pub async fn resume(
    app: &App,
    caller: &Caller,
    conversation: Uuid,
    assistant: Uuid,
    given: WorkflowRunResumeBody,
) -> Api<WorkflowRunResumeResponse> {
    let run = run_of(app, caller.tenant, conversation, assistant).await?;
    let form_id = given.form_id;
    let resume = Resume {
        by: caller.user,
        form_id,
        action: given.action,
        fields: given.fields,
        event: given.event,
        node_id: given.node_id,
    };
    match ask(app, caller.tenant, run.id, resume).await {
        Ok(Ok(resumed)) => Ok(WorkflowRunResumeResponse {
            conversation_id: conversation,
            stream_id: run.id,
            state: resumed.state,
            form_id: resumed.form_id,
            executions: resumed.executions,
        }),
        Ok(Err(why)) => Err(refusal::resume(why)),
        Err(AskError::Ended) => Err(after_the_end(app, caller.tenant, run.id, form_id).await?),
        Err(AskError::NotFound) => Err(ApiError::not_found("run")),
        Err(AskError::Busy) => Err(ApiError::new(Code::Overloaded).retry_after(1)),
        Err(AskError::Storage(why)) => Err(why.into()),
    }
}

/// Asks a run; again for a while if it is being taken up after a crash, or is about to end.
async fn ask(
    app: &App,
    tenant: TenantId,
    run: Uuid,
    resume: Resume,
) -> Result<Result<Resumed, ResumeRefused>, AskError> {
    let patience = Instant::now() + PATIENCE;
    loop {
        match app.actors.ask(tenant, run, resume.clone()).await {
            Err(AskError::Busy) if Instant::now() < patience => tokio::time::sleep(ASK_AGAIN).await,
            told => return told,
        }
    }
}

/// The live run of an assistant in a conversation, else the latest one.
async fn run_of(app: &App, tenant: TenantId, conversation: Uuid, assistant: Uuid) -> Api<Row<Run>> {
    let found = app.store.read(move |reader| {
        let scan = Scan::index("live_by_conversation").prefix(conversation.as_bytes());
        let live = reader.scan::<Run>(tenant, scan)?.items;
        let of_it = |row: &Row<Run>| row.kind == RunKind::Workflow && row.assistant_id == Some(assistant);
        match live.into_iter().find(of_it) {
            Some(live) => Ok(Some(live)),
            None => newest_run(reader, tenant, conversation, assistant),
        }
    });
    let found = found.await.map_err(|why: storage::Error| ApiError::from(why))?;
    found.ok_or_else(|| ApiError::not_found("run"))
}

/// What is told to somebody who comes after the run's end: what became of the form, if they name
/// one.
async fn after_the_end(app: &App, tenant: TenantId, run: Uuid, form: Option<Uuid>) -> Api<ApiError> {
    let Some(form) = form else { return Ok(Code::NotWaiting.into()) };
    let became = app.store.read(move |reader| became_of(reader, tenant, run, form)).await?;
    Ok(became.map_or(Code::NotWaiting.into(), refusal::resume))
}

fn became_of(
    reader: &Reader,
    tenant: TenantId,
    run: Uuid,
    form: Uuid,
) -> storage::Result<Option<ResumeRefused>> {
    let mut after = 0;
    loop {
        let events = reader.journal_read(tenant, run, after, LOOK)?;
        let Some(last) = events.last() else { return Ok(None) };
        after = last.seq;
        for event in events.iter().filter(|event| event.kind.starts_with("form.")) {
            let Ok(StreamEvent { event, .. }) = serde_json::from_slice(&event.json) else { continue };
            match event {
                EventData::FormSubmitted(first) if first.form_id == form => {
                    return Ok(Some(ResumeRefused::Answered { first: json!(first) }));
                }
                EventData::FormExpired(expired) if expired.form_id == form => {
                    return Ok(Some(ResumeRefused::Expired));
                }
                _ => {}
            }
        }
    }
}
