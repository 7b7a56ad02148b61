//! The streams of a conversation: which one is live, reading one, stopping one.

use std::sync::Arc;

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use runs::{RunInfo, Terminal};
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::records::{Conversation, RunKind, RunState};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use workflow::sees_everything;

use super::attach::{self, Place};
use super::reach::Readable;
use super::schema::ActiveStream;
use crate::App;
use crate::http::encodings::{self, Wire};
use crate::http::scopes::{ConversationsRead, ConversationsWrite};
use crate::http::{Api, Caller, Found, Path, Query, Refusal, Validate, operations};

type Reading = Found<Readable, ConversationsRead>;

/// How a stream is read.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct HowToRead {
    /// The form; else what `Accept` asks for, else `events`.
    pub wire: Option<Wire>,
    /// Begins after this sequence number, on wires with offsets; `Last-Event-ID` does the same and
    /// comes first.
    pub after: Option<u64>,
    /// Whether deltas of the backlog that belong together come as one. `false` unless said
    /// otherwise on wires with offsets, `true` on the others.
    pub fold: Option<bool>,
    /// OpenAI's stream option: whether a last chunk tells what was used.
    pub include_usage: bool,
}

impl Validate for HowToRead {}

/// What became of a cancel.
#[derive(Debug, Serialize, ToSchema)]
pub struct CancelReceipt {
    /// The stream.
    pub stream_id: Uuid,
    /// How it ended, or `cancelling` while it is about to.
    pub status: RunState,
    /// Child runs that were stopped with it.
    pub children_stopped: Vec<Uuid>,
    /// Executions of nodes that were stopped in their midst.
    pub nodes_stopped: Vec<String>,
    /// Estimated tokens that the model still gave after the cancel was noted.
    pub tokens_after_cancel: u64,
    /// The end, the same for everyone and for ever.
    pub terminal: Option<Terminal>,
}

/// What can be told of a live run.
pub fn active(run: RunInfo) -> ActiveStream {
    ActiveStream {
        stream_id: run.run_id,
        kind: run.kind,
        state: run.state,
        last_seq: run.last_seq,
        started_at: run.started_at,
        message_id: run.message_id,
        model: run.model,
    }
}

/// Show the stream that is live in a conversation, or attach to it.
///
/// With `wire`, or an `Accept` of a streaming type, the answer is the stream itself, as chat
/// clients expect it of the address where they resume. 204 when no stream is live.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/streams/active",
    operation_id = "conversations.get_active_stream", params(HowToRead),
    responses(
        (status = 200, description = "The live stream.", content(
            (ActiveStream = "application/json"), (encodings::EncodedEvent = "text/event-stream"))),
        (status = 204, description = "No stream is live.")))]
async fn get_active_stream(
    conversation: Reading,
    app: Data<App>,
    Query(how): Query<HowToRead>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let live = app.actors.active(conversation.auth.tenant, conversation.id);
    let Some(live) = live else { return Ok(HttpResponse::NoContent().finish()) };
    match how.wire.or(Wire::accepted(request.headers())) {
        None => Ok(HttpResponse::Ok().json(active(live))),
        Some(wire) => read(&app, &conversation, live.run_id, wire, &how, &request).await,
    }
}

/// Attach to a stream, live or ended.
///
/// `Last-Event-ID` or `after` resumes; a stream that has ended is replayed and ends. On a
/// connection upgrade the answer is a WebSocket with the same events as text frames; its client
/// may send `{"type":"cancel"}` and `{"type":"attach","after":N}`. A day after its end (unless the
/// tenant says otherwise) a stream has expired, and the answer is 410. Whoever comes back with the
/// `Last-Event-ID` of its end is told 204, after which an `EventSource` leaves it at that.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/streams/{stream_id}",
    operation_id = "conversations.reconnect_stream",
    params(("conversation_id" = Uuid, Path), ("stream_id" = Uuid, Path), HowToRead,
        ("Last-Event-ID" = Option<u64>, Header, description = "Begins after this sequence number.")),
    responses(
        (status = 200, description = "The stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 101, description = "A WebSocket."),
        (status = 204, description = "It has ended, and the `Last-Event-ID` is that of its end."),
        (status = 410, description = "The stream has expired.")))]
async fn reconnect_stream(
    conversation: Reading,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Query(how): Query<HowToRead>,
    request: HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    let Path((_, stream)) = path;
    if request.head().upgrade() {
        let place = place(&app, &conversation, stream, Wire::Events);
        return attach::socket(place, after(&how, &request)?, &request, payload).await;
    }
    let wire = how.wire.or(Wire::accepted(request.headers())).unwrap_or(Wire::Events);
    read(&app, &conversation, stream, wire, &how, &request).await
}

/// Stop a stream.
///
/// Whoever may write to the conversation may stop it, from any client and more than once; a stream
/// that has not begun yet is stopped before it does. What there is of the answer is kept, as a
/// message with the status `stopped`, and billed.
#[utoipa::path(delete, path = "/api/conversations/{conversation_id}/streams/{stream_id}",
    operation_id = "conversations.cancel_stream",
    params(("conversation_id" = Uuid, Path), ("stream_id" = Uuid, Path)),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_stream(
    conversation: Found<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<HttpResponse> {
    let Path((_, stream)) = path;
    Ok(receipt(cancel(&app, &conversation.auth.caller(), Some(conversation.id), stream).await?))
}

/// The answer to a cancel: 200 where the run has ended, 202 where it is about to.
pub fn receipt(receipt: CancelReceipt) -> HttpResponse {
    let ended = receipt.terminal.is_some();
    let mut response = if ended { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    response.json(receipt)
}

fn place(app: &Data<App>, conversation: &Reading, stream: Uuid, wire: Wire) -> Place {
    let (caller, guest) = (conversation.auth.caller(), conversation.guest);
    Place { app: app.clone(), caller, conversation: Some(conversation.id), guest, stream, wire }
}

async fn read(
    app: &Data<App>,
    conversation: &Reading,
    stream: Uuid,
    wire: Wire,
    how: &HowToRead,
    request: &HttpRequest,
) -> Api<HttpResponse> {
    let (after, place) = (after(how, request)?, place(app, conversation, stream, wire));
    if came_back(request) && attach::told_all(&place, after).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    attach::answer(place, after, how.fold, how.include_usage).await
}

/// Whether it is an `EventSource` that comes back by itself. It would for ever, at the end of a stream, too; only 204
/// tells it that there will be no more.
pub fn came_back(request: &HttpRequest) -> bool {
    request.headers().contains_key("last-event-id")
}

/// From where a reader goes on. `Last-Event-ID` comes first: a browser that comes back by itself
/// repeats the address it began with.
pub fn after(how: &HowToRead, request: &HttpRequest) -> Api<u64> {
    let Some(last) = request.headers().get("last-event-id") else {
        return Ok(how.after.unwrap_or_default());
    };
    let seq = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    seq.ok_or_else(|| Refusal::invalid("header", ["Last-Event-ID"], "is no sequence number", "malformed"))
}

/// Stops a stream of this conversation, or one that stands in none, and waits a little until it has.
pub async fn cancel(
    app: &App,
    caller: &Arc<Caller>,
    conversation: Option<Uuid>,
    stream: Uuid,
) -> Api<CancelReceipt> {
    let row = attach::belongs(app, caller, conversation, stream).await?;
    let mut outcome = app.actors.cancel(caller.tenant, stream, caller.user).await?;
    if row.kind == RunKind::Workflow {
        let reader = caller.clone();
        let sees = app.store.read(move |store| sees_everything(store, &reader.standing, stream));
        let sees = sees.await.map_err(|why: storage::Error| Refusal::from(why))?;
        outcome.terminal = outcome.terminal.map(|terminal| if sees { terminal } else { terminal.outline() });
    }
    Ok(CancelReceipt {
        stream_id: stream,
        status: outcome.terminal.as_ref().map_or(RunState::Cancelling, |terminal| terminal.status),
        children_stopped: outcome.children_stopped,
        nodes_stopped: outcome.nodes_stopped,
        tokens_after_cancel: outcome.tokens_after_cancel,
        terminal: outcome.terminal,
    })
}

operations!(get_active_stream, reconnect_stream, cancel_stream);
