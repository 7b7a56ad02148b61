//! Running workflows.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::Row;
use storage::records::{Assistant, Conversation};
use uuid::Uuid;

use super::schema::{
    RunQuery, WorkflowRunRequestBody, WorkflowRunResponse, WorkflowRunResumeBody, WorkflowRunResumeResponse,
};
use super::start;
use crate::App;
use crate::api::run_streams::{self, CancelReceipt};
use crate::http::encodings;
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::WorkflowsRun;
use crate::http::{Api, Checked, Json, Loaded, Path, Query, operations};

/// Run a workflow.
///
/// All who may use the assistant may run its workflow. The run uses the graph as it is now and is in a conversation,
/// where its stream is read like any other, and its answer is a message. With `wire`, or an `Accept` of a streaming type,
/// the response is the stream itself. With the mode `wait` it comes when the run has ended (200), or when it waits for a
/// person or an event, or after 10 minutes (202). The same `Idempotency-Key` returns the same run for 24 hours. While
/// another run is live in the conversation, the response is 409 unless `on_active` says otherwise. 422 lists every fault of
/// the inputs, and every fault of a graph that cannot run.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs",
    params(RunQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "Names this request.", max_length = 255)),
    responses(
        (status = 202, description = "The run, accepted.", body = WorkflowRunResponse,
            headers(("X-Stream-Id" = Uuid, description = "The stream."),
                ("Content-Location" = String, description = "Where to attach to it."))),
        (status = 200, description = "The run at its end, or its stream.", content(
            (WorkflowRunResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "A stream is live.")))]
async fn start_workflow_run(
    assistant: Checked<Row<Assistant>, WorkflowsRun>,
    app: Data<App>,
    Query(query): Query<RunQuery>,
    request: HttpRequest,
    Json(body): Json<WorkflowRunRequestBody>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let key = key.look_up(&app, &caller).await?;
    start::start(app, caller, assistant.id, query, &request, (key, body)).await
}

/// Stop a run of a workflow.
///
/// Nodes at work are asked to stop, and stopped by force after a grace period; runs that it waits for are stopped with it;
/// compensations are executed. Of several runs in the conversation the live one is stopped, else the latest is meant; for
/// a run that has ended the response is its end, unchanged.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/cancel",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_workflow_run(
    conversation: Loaded<Row<Conversation>, WorkflowsRun>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<HttpResponse> {
    let (caller, Path((assistant, _))) = (conversation.auth.caller(), path);
    let run = workflow::current_run(&app.store, caller.tenant, conversation.id, assistant).await?;
    run_streams::cancel(&app, &caller, run.kind, run.id).await.map(run_streams::receipt)
}

/// Give a run what it waits for.
///
/// The answer to a form, which is accepted once: a second one is refused with 409, which has the first. An event that a
/// node waits for. Or the command to continue after a pause: `{"action": "continue"}`. The fields of a form are checked;
/// 422 lists every fault.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/resume",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 409, description = "It does not wait for that, or the form was answered before."),
        (status = 410, description = "The form has expired.")))]
async fn resume_workflow_run(
    conversation: Loaded<Row<Conversation>, WorkflowsRun>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Json(body): Json<WorkflowRunResumeBody>,
) -> Api<Json<WorkflowRunResumeResponse>> {
    let (tenant, id, Path((assistant, _))) = (conversation.auth.tenant, conversation.id, path);
    let run = workflow::current_run(&app.store, tenant, id, assistant).await?;
    let resumed = workflow::resume(&app.actors, tenant, run.id, body.resume(conversation.auth.user)).await?;
    Ok(Json(WorkflowRunResumeResponse::new(id, run.id, resumed)))
}

operations!(start_workflow_run, cancel_workflow_run, resume_workflow_run);
