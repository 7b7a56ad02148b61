//! Watching the run that works on a document.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{Document, GrantLevel, Run};
use uuid::Uuid;

use super::access;
use crate::App;
use crate::api::conversations::attach::constants;
use crate::api::conversations::streams::{HowToRead, after};
use crate::http::encodings::{self, Encoder, Reading, Rights, Wire};
use crate::http::{Api, Caller, Code, Refusal};

/// The events of the run that works on a document of this base, or was the last to, as long as the caller may read the
/// base.
///
/// # Errors
/// 410 where its journal is no longer kept.
pub async fn watch(
    app: Data<App>,
    caller: Arc<Caller>,
    document: &Document,
    base: Uuid,
    (wire, how, request): (Wire, &HowToRead, &HttpRequest),
) -> Api<HttpResponse> {
    let tenant = caller.tenant;
    let run = document.run_id.ok_or(Code::StreamExpired)?;
    let after = if wire.has_offsets() { after(how, request)? } else { 0 };
    let row = app.store.read(move |reader| reader.get::<Run>(tenant, &run)).await?;
    let row = row.ok_or(Code::StreamExpired)?;
    let cursor = app.actors.attach(tenant, run, after).await?;
    let encoder = Encoder::new(wire, constants(&row), how.include_usage);
    let mut response = HttpResponse::Ok();
    wire.headers(&mut response);
    response.insert_header(("x-stream-id", run.to_string()));
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move {
            let asker = caller.clone();
            let read =
                app.store.read(move |reader| access::at_least(reader, &asker, base, GrantLevel::Viewer));
            // A read that fails says nothing of rights; the next one will.
            let lost = |why: &Refusal| matches!(why.code(), Code::NotFound | Code::NotAllowed);
            app.identity.still(&caller).await.is_some() && !read.await.is_err_and(|why| lost(&why))
        })
    });
    Ok(response.streaming(encodings::stream(Reading { cursor, encoder, fold_until: 0, rights })))
}
