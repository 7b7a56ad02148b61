//! Attaching to the stream of a run.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use runs::Cursor;
use serde_json::{Map, Value};
use storage::Row;
use storage::records::Run;

use super::disclosure::disclosed;
use super::query::ReadOptions;
use super::snapshot::RunSnapshot;
use crate::App;
use crate::http::encodings::{self, Constants, Encoder, Reading, Rights, Wire};
use crate::http::{Api, Caller};

pub struct StreamReader {
    /// The application.
    pub app: Data<App>,
    /// The user who reads the stream.
    pub caller: Arc<Caller>,
    /// The reader's rights, checked again while the reader is attached.
    pub rights: Rights,
}

/// Rights to a run of the caller's own. They last while the credential is valid.
pub fn credential_rights(app: &Data<App>, caller: &Arc<Caller>) -> Rights {
    let (app, caller) = (app.clone(), caller.clone());
    Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move { app.identity.still(&caller).await.is_some() })
    })
}

/// Returns the stream of a run, live or ended, or 204 to an `EventSource` that reconnects after the end.
///
/// # Errors
/// 410 if the stream has expired.
pub async fn attach(
    reader: StreamReader,
    mut snapshot: RunSnapshot,
    options: &ReadOptions,
) -> Api<HttpResponse> {
    let ReadOptions { wire, after, fold, include_usage, reconnects } = *options;
    let tenant = reader.caller.tenant;
    if reconnects && wire.has_offsets() && snapshot.ends_at(after) {
        return Ok(HttpResponse::NoContent().finish());
    }
    if wire == Wire::Responses {
        let echo = snapshot.echo(&reader.app, tenant).await?;
        return attach_responses(reader, &snapshot.run, echo, (after > 0).then_some(after)).await;
    }
    // Readers whose encoding has no offsets are sent the valid answer, after the last reset, from its
    // beginning.
    let after = if wire.has_offsets() { after } else { snapshot.reset };
    let fold_until = if fold.unwrap_or(!wire.has_offsets()) { snapshot.end } else { 0 };
    let RunSnapshot { run, sees_all, .. } = snapshot;
    let cursor = reader.app.actors.attach_to(tenant, &run, after).await?;
    let cursor = disclosed(&reader.app, &reader.caller, run.kind, cursor, sees_all);
    let encoder = Encoder::new(wire, Constants::new(&run), include_usage);
    Ok(respond(Reading { cursor, encoder, fold_until, rights: reader.rights }, &run))
}

/// Returns the stream of a run that was just started, from the cursor of its start.
pub fn follow(
    reader: StreamReader,
    run: &Row<Run>,
    cursor: Cursor,
    wire: Wire,
    include_usage: bool,
) -> HttpResponse {
    let cursor = disclosed(&reader.app, &reader.caller, run.kind, cursor, None);
    let encoder = Encoder::new(wire, Constants::new(run), include_usage);
    respond(Reading { cursor, encoder, fold_until: 0, rights: reader.rights }, run)
}

/// Returns the stream in the encoding of the Responses interface, after the event with the number `seen`.
/// `echo` contains the parts of the request that the response repeats. The event numbers are derived from the
/// whole journal, so no event is folded or skipped before it is counted.
///
/// # Errors
/// 410 if the stream has expired.
pub async fn attach_responses(
    reader: StreamReader,
    run: &Row<Run>,
    echo: Map<String, Value>,
    seen: Option<u64>,
) -> Api<HttpResponse> {
    let cursor = reader.app.actors.attach_to(reader.caller.tenant, run, 0).await?;
    let encoder = Encoder::of_response(Constants::new(run), echo, seen);
    Ok(respond(Reading { cursor, encoder, fold_until: 0, rights: reader.rights }, run))
}

fn respond(reading: Reading, run: &Row<Run>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    reading.encoder.wire().headers(&mut response);
    response.insert_header(("x-stream-id", run.id.to_string()));
    response.streaming(encodings::stream(reading))
}
