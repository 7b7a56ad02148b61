//! Opens a connection in the form that the client requests.

use std::rc::Rc;
use std::sync::Arc;

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures::StreamExt;

use super::event_stream::LiveEventStream;
use super::positions::Positions;
use super::query::{LiveQuery, fault};
use super::requests::Requests;
use super::session::LiveSession;
use super::subscriptions::Subscriptions;
use crate::App;
use crate::api::run_streams::credential_rights;
use crate::http::dispatch::{Dispatcher, Origin};
use crate::http::encodings::Wire;
use crate::http::{Api, Caller, websocket};

/// Opens a WebSocket or an event stream with the subscriptions of the query.
///
/// # Errors
/// 409 if the user has too many connections. The errors of [`Subscriptions::add`] for each subscription of the query, and
/// 422 if an event stream has none or resumes from an id that belongs to other subscriptions.
pub fn connect(
    app: &Data<App>,
    caller: Arc<Caller>,
    dispatcher: Dispatcher,
    query: LiveQuery,
    (request, payload): (&HttpRequest, Payload),
) -> Api<HttpResponse> {
    let permit = app.live_connections.admit(&caller)?;
    let rights = credential_rights(app, &caller).at_each(app.store.subscribe_rights());
    let origin = Origin::new(request, caller);
    let requests = Rc::new(Requests::new(dispatcher, origin, app.closing.subscribe()));
    let mut subscriptions = Subscriptions::new(requests.clone(), app.config.limits.live_subscriptions);
    let requested = query.requests()?;
    if request.head().upgrade() {
        requested.into_iter().try_for_each(|one| subscriptions.add(one))?;
        let session = LiveSession::new(requests, subscriptions, (rights, permit));
        return Ok(websocket::open(session, request, payload, app.drained.subscribe()));
    }
    if requested.is_empty() {
        return Err(fault("is missing: an event stream needs at least one subscription"));
    }
    let last = request.headers().get("last-event-id").map(|id| id.to_str().unwrap_or_default());
    let positions = Positions::new(&requested, last)?;
    positions.remaining(requested).into_iter().try_for_each(|one| subscriptions.add(one))?;
    if subscriptions.is_empty() {
        return Ok(HttpResponse::NoContent().finish());
    }
    let client = (rights, permit);
    let stream = LiveEventStream::new(requests, (subscriptions, positions), client, app.drained.subscribe());
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    Ok(response.streaming(stream.body().boxed_local()))
}
