//! Responses that wait for the end of a run.

use std::time::Duration;

use actix_web::HttpResponse;
use storage::records::{Run, RunKind};
use workflow::{Started, answer_text, wait_for_end};

use super::schema::{WorkflowRunResponse, WorkflowRunResult};
use crate::App;
use crate::api::run_streams::disclosed;
use crate::http::{Api, Caller};

/// The maximum time that a request waits.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Responds with 200 and the result when the run ends, or with 202 when the run waits for a person or an event
/// or 10 minutes have passed.
pub async fn respond(app: &App, caller: &Caller, started: Started) -> Api<HttpResponse> {
    let (tenant, run) = (caller.tenant, started.run.id);
    let cursor = disclosed(app, caller, RunKind::Workflow, started.cursor, None);
    let mut progress = wait_for_end(&app.store, tenant, cursor, Some(TIMEOUT)).await?;
    let row = app.store.read(move |reader| reader.require::<Run>(tenant, &run)).await?;
    let mut response = WorkflowRunResponse {
        conversation_id: started.conversation_id,
        stream_id: run,
        message_id: row.message_id,
        state: row.state,
        state_detail: row.state_detail.clone(),
        waits_for: Vec::new(),
        result: None,
    };
    let Some(terminal) = progress.terminal.take() else {
        response.waits_for = progress.into_waits();
        return Ok(HttpResponse::Accepted().json(response));
    };
    response.state = terminal.status;
    response.state_detail = terminal.reason;
    response.result = Some(WorkflowRunResult {
        text: answer_text(&app.store, tenant, (started.conversation_id, started.message_id)).await?,
        outputs: progress.outputs(&app.store, tenant).await?,
        error: terminal.error,
        usage: terminal.usage,
        cost_nanos: terminal.cost_nanos,
    });
    Ok(HttpResponse::Ok().json(response))
}
