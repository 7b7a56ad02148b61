//! Opening a connection.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

use super::commands::LiveCommand;
use super::connect::connect;
use super::messages::LiveMessage;
use super::query::LiveQuery;
use crate::App;
use crate::http::dispatch::Dispatcher;
use crate::http::scopes::Any;
use crate::http::{Api, Auth, Query, operations};

/// Subscribe to many streams and feeds over one connection.
///
/// On a connection upgrade the response is a WebSocket: its client sends `LiveCommand` objects as text frames, and the server sends
/// `LiveMessage` objects. Otherwise the response consists of server-sent events with the same messages about the subscriptions that `sub`
/// lists, and an `EventSource` that reconnects resumes all of them. A subscription names the path of a `GET` operation that streams, and
/// has exactly the rights and rules of that operation. The page `docs/live.md` describes the protocol.
#[utoipa::path(get, path = "/api/live",
    params(LiveQuery,
        ("Last-Event-ID" = Option<String>, Header,
            description = "The id of the last event that the client received. All subscriptions continue after it.")),
    responses(
        (status = 200, description = "The event stream.", content((LiveMessage = "text/event-stream"))),
        (status = 101, description = "The connection was upgraded to a WebSocket."),
        (status = 204, description = "All subscriptions have ended, and `Last-Event-ID` names the last event."),
        (status = 409, description = "The user has too many live connections, or there are more subscriptions than a connection can have.")))]
async fn open_connection(
    auth: Auth<Any>,
    app: Data<App>,
    dispatcher: Dispatcher,
    Query(query): Query<LiveQuery>,
    request: HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    connect(&app, auth.caller(), dispatcher, query, (&request, payload))
}

operations!(open_connection; schemas LiveCommand);
