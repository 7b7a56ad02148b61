//! Video jobs: which there are, how far one is, stopping one.

use std::sync::Arc;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{Run, RunState, VideoJob};
use storage::{Row, Scan};
use uuid::Uuid;

use super::own;
use super::schema::OfModel;
use super::view::{VideoJobResponse, VideoJobResponseList};
use crate::App;
use crate::api::conversations::attach::constants;
use crate::api::conversations::streams::{CancelReceipt, HowToRead, after, receipt};
use crate::http::encodings::{self, Encoder, Reading, Rights, Wire};
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Json, Paging, Path, Query, Refusal, operations};

/// List the caller's video jobs, the latest first.
#[utoipa::path(get, path = "/api/video/jobs", operation_id = "video.list_jobs", params(Paging))]
async fn list_jobs(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<VideoJobResponseList>> {
    let (tenant, user) = (auth.tenant, auth.user);
    let scan = paging.scan(Scan::table().prefix(user.as_bytes().to_vec()).reverse())?;
    let page = app.store.read(move |reader| reader.scan::<VideoJob>(tenant, scan)).await?;
    Ok(Json(page.into()))
}

/// Show how far a video job is, or watch it.
///
/// With `wire`, or an `Accept` of a streaming type, the answer is the stream of its events, live or ended:
/// `video.submitting`, `video.submitted`, `video.progress` with `percent`, `video.made`, `video.completed`, and
/// `run.ended` last.
/// `Last-Event-ID` or `after` resumes. A day after its end the stream has expired (410); the job itself stays.
#[utoipa::path(get, path = "/api/video/jobs/{job_id:.+}/status", operation_id = "video.get_job_status",
    params(("job_id" = String, Path, description = "The job's name; it may hold slashes."), OfModel, HowToRead,
        ("Last-Event-ID" = Option<u64>, Header, description = "Begins after this sequence number.")),
    responses(
        (status = 200, description = "The job, or its stream.", content(
            (VideoJobResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 410, description = "The stream has expired.")))]
async fn get_job_status(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    Query(of): Query<OfModel>,
    Query(how): Query<HowToRead>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (caller, Path(job)) = (auth.caller(), path);
    let job = own(&app, &caller, &job).await?;
    if of.model.as_ref().is_some_and(|model| *model != job.model) {
        return Err(Refusal::not_found("video job"));
    }
    match how.wire.or(Wire::accepted(request.headers())) {
        None => Ok(HttpResponse::Ok().json(VideoJobResponse::from(job))),
        Some(wire) => watch(app, caller, job.id.1, wire, &how, &request).await,
    }
}

/// The events of a job's run. Whose job it is never changes, so only the credential is looked at again.
async fn watch(
    app: Data<App>,
    caller: Arc<Caller>,
    job: Uuid,
    wire: Wire,
    how: &HowToRead,
    request: &HttpRequest,
) -> Api<HttpResponse> {
    let tenant = caller.tenant;
    let after = if wire.has_offsets() { after(how, request)? } else { 0 };
    let run = app.store.read(move |reader| reader.require::<Run>(tenant, &job)).await?;
    let run: Row<Run> = run;
    let cursor = app.actors.attach(tenant, job, after).await?;
    let encoder = Encoder::new(wire, constants(&run), how.include_usage);
    let mut response = HttpResponse::Ok();
    wire.headers(&mut response);
    response.insert_header(("x-stream-id", job.to_string()));
    let rights = Rights::new(move || {
        let (app, caller) = (app.clone(), caller.clone());
        Box::pin(async move { app.identity.still(&caller).await.is_some() })
    });
    Ok(response.streaming(encodings::stream(Reading { cursor, encoder, fold_until: 0, rights })))
}

/// Stop a video job.
///
/// Its provider is told, too, as far as it lets go of what it has begun; what was begun there may be charged, and
/// is billed. More than once gives the same receipt; a job that has ended stays as it is.
#[utoipa::path(delete, path = "/api/video/jobs/{job_id:.+}", operation_id = "video.cancel_job",
    params(("job_id" = String, Path, description = "The job's name; it may hold slashes.")),
    responses(
        (status = 200, description = "It has ended.", body = CancelReceipt),
        (status = 202, description = "It is about to end.", body = CancelReceipt)))]
async fn cancel_job(auth: Auth<MediaUse>, app: Data<App>, path: Path<String>) -> Api<HttpResponse> {
    let (caller, Path(job)) = (auth.caller(), path);
    let job = own(&app, &caller, &job).await?;
    let outcome = app.actors.cancel(caller.tenant, job.id.1, caller.user).await?;
    Ok(receipt(CancelReceipt {
        stream_id: job.id.1,
        status: outcome.terminal.as_ref().map_or(RunState::Cancelling, |terminal| terminal.status),
        children_stopped: outcome.children_stopped,
        nodes_stopped: outcome.nodes_stopped,
        tokens_after_cancel: outcome.tokens_after_cancel,
        terminal: outcome.terminal,
    }))
}

operations!(list_jobs, get_job_status, cancel_job);
