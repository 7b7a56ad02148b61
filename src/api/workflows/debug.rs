//! Debugging workflows.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::Row;
use storage::records::{Assistant, DebugSession};
use workflow::debug::{self, From as Beginning, PlayOptions, Played, Restarted, Who};

use super::schema::{
    DebugFork, DebugQuery, DebugSetup, WorkflowDebugClearBody, WorkflowDebugClearResponse,
    WorkflowDebugResponse, WorkflowDebugRunBody,
};
use crate::App;
use crate::api::conversations::rights::rights;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader, locate, run_in_conversation};
use crate::http::encodings::{self, Wire};
use crate::http::scopes::WorkflowsRun;
use crate::http::{Api, Caller, Faults, Found, Json, Query, Refusal, ToEdit, operations};

/// Only those who may change a workflow may debug it: they see all that flows through it.
type Debugged = Found<Row<Assistant>, WorkflowsRun, ToEdit>;

/// Play a workflow under the eyes of its author.
///
/// Starts a run on the graph as it is now; or, if the caller's last one is halted, has it go on from
/// there; or, if it is at work, tells it of the new breakpoints and pins. What was set up stays until
/// it is replaced or cleared. Each editor of the assistant has a session of their own; runs that
/// nobody debugs are not touched.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/play",
    operation_id = "workflows.debug_play_workflow_run", params(DebugQuery),
    responses(
        (status = 202, description = "The run.", body = WorkflowDebugResponse),
        (status = 200, description = "The run's stream from here on.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "A run with other inputs is live.")))]
async fn debug_play_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Query(how): Query<DebugQuery>,
    request: HttpRequest,
    Json(asked): Json<WorkflowDebugRunBody>,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let who = who(assistant);
    not_a_restart(&asked)?;
    let played = debug::play(&app.actors, &who, wishes(asked)).await?;
    answer(app, caller, how.wire.or(Wire::accepted(request.headers())), played, None).await
}

/// Restart the last debugged run, in part.
///
/// Always a new run; what the one before did stays on record, and it is stopped if it is live. What
/// does not stand behind `from_node` keeps its results. On the graph as it is now (`latest`), what
/// was changed runs again with all behind it, and the rest keeps its results. Without `from_node`, on
/// the graph of the run before, everything runs again. If something that cannot be undone would
/// happen again, the answer is 409 `confirm_effects` with a list of what, unless `confirm_effects`
/// says that it may.
#[utoipa::path(post, path = "/api/workflows/{assistant_id}/debug/restart",
    operation_id = "workflows.debug_restart_workflow_run", params(DebugQuery),
    responses(
        (status = 202, description = "The new run.", body = WorkflowDebugResponse),
        (status = 200, description = "The new run's stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 409, description = "There is no run, or its effects have to be confirmed."),
        (status = 410, description = "The run's journal has expired.")))]
async fn debug_restart_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Query(how): Query<DebugQuery>,
    request: HttpRequest,
    Json(asked): Json<WorkflowDebugRunBody>,
) -> Api<HttpResponse> {
    let caller = assistant.auth.caller();
    let (who, from) = (who(assistant), beginning(&asked));
    let Restarted { played, forked_from, frontier, forecast } =
        debug::restart(&app.actors, &who, wishes(asked), from).await?;
    let fork = DebugFork { forked_from, reused: frontier.reuse, stale: frontier.stale, forecast };
    answer(app, caller, how.wire.or(Wire::accepted(request.headers())), played, Some(fork)).await
}

/// Take back what was set up for debugging.
///
/// The last run with its edited values (`outputs`; it is stopped if it is live), `pins`,
/// `breakpoints`, or all of it. A run that is live keeps to what it was told last until it is played
/// on. With `none` nothing is taken back: the answer tells what is set up, and the newest run, as
/// whoever comes back to it needs.
#[utoipa::path(
    post,
    path = "/api/workflows/{assistant_id}/debug/clear",
    operation_id = "workflows.debug_clear_workflow_run"
)]
async fn debug_clear_workflow_run(
    assistant: Debugged,
    app: Data<App>,
    Json(asked): Json<WorkflowDebugClearBody>,
) -> Api<Json<WorkflowDebugClearResponse>> {
    let cleared = debug::clear(&app.actors, &who(assistant), asked.scope).await?;
    let (scope, stopped, setup) = (asked.scope, cleared.stopped, setup(cleared.session));
    Ok(Json(WorkflowDebugClearResponse { scope, stopped, run: cleared.run.map(Into::into), setup }))
}

fn who(assistant: Debugged) -> Who {
    let Found { auth, it } = assistant;
    Who { tenant: auth.tenant, user: auth.user, token_id: auth.token_id, assistant: it }
}

fn wishes(asked: WorkflowDebugRunBody) -> PlayOptions {
    let WorkflowDebugRunBody { mode, until, inputs, breakpoints, pins, overrides, .. } = asked;
    PlayOptions { mode, until, inputs, breakpoints, pins, overrides }
}

fn beginning(asked: &WorkflowDebugRunBody) -> Beginning {
    Beginning {
        from_node: asked.from_node.clone(),
        keep_upstream: asked.keep_upstream.unwrap_or(true),
        graph: asked.graph.unwrap_or_default(),
        confirmed: asked.confirm_effects.unwrap_or_default(),
    }
}

fn not_a_restart(asked: &WorkflowDebugRunBody) -> Api<()> {
    let given = [
        ("from_node", asked.from_node.is_some()),
        ("keep_upstream", asked.keep_upstream.is_some()),
        ("graph", asked.graph.is_some()),
        ("confirm_effects", asked.confirm_effects.is_some()),
    ];
    let mut faults = Faults::of("body");
    for (field, _) in given.iter().filter(|(_, given)| *given) {
        faults.add([*field], "only goes with a restart", "conflicting");
    }
    if faults.is_empty() { Ok(()) } else { Err(Refusal::faulty(faults.into_vec())) }
}

fn setup(session: DebugSession) -> DebugSetup {
    let DebugSession { breakpoints, pins, overrides, .. } = session;
    DebugSetup { breakpoints, pins, overrides }
}

/// The run; or its stream, where that was asked for.
async fn answer(
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
            let (stream_id, setup) = (run_id, setup(session));
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
