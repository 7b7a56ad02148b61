//! Streaming the events of the run that processes a document.

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

/// Streams the events of the run that processes a document of this knowledge base, or processed it last. The
/// stream ends when the caller can no longer read the knowledge base.
///
/// # Errors
/// 410 if the run's journal is no longer stored.
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
            // A failed read does not show that the rights have ended; the next check decides.
            let lost = |why: &Refusal| matches!(why.code(), Code::NotFound | Code::NotAllowed);
            app.identity.still(&caller).await.is_some() && !read.await.is_err_and(|why| lost(&why))
        })
    });
    run_streams::attach(StreamReader { app, caller, rights }, snapshot, options).await
}

/// The run that processes a document, or processed it last.
///
/// # Errors
/// 410 if the run no longer exists.
pub fn run_of(reader: &Reader, caller: &Caller, document: &Document, wire: Wire) -> Api<RunSnapshot> {
    let run = document.run_id.ok_or(Code::StreamExpired)?;
    let run = reader.get::<Run>(caller.tenant, &run)?.ok_or(Code::StreamExpired)?;
    Ok(RunSnapshot::read(reader, caller, None, run, wire)?)
}
