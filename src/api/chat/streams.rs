//! Answers outside of conversations: attaching to their streams and stopping them.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use uuid::Uuid;

use crate::App;
use crate::api::run_streams::{
    self, CancelReceipt, CancelRule, RunSnapshot, StreamQuery, StreamReader, cancel, chat_run,
    credential_rights, receipt,
};
use crate::http::encodings;
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Path, Query, operations};
use domain::Scope;

/// Attach to an answer outside of a conversation.
///
/// Available for ten minutes after the end of the answer, then the response is 404. `Last-Event-ID` or `after` resumes the stream. On a
/// connection upgrade the response is a WebSocket.
#[utoipa::path(get, path = "/api/chat/streams/{stream_id}",
    params(("stream_id" = Uuid, Path), StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header,
            description = "The sequence number of the last event that the client received. The stream continues after it.")),
    responses(
        (status = 200, description = "The event stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 101, description = "The connection was upgraded to a WebSocket."),
        (status = 204, description = "The stream has ended, and `Last-Event-ID` names its last event."),
        (status = 410, description = "The stream has expired.")))]
async fn attach_stream(
    auth: Auth<LlmUse>,
    app: Data<App>,
    Path(stream): Path<Uuid>,
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    let wire = how.wire_or_socket(&request);
    let options = how.options(&request, wire)?;
    let (caller, epoch) = (auth.caller(), Some(auth.rights_epoch()));
    let owner = caller.clone();
    let read = app.store.read(move |reader| RunSnapshot::of_chat(reader, &owner, epoch, stream, wire));
    let (snapshot, rights) = (read.await?, credential_rights(&app, &caller));
    let reader = StreamReader { app, caller, rights };
    let rule = CancelRule { scope: Scope::LlmUse, read_only: false };
    run_streams::attach_or_open(reader, snapshot, &options, rule, (&request, payload)).await
}

/// Stop an answer outside of a conversation.
#[utoipa::path(delete, path = "/api/chat/streams/{stream_id}",
    params(("stream_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The answer has ended.", body = CancelReceipt),
        (status = 202, description = "The answer is being stopped.", body = CancelReceipt)))]
async fn cancel_stream(auth: Auth<LlmUse>, app: Data<App>, Path(stream): Path<Uuid>) -> Api<HttpResponse> {
    let (caller, owner) = (auth.caller(), auth.caller());
    let run = app.store.read(move |reader| chat_run(reader, &owner, stream)).await?;
    cancel(&app, &caller, run.kind, run.id).await.map(receipt)
}

operations!(attach_stream, cancel_stream);
