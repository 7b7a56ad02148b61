//! The streams of a conversation: finding the live one, reading a stream, and stopping a stream.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use runs::{QueueState, RunInfo};
use storage::records::Conversation;
use storage::{Row, TenantId};
use uuid::Uuid;

use super::reach::Readable;
use super::rights::rights;
use super::schema::ActiveStream;
use crate::App;
use crate::api::run_streams::{
    self, CancelReceipt, CancelRule, RunSnapshot, StreamQuery, StreamReader, receipt, run_in_conversation,
};
use crate::http::encodings::{self, Wire};
use crate::http::scopes::{ConversationsRead, ConversationsWrite};
use crate::http::{Api, Loaded, Path, Query, Unloaded, operations};
use domain::Scope;

type Reading = Unloaded<Readable, ConversationsRead>;

/// The live stream of a conversation.
pub fn active_in(app: &App, tenant: TenantId, conversation: Uuid) -> Option<ActiveStream> {
    app.actors.active(tenant, conversation).map(|run| active(app, run))
}

/// Converts the state of a live run into its public form.
fn active(app: &App, run: RunInfo) -> ActiveStream {
    let queue = match app.actors.queue_state(run.tenant, run.run_id) {
        QueueState::Queued(place) => Some(place),
        QueueState::Admitted | QueueState::Absent => None,
    };
    ActiveStream {
        stream_id: run.run_id,
        kind: run.kind,
        state: run.state,
        last_seq: run.last_seq,
        started_at: run.started_at,
        message_id: run.message_id,
        model: run.model,
        queue,
    }
}

/// Retrieve the live stream of a conversation, or attach to it.
///
/// With `wire`, or an `Accept` header with a streaming type, the response is the stream itself, as chat clients expect when they resume.
/// The response is 204 if no stream is live.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/streams/active", params(StreamQuery),
    responses(
        (status = 200, description = "The live stream, or a description of it.", content(
            (ActiveStream = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 204, description = "No stream is live."),
        (status = 410, description = "The stream has expired.")))]
async fn get_active_stream(
    conversation: Reading,
    app: Data<App>,
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let wire = how.wire(&request);
    match live_stream(&app, conversation, wire).await? {
        (_, None) => Ok(HttpResponse::NoContent().finish()),
        (_, Some((live, None))) => Ok(HttpResponse::Ok().json(active(&app, live))),
        (conversation, Some((_, Some((wire, snapshot))))) => {
            let options = how.options(&request, wire)?;
            run_streams::attach(stream_reader(app, &conversation), snapshot, &options).await
        }
    }
}

/// A live run, with its snapshot if the stream itself was requested.
type Live = (RunInfo, Option<(Wire, RunSnapshot)>);

/// Loads the conversation and its live run.
async fn live_stream(
    app: &Data<App>,
    conversation: Reading,
    wire: Option<Wire>,
) -> Api<(Loaded<Readable, ConversationsRead>, Option<Live>)> {
    let (runs, epoch) = (app.clone(), Some(conversation.auth.rights_epoch()));
    let loaded = conversation.load(app, move |reader, caller, conversation| {
        let live = runs.actors.active(caller.tenant, conversation.id);
        let Some(live) = live else { return Ok(None) };
        let stream = (conversation.id, live.run_id);
        let snapshot = wire.map(|wire| RunSnapshot::in_conversation(reader, caller, epoch, stream, wire));
        Ok(Some((live, wire.zip(snapshot.transpose()?))))
    });
    loaded.await
}

/// Attach to a stream, live or ended.
///
/// `Last-Event-ID` or `after` resumes the stream. A stream that has ended is replayed to its end. On a connection upgrade the response is a
/// WebSocket with the same events as text frames; its client may send `{"type":"cancel"}` and `{"type":"attach","after":N}`. A stream
/// expires a day after its end, unless the tenant has another setting; then the response is 410. A client that reconnects with the
/// `Last-Event-ID` of the end receives 204, after which an `EventSource` stops reconnecting.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/streams/{stream_id}",
    params(("conversation_id" = Uuid, Path), ("stream_id" = Uuid, Path), StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header,
            description = "The sequence number of the last event that the client received. The stream continues after it.")),
    responses(
        (status = 200, description = "The event stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 101, description = "The connection was upgraded to a WebSocket."),
        (status = 204, description = "The stream has ended, and `Last-Event-ID` names its last event."),
        (status = 410, description = "The stream has expired.")))]
async fn reconnect_stream(
    conversation: Reading,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    let Path((_, stream)) = path;
    let wire = how.wire_or_socket(&request);
    let epoch = Some(conversation.auth.rights_epoch());
    let loaded = conversation.load(&app, move |reader, caller, conversation| {
        RunSnapshot::in_conversation(reader, caller, epoch, (conversation.id, stream), wire)
    });
    let (conversation, snapshot) = loaded.await?;
    let reader = stream_reader(app, &conversation);
    let rule = CancelRule { scope: Scope::ConversationsWrite, read_only: conversation.guest };
    let options = how.options(&request, wire)?;
    run_streams::attach_or_open(reader, snapshot, &options, rule, (&request, payload)).await
}

fn stream_reader(app: Data<App>, conversation: &Loaded<Readable, ConversationsRead>) -> StreamReader {
    let caller = conversation.auth.caller();
    let rights = rights(&app, &caller, conversation.id, conversation.guest);
    StreamReader { app, caller, rights }
}

/// Stop a stream.
///
/// Everyone who may write to the conversation may stop it, from any client and more than once. A stream that has not begun yet is stopped
/// before it begins. The partial answer is stored as a message with the status `stopped`, and it is billed.
#[utoipa::path(delete, path = "/api/conversations/{conversation_id}/streams/{stream_id}",
    params(("conversation_id" = Uuid, Path), ("stream_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The stream has ended.", body = CancelReceipt),
        (status = 202, description = "The stream is being stopped.", body = CancelReceipt)))]
async fn cancel_stream(
    conversation: Unloaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<HttpResponse> {
    let Path((_, stream)) = path;
    let loaded = conversation.load(&app, move |reader, caller, conversation| {
        run_in_conversation(reader, caller, conversation.id, stream)
    });
    let (conversation, run) = loaded.await?;
    run_streams::cancel(&app, &conversation.auth.caller(), run.kind, run.id).await.map(receipt)
}

operations!(get_active_stream, reconnect_stream, cancel_stream);
