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

/// Only editors of a workflow may debug it: debugging shows all values of the run.
type Debugged = Loaded<Row<Assistant>, WorkflowsRun, ToEdit>;

/// Play a workflow for debugging.
///
/// Starts a run on the graph as it is now; or, if the caller's last one is halted, continues it; or, if it is at work,
/// sends it the new breakpoints and pins. What was set up stays until it is replaced or cleared. Each editor of the
/// assistant has a session of their own; runs without a session are not affected.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/play", params(DebugQuery),
    responses(
        (status = 202, description = "The run.", body = WorkflowDebugResponse),
        (status = 200, description = "The run's stream from here on.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "A run with other inputs is live.")))]
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

/// Restart the last debugged run, in part.
///
/// Always a new run; the one before stays on record, and is stopped if it is live. Nodes that are not behind `from_node`
/// keep their results. On the graph as it is now (`latest`), changed nodes and all behind them run again, and the others
/// keep their results. Without `from_node`, on the graph of the run before, everything runs again. If something that
/// cannot be undone would happen again, the response is 409 `confirm_effects` with a list of it, unless `confirm_effects`
/// allows that.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/restart", params(DebugQuery),
    responses(
        (status = 202, description = "The new run.", body = WorkflowDebugResponse),
        (status = 200, description = "The new run's stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "There is no run, or its effects have to be confirmed."),
        (status = 410, description = "The run's journal has expired.")))]
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

/// Clear what was set up for debugging.
///
/// The last run with its edited values (`outputs`; it is stopped if it is live), `pins`, `breakpoints`, or all of it. A
/// live run keeps its last orders until it is played on. With `none` nothing is cleared: the response shows what is set
/// up, and the newest run, for a client that returns to the session.
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

/// The run, or its stream where the request names a wire.
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
