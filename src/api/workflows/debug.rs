//! Debugging workflows.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::Row;
use storage::records::Assistant;
use workflow::debug::{self, DebugCaller, Played, Restarted};

use super::schema::{
    DebugFork, DebugQuery, WorkflowDebugClearBody, WorkflowDebugClearResponse, WorkflowDebugResponse,
    WorkflowDebugRunBody,
};
use crate::App;
use crate::api::conversations::rights::rights;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, locate, run_in_conversation};
use crate::http::encodings::{self, Wire};
use crate::http::scopes::WorkflowsRun;
use crate::http::{Api, Caller, Json, Loaded, Query, Refusal, ToEdit, operations};

/// The assistant that is debugged. Only editors may debug its workflow, because debugging shows all values of
/// the run.
type Debugged = Loaded<Row<Assistant>, WorkflowsRun, ToEdit>;

/// Start or continue a debug run of a workflow.
///
/// Starts a run on the current graph. If the caller's last run is halted, it continues instead; if it is
/// running, it receives the new breakpoints and pins. Breakpoints, pins and overrides stay set until they are
/// replaced or cleared. Each editor of the assistant has their own debug session. Runs without a session are
/// not affected.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/play", params(DebugQuery),
    responses(
        (status = 202, description = "Otherwise: the run was started or continued.", body = WorkflowDebugResponse,
            headers(("X-Stream-Id" = Uuid, description = "The id of the stream."),
                ("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 200, description = "With `wire`, or an `Accept` header that names a streaming type: the event stream of the run, from its current position.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson")),
            headers(("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 409, description = "A run with different inputs is live.")))]
async fn debug_play_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Query(query): Query<DebugQuery>,
    request: HttpRequest,
    Json(body): Json<WorkflowDebugRunBody>,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let who = who(assistant);
    body.require_no_restart()?;
    let played = debug::play(&app.actors, &who, body.into()).await?;
    respond(app, caller, query.wire.or(Wire::accepted(request.headers())), played, None).await
}

/// Restart the last debug run from a node.
///
/// Always starts a new run. The previous run is retained in the history, and cancelled if it is live. Nodes
/// that are not downstream of `from_node` keep their results. On the current graph (`latest`), changed nodes
/// and all nodes downstream of them run again, and all other nodes keep their results. Without `from_node` and
/// on the graph of the previous run, all nodes run again. If an irreversible effect would be repeated, the
/// response is 409 `confirm_effects` with a list of these effects, unless `confirm_effects` allows them.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/restart", params(DebugQuery),
    responses(
        (status = 202, description = "Otherwise: the new run was started.", body = WorkflowDebugResponse,
            headers(("X-Stream-Id" = Uuid, description = "The id of the stream."),
                ("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 200, description = "With `wire`, or an `Accept` header that names a streaming type: the event stream of the new run.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson")),
            headers(("Content-Location" = String, description = "The path at which clients can attach to the stream."))),
        (status = 409, description = "There is no previous run, or irreversible effects must be confirmed."),
        (status = 410, description = "The journal of the previous run has expired.")))]
async fn debug_restart_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Query(query): Query<DebugQuery>,
    request: HttpRequest,
    Json(body): Json<WorkflowDebugRunBody>,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let (who, from) = (who(assistant), body.restart_from());
    let Restarted { played, forked_from, frontier, forecast } =
        debug::restart(&app.actors, &who, body.into(), from).await?;
    let fork = DebugFork { forked_from, reused: frontier.reuse, stale: frontier.stale, forecast };
    respond(app, caller, query.wire.or(Wire::accepted(request.headers())), played, Some(fork)).await
}

/// Clear the settings of a debug session.
///
/// Clears the last run with its overridden values (`outputs`; a live run is cancelled), the `pins`, the
/// `breakpoints`, or all of them. A live run keeps the settings that it last received until it is continued.
/// With `none`, nothing is cleared, and the response shows the current settings and the newest run, for a
/// client that returns to the session.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/clear")]
async fn debug_clear_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Json(body): Json<WorkflowDebugClearBody>,
) -> Api<Json<WorkflowDebugClearResponse>> {
    let cleared = debug::clear(&app.actors, &who(assistant), body.scope).await?;
    let (scope, stopped, setup) = (body.scope, cleared.stopped, cleared.session.into());
    Ok(Json(WorkflowDebugClearResponse { scope, stopped, run: cleared.run.map(Into::into), setup }))
}

fn who(assistant: Debugged) -> DebugCaller {
    let Loaded { auth, it } = assistant;
    DebugCaller { tenant: auth.tenant, user: auth.user, token_id: auth.token_id, assistant: it }
}

/// Returns the run, or its stream if the request names an encoding.
async fn respond(
    app: Data<App>,
    caller: Arc<Caller>,
    wire: Option<Wire>,
    played: Played,
    fork: Option<DebugFork>,
) -> Api<HttpResponse> {
    let Played { conversation_id, run_id, message_id, state, started, last_seq, session } = played;
    let mut response = match wire {
        Some(wire) => {
            let reader = caller.clone();
            let read = app.store.read(move |store| {
                let run = run_in_conversation(store, &reader, conversation_id, run_id)?;
                Ok::<_, Refusal>(RunSnapshot::read(store, &reader, None, run, wire)?)
            });
            let snapshot = read.await?;
            let rights = rights(&app, &caller, conversation_id, false);
            let options = ReadOptions { after: last_seq, ..ReadOptions::new(wire) };
            run_streams::attach(StreamReader { app, caller, rights }, snapshot, &options).await?
        }
        None => {
            let (stream_id, setup) = (run_id, session.into());
            HttpResponse::Accepted().json(WorkflowDebugResponse {
                conversation_id,
                stream_id,
                message_id,
                state,
                started,
                last_seq,
                setup,
                fork,
            })
        }
    };
    locate(&mut response, Some(conversation_id), run_id);
    Ok(response)
}

operations!(debug_play_workflow_run, debug_restart_workflow_run, debug_clear_workflow_run);
