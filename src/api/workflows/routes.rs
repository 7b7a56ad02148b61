//! Starting, cancelling and resuming workflow runs.

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
/// Requires permission to use the assistant. The run uses the current graph and takes place in a conversation,
/// where its stream is read like any other; its answer is a message. With `wire`, or with an `Accept` header
/// that names a streaming type, the response is the stream itself. With the mode `wait`, the response is sent
/// when the run ends (200), when it waits for a person or an event (202), or after 10 minutes (202). A repeated
/// request with the same `Idempotency-Key` returns the same run for 24 hours. If another run is live in the
/// conversation, the response is 409 unless `on_active` specifies otherwise. The response 422 lists every
/// invalid input, or every error in a graph that cannot run.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs",
    params(RunQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "The idempotency key of this request.", max_length = 255)),
    responses(
        (status = 202, description = "The run was accepted, and has not ended yet.", body = WorkflowRunResponse,
            headers(("X-Stream-Id" = Uuid, description = "The id of the stream."),
                ("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 200, description = "The run after its end, or its event stream.", content(
            (WorkflowRunResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "A stream is live in the conversation.")))]
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

/// Cancel a workflow run.
///
/// Running nodes are asked to stop, and stopped by force after a grace period. Child runs that the run waits
/// for are cancelled as well, and compensations are executed. If the conversation has several runs, the live
/// one is cancelled; if none is live, the latest one is meant. For a run that has already ended, the response
/// shows its outcome unchanged.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/cancel",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The run has ended.", body = CancelReceipt),
        (status = 202, description = "The run is being cancelled.", body = CancelReceipt)))]
async fn cancel_workflow_run(
    conversation: Loaded<Row<Conversation>, WorkflowsRun>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<HttpResponse> {
    let (caller, Path((assistant, _))) = (conversation.auth.caller(), path);
    let run = workflow::current_run(&app.store, caller.tenant, conversation.id, assistant).await?;
    run_streams::cancel(&app, &caller, run.kind, run.id).await.map(run_streams::receipt)
}

/// Resume a run that waits for input.
///
/// Submits the answer to a form, delivers an event that a node waits for, or continues a run after a pause with
/// `{"action": "continue"}`. A form can be answered once: a second answer is refused with 409, which contains
/// the first one. The fields of a form are validated, and the response 422 lists every invalid field.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/resume",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 409, description = "The run does not wait for this input, or the form was already answered."),
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
