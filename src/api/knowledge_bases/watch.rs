//! Watching the run that works on a document.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Data;
use storage::Reader;
use storage::records::{Document, GrantLevel, Run};
use uuid::Uuid;

use crate::App;
use crate::api::run_streams::{self, ReadOptions, RunSnapshot, StreamReader};
use crate::http::encodings::{Rights, Wire};
use crate::http::{Api, Caller, Code, Refusal};
use domain::knowledge_bases::access;

/// The events of the run that works on a document of this base, or was the last to, as long as the caller may read the
/// base.
///
/// # Errors
/// 410 where its journal is no longer kept.
pub async fn watch(
    app: Data<App>,
    caller: Arc<Caller>,
    snapshot: RunSnapshot,
    base: Uuid,
    options: &ReadOptions,
) -> Api<HttpResponse> {
    let (own, viewer) = (app.clone(), caller.clone());
    let rights = Rights::new(move || {
        let (app, caller) = (own.clone(), viewer.clone());
        Box::pin(async move {
            let viewer = caller.clone();
            let read =
                app.store.read(move |reader| access::at_least(reader, &viewer, base, GrantLevel::Viewer));
            // A read that fails says nothing of rights; the next one will.
            let lost = |why: &Refusal| matches!(why.code(), Code::NotFound | Code::NotAllowed);
            app.identity.still(&caller).await.is_some() && !read.await.is_err_and(|why| lost(&why))
        })
    });
    run_streams::attach(StreamReader { app, caller, rights }, snapshot, options).await
}

/// The run that works on a document, or was the last to.
///
/// # Errors
/// 410 where there is none any more.
pub fn run_of(reader: &Reader, caller: &Caller, document: &Document, wire: Wire) -> Api<RunSnapshot> {
    let run = document.run_id.ok_or(Code::StreamExpired)?;
    let run = reader.get::<Run>(caller.tenant, &run)?.ok_or(Code::StreamExpired)?;
    Ok(RunSnapshot::read(reader, caller, None, run, wire)?)
}
