//! Running workflows.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::Row;
use storage::records::{Assistant, Conversation};
use uuid::Uuid;

use super::schema::{
    RunQuery, WorkflowRunRequestBody, WorkflowRunResponse, WorkflowRunResumeBody, WorkflowRunResumeResponse,
};
use super::{start, steer};
use crate::App;
use crate::api::run_streams::CancelReceipt;
use crate::http::encodings;
use crate::http::idempotency::IdempotencyHeader;
use crate::http::scopes::WorkflowsRun;
use crate::http::{Api, Checked, Found, Json, Path, Query, operations};

/// Run a workflow.
///
/// Whoever may use the assistant may run its workflow. The run goes by the graph as it is now and
/// lives in a conversation, where its stream is attached to like any other; what it answers is a
/// message there. With `wire`, or an `Accept` of a streaming type, the answer is the stream itself.
/// With the mode `wait` it comes when the run has ended (200), or when it waits for somebody, or
/// after 10 minutes (202). The same `Idempotency-Key` gives the same run for 24 hours. While another
/// run is live in the conversation, the answer is 409 unless `on_active` says otherwise. 422 tells
/// every fault of the inputs, and every fault of a graph that cannot run.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs",
    operation_id = "workflows.start_workflow_run",
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
    Query(how): Query<RunQuery>,
    request: HttpRequest,
    Json(asked): Json<WorkflowRunRequestBody>,
    key: IdempotencyHeader,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let key = key.look_up(&app, &caller).await?;
    start::start(app, caller, assistant.id, how, &request, (key, asked)).await
}

/// Stop a run of a workflow.
///
/// Nodes at work are told to stop, and stopped by force after a grace; runs that it waits for are
/// stopped with it; what is to be undone is undone. Of several runs in the conversation the live one
/// is meant, else the latest; one that has ended answers with its end, unchanged.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/cancel",
    operation_id = "workflows.cancel_workflow_run",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_workflow_run(
    conversation: Found<Row<Conversation>, WorkflowsRun>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<HttpResponse> {
    let Path((assistant, _)) = path;
    steer::cancel(&app, &conversation.auth.caller(), conversation.id, assistant).await
}

/// Give a run what it waits for.
///
/// The answer to a form, which is taken once: a second one is refused with 409 and told the first.
/// An event that a node waits for. Or leave to go on after a pause: `{"action": "continue"}`. What a
/// form asks for is checked; 422 tells every fault.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/runs/{conversation_id}/resume",
    operation_id = "workflows.resume_workflow_run",
    params(("assistant_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses(
        (status = 409, description = "It does not wait for that, or the form was answered before."),
        (status = 410, description = "The form has expired.")))]
async fn resume_workflow_run(
    conversation: Found<Row<Conversation>, WorkflowsRun>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Json(given): Json<WorkflowRunResumeBody>,
) -> Api<Json<WorkflowRunResumeResponse>> {
    let Path((assistant, _)) = path;
    steer::resume(&app, &conversation.auth.caller(), conversation.id, assistant, given).await.map(Json)
}

operations!(start_workflow_run, cancel_workflow_run, resume_workflow_run);
