//! Attaching to a run of a conversation, on whichever wire.

use std::sync::Arc;

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use assist::completion::brought;
use runs::Cursor;
use serde_json::Map;
use storage::records::{Run, RunKind};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

use super::{streams, watch};
use crate::App;
use crate::http::encodings::{self, Constants, Encoder, Reading, Rights, SocketRefusal, Steering, Wire};
use crate::http::{Api, Caller, Code, Refusal};
use domain::Scope;

/// Bytes of a journal that are looked through at once.
const LOOK: usize = 256 * 1024;

/// Who reads which stream, and how.
#[derive(Clone)]
pub struct Place {
    /// The application.
    pub app: Data<App>,
    /// Who reads.
    pub caller: Arc<Caller>,
    /// The conversation, which the caller may read; none for an answer that stands in no conversation.
    pub conversation: Option<Uuid>,
    /// Whether the conversation is another's.
    pub guest: bool,
    /// The stream, which may be any.
    pub stream: Uuid,
    /// The form.
    pub wire: Wire,
}

/// A stream of this conversation, or one of the caller's own that stands in none; 404 for all others.
pub async fn belongs(app: &App, caller: &Caller, conversation: Option<Uuid>, stream: Uuid) -> Api<Row<Run>> {
    let tenant = caller.tenant;
    let row = app.store.read(move |reader| reader.get::<Run>(tenant, &stream)).await?;
    let row = row.filter(|row: &Row<Run>| match conversation {
        Some(_) => row.conversation_id == conversation,
        None => is_chat_of(row, caller),
    });
    row.ok_or_else(|| Refusal::not_found("stream"))
}

/// Whether a run is an answer to this caller that stands in no conversation.
fn is_chat_of(run: &Row<Run>, caller: &Caller) -> bool {
    run.kind == RunKind::Completion && run.conversation_id.is_none() && run.user == caller.user
}

/// Whether a reader who was told everything up to `after`, on a wire with offsets, was told all that there will be.
pub async fn told_all(place: &Place, after: u64) -> Api<bool> {
    let row = belongs(&place.app, &place.caller, place.conversation, place.stream).await?;
    if !row.state.is_terminal() || !place.wire.has_offsets() {
        return Ok(false);
    }
    let (tenant, run) = (place.caller.tenant, row.id);
    let end = place.app.store.read(move |reader| reader.journal_end(tenant, run)).await?;
    Ok((1..=after).contains(&end))
}

/// The streaming answer for a reader that attaches.
pub async fn answer(place: Place, after: u64, fold: Option<bool>, include_usage: bool) -> Api<HttpResponse> {
    if place.wire == Wire::Responses {
        return response(place, (after > 0).then_some(after)).await;
    }
    let row = belongs(&place.app, &place.caller, place.conversation, place.stream).await?;
    let (tenant, offsets) = (place.caller.tenant, place.wire.has_offsets());
    // Readers without offsets are told the answer that stands, from its beginning.
    let after = if offsets { after } else { last_reset(&place.app, tenant, &row).await? };
    let fold_until = match fold.unwrap_or(!offsets) {
        true => place.app.store.read(move |reader| reader.journal_end(tenant, row.id)).await?,
        false => 0,
    };
    let cursor = place.app.actors.attach(tenant, row.id, after).await?;
    Ok(stream(place, &row, cursor, fold_until, include_usage))
}

/// The streaming answer in the Responses interface, after the event of the number `seen`. Its numbers count
/// what the journal amounts to from its beginning, so nothing is folded or left out before it is counted.
pub async fn response(place: Place, seen: Option<u64>) -> Api<HttpResponse> {
    let row = belongs(&place.app, &place.caller, place.conversation, place.stream).await?;
    let (tenant, run) = (place.caller.tenant, row.id);
    let echo = match place.conversation {
        Some(_) => Map::new(),
        None => brought(&place.app.store, tenant, run).await?.echo,
    };
    let cursor = place.app.actors.attach(tenant, run, 0).await?;
    let encoder = Encoder::of_response(constants(&row), echo, seen);
    Ok(answering(&place, Reading { cursor, encoder, fold_until: 0, rights: rights(&place) }, run))
}

fn rights(place: &Place) -> Rights {
    watch::rights(&place.app, &place.caller, place.conversation, place.guest)
}

fn answering(place: &Place, reading: Reading, run: Uuid) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    place.wire.headers(&mut response);
    response.insert_header(("x-stream-id", run.to_string()));
    response.streaming(encodings::stream(reading))
}

/// The streaming answer for a cursor.
pub fn stream(
    place: Place,
    run: &Row<Run>,
    cursor: Cursor,
    fold_until: u64,
    include_usage: bool,
) -> HttpResponse {
    let id = run.id;
    let cursor = watch::disclosed(&place.app, &place.caller, run.kind, cursor);
    let encoder = Encoder::new(place.wire, constants(run), include_usage);
    answering(&place, Reading { cursor, encoder, fold_until, rights: rights(&place) }, id)
}

/// What is the same in all of a run's events.
pub fn constants(row: &Row<Run>) -> Constants {
    Constants {
        run_id: row.id,
        conversation_id: row.conversation_id,
        message_id: row.message_id,
        model: row.model.clone(),
        created: row.created_at.as_millis() / 1000,
    }
}

/// Sequence number of the event from which on the answer stands. Only a run that was begun anew
/// has one, so only its journal is looked through.
async fn last_reset(app: &App, tenant: TenantId, row: &Row<Run>) -> Api<u64> {
    if row.epoch <= 1 {
        return Ok(0);
    }
    let run = row.id;
    Ok(app.store.read(move |reader| find_last_reset(reader, tenant, run)).await?)
}

fn find_last_reset(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<u64> {
    let (mut after, mut reset) = (0, 0);
    loop {
        let events = reader.journal_read(tenant, run, after, LOOK)?;
        let Some(last) = events.last() else { return Ok(reset) };
        after = last.seq;
        let resets = events.iter().filter(|event| &*event.kind == "run.reset");
        reset = resets.map(|event| event.seq).max().unwrap_or(reset);
    }
}

/// The WebSocket for a reader that attaches.
pub async fn socket(place: Place, after: u64, request: &HttpRequest, payload: Payload) -> Api<HttpResponse> {
    let row = belongs(&place.app, &place.caller, place.conversation, place.stream).await?;
    let cursor = place.app.actors.attach(place.caller.tenant, row.id, after).await?;
    let cursor = watch::disclosed(&place.app, &place.caller, row.kind, cursor);
    let rights = rights(&place);
    encodings::open_socket(cursor, steering(place, row.kind), rights, request, payload)
}

/// What the client of a WebSocket may do, with the rights of its own credential.
fn steering(place: Place, kind: RunKind) -> Steering {
    let reader = place.clone();
    let attach = move |after| -> futures::future::LocalBoxFuture<'static, _> {
        let place = reader.clone();
        Box::pin(async move {
            let attached = place.app.actors.attach(place.caller.tenant, place.stream, after).await;
            let attached = attached.map_err(|why| refused(&why.into()))?;
            Ok(watch::disclosed(&place.app, &place.caller, kind, attached))
        })
    };
    let cancel = move || -> futures::future::LocalBoxFuture<'static, _> {
        let place = place.clone();
        Box::pin(async move {
            let scope = place.conversation.map_or(Scope::LlmUse, |_| Scope::ConversationsWrite);
            if !place.caller.may(scope) {
                return Err(refused(&Code::ScopeMissing.into()));
            }
            let Place { app, caller, conversation, stream, .. } = &place;
            if place.guest {
                return Err(refused(&Code::NotAllowed.into()));
            }
            let cancelled = streams::cancel(app, caller, *conversation, *stream).await;
            cancelled.map(drop).map_err(|why| refused(&why))
        })
    };
    Steering { attach: Box::new(attach), cancel: Box::new(cancel) }
}

fn refused(why: &Refusal) -> SocketRefusal {
    let (code, message) = (why.code().as_str(), why.code().title().to_owned());
    SocketRefusal { code, message }
}
