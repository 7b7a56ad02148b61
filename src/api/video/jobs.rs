//! Listing video jobs, reading their progress, and cancelling them.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::video;
use storage::records::{Run, RunKind, VideoJob};
use storage::{Reader, Row, Scan};

use super::schema::ModelQuery;
use super::view::{VideoJobResponse, VideoJobResponseList};
use crate::App;
use crate::api::run_streams::{
    self, CancelReceipt, RunSnapshot, StreamQuery, StreamReader, credential_rights, receipt,
};
use crate::http::encodings::{self, Wire};
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Json, Paging, Path, Query, operations};

/// List the caller's video jobs, newest first.
#[utoipa::path(get, path = "/api/video/jobs", params(Paging))]
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

/// Retrieve the progress of a video job, or stream it.
///
/// With `wire`, or an `Accept` header that names a streaming type, the response is the stream of the job's
/// events, live or ended: `video.submitting`, `video.submitted`, `video.progress` with `percent`, `video.made`,
/// `video.completed`, and finally `run.ended`. `Last-Event-ID` or `after` resumes the stream. The stream
/// expires one day after its end (410); the job itself is retained.
#[utoipa::path(get, path = "/api/video/jobs/{job_id:.+}/status",
    params(("job_id" = String, Path, description = "The id of the job. It may contain slashes."), ModelQuery, StreamQuery,
        ("Last-Event-ID" = Option<u64>, Header,
            description = "The sequence number of the last event that the client received. The stream continues after it.")),
    responses(
        (status = 200, description = "The job, or its event stream.", content(
            (VideoJobResponse = "application/json"), (encodings::EncodedEvent = "text/event-stream"),
            (runs::StreamEvent = "application/x-ndjson"))),
        (status = 410, description = "The stream has expired.")))]
async fn get_job_status(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    Query(query): Query<ModelQuery>,
    Query(stream): Query<StreamQuery>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (caller, Path(job)) = (auth.caller(), path);
    let (owner, wire) = (caller.clone(), stream.wire(&request));
    let read = move |reader: &Reader| load(reader, &owner, &job, query.model.as_deref(), wire);
    match app.store.read(read).await? {
        JobRead::Job(job) => Ok(HttpResponse::Ok().json(VideoJobResponse::from(job))),
        JobRead::Stream(wire, snapshot) => {
            // The owner of a job never changes, so only the credential is checked again.
            let rights = credential_rights(&app, &caller);
            let options = stream.job_options(&request, wire)?;
            run_streams::attach(StreamReader { app, caller, rights }, snapshot, &options).await
        }
    }
}

/// What a client reads of a job: its state, or the stream of its run.
enum JobRead {
    Job(Row<VideoJob>),
    Stream(Wire, RunSnapshot),
}

/// Loads a job of the caller, or the stream of its run.
fn load(reader: &Reader, caller: &Caller, id: &str, model: Option<&str>, wire: Option<Wire>) -> Api<JobRead> {
    let job = video::own(reader, caller, id, model)?;
    let Some(wire) = wire else { return Ok(JobRead::Job(job)) };
    let run = reader.require::<Run>(caller.tenant, &job.id.1)?;
    Ok(JobRead::Stream(wire, RunSnapshot::read(reader, caller, None, run, wire)?))
}

/// Cancel a video job.
///
/// The provider is asked to cancel the job as well, if it supports that. Work that the provider has begun may
/// be charged, and is billed. Repeating the request returns the same receipt. A job that has ended does not
/// change.
#[utoipa::path(delete, path = "/api/video/jobs/{job_id:.+}",
    params(("job_id" = String, Path, description = "The id of the job. It may contain slashes.")),
    responses(
        (status = 200, description = "The job has ended.", body = CancelReceipt),
        (status = 202, description = "The job is being cancelled.", body = CancelReceipt)))]
async fn cancel_job(auth: Auth<MediaUse>, app: Data<App>, path: Path<String>) -> Api<HttpResponse> {
    let (caller, Path(id)) = (auth.caller(), path);
    let owner = caller.clone();
    let job = app.store.read(move |reader| video::own(reader, &owner, &id, None)).await?;
    run_streams::cancel(&app, &caller, RunKind::Video, job.id.1).await.map(receipt)
}

operations!(list_jobs, get_job_status, cancel_job);
