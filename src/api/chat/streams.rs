//! Answers that stand in no conversation: reading one again, stopping one.

use std::sync::Arc;

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use uuid::Uuid;

use crate::App;
use crate::api::conversations::attach::{self, Place};
use crate::api::conversations::streams::{CancelReceipt, HowToRead, after, came_back, cancel, receipt};
use crate::http::encodings::{self, Wire};
use crate::http::scopes::LlmUse;
use crate::http::{Api, Auth, Caller, Path, Query, operations};

/// Attach to an answer that stands in no conversation.
///
/// For ten minutes after its end; then the answer is 404. `Last-Event-ID` or `after` resumes; on a connection
/// upgrade the answer is a WebSocket.
#[utoipa::path(get, path = "/api/chat/streams/{stream_id}", operation_id = "chat.attach_stream",
    params(("stream_id" = Uuid, Path), HowToRead,
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
    Query(how): Query<HowToRead>,
    request: HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    let after = after(&how, &request)?;
    if request.head().upgrade() {
        return attach::socket(place(&app, auth.caller(), stream, Wire::Events), after, &request, payload)
            .await;
    }
    let wire = how.wire.or(Wire::accepted(request.headers())).unwrap_or(Wire::Events);
    let place = place(&app, auth.caller(), stream, wire);
    if came_back(&request) && attach::told_all(&place, after).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    attach::answer(place, after, how.fold, how.include_usage).await
}

/// Stop an answer that stands in no conversation.
#[utoipa::path(delete, path = "/api/chat/streams/{stream_id}", operation_id = "chat.cancel_stream",
    params(("stream_id" = Uuid, Path)),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_stream(auth: Auth<LlmUse>, app: Data<App>, Path(stream): Path<Uuid>) -> Api<HttpResponse> {
    Ok(receipt(cancel(&app, &auth.caller(), None, stream).await?))
}

fn place(app: &Data<App>, caller: Arc<Caller>, stream: Uuid, wire: Wire) -> Place {
    Place { app: app.clone(), caller, conversation: None, guest: false, stream, wire }
}

operations!(attach_stream, cancel_stream);
