//! Answers that stand in no conversation: reading one again, stopping one.

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

/// Attach to an answer that stands in no conversation.
///
/// For ten minutes after its end; then the answer is 404. `Last-Event-ID` or `after` resumes; on a connection
/// upgrade the answer is a WebSocket.
#[utoipa::path(get, path = "/api/chat/streams/{stream_id}",
    params(("stream_id" = Uuid, Path), StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header, description = "Begins after this sequence number.")),
    responses(
        (status = 200, description = "The stream.", content(
            (encodings::EncodedEvent = "text/event-stream"), (runs::StreamEvent = "application/x-ndjson"))),
        (status = 101, description = "A WebSocket."),
        (status = 204, description = "It has ended, and the `Last-Event-ID` is that of its end."),
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

/// Stop an answer that stands in no conversation.
#[utoipa::path(delete, path = "/api/chat/streams/{stream_id}",
    params(("stream_id" = Uuid, Path)),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_stream(auth: Auth<LlmUse>, app: Data<App>, Path(stream): Path<Uuid>) -> Api<HttpResponse> {
    let (caller, owner) = (auth.caller(), auth.caller());
    let run = app.store.read(move |reader| chat_run(reader, &owner, stream)).await?;
    cancel(&app, &caller, run.kind, run.id).await.map(receipt)
}

operations!(attach_stream, cancel_stream);
