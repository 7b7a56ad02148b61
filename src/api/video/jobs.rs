//! Video jobs: which there are, how far one is, stopping one.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{Run, RunKind, VideoJob};
use storage::{Reader, Row, Scan};

use super::own;
use super::schema::OfModel;
use super::view::{VideoJobResponse, VideoJobResponseList};
use crate::App;
use crate::api::run_streams::{
    self, CancelReceipt, RunSnapshot, StreamQuery, StreamReader, credential_rights, receipt,
};
use crate::http::encodings::{self, Wire};
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
    params(("job_id" = String, Path, description = "The job's name; it may hold slashes."), OfModel, StreamQuery,
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
    Query(how): Query<StreamQuery>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let (caller, Path(job)) = (auth.caller(), path);
    let (owner, wire) = (caller.clone(), how.wire(&request));
    let read = move |reader: &Reader| load(reader, &owner, &job, of.model.as_deref(), wire);
    match app.store.read(read).await? {
        JobRead::Job(job) => Ok(HttpResponse::Ok().json(VideoJobResponse::from(job))),
        JobRead::Stream(wire, snapshot) => {
            // Whose job it is never changes, so only the credential is looked at again.
            let rights = credential_rights(&app, &caller);
            let options = how.job_options(&request, wire)?;
            run_streams::attach(StreamReader { app, caller, rights }, snapshot, &options).await
        }
    }
}

/// What a client reads of a job: its state, or the stream of its run.
enum JobRead {
    Job(Row<VideoJob>),
    Stream(Wire, RunSnapshot),
}

/// A job of the caller's, or its run where that is to be read on a wire; 404 where the job is of another model.
fn load(
    reader: &Reader,
    caller: &Caller,
    job: &str,
    model: Option<&str>,
    wire: Option<Wire>,
) -> Api<JobRead> {
    let job = own(reader, caller.tenant, caller.user, job)?;
    if model.is_some_and(|model| *model != job.model) {
        return Err(Refusal::not_found("video job"));
    }
    let Some(wire) = wire else { return Ok(JobRead::Job(job)) };
    let run = reader.require::<Run>(caller.tenant, &job.id.1)?;
    Ok(JobRead::Stream(wire, RunSnapshot::read(reader, caller, None, run, wire)?))
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
    let (tenant, user) = (caller.tenant, caller.user);
    let job = app.store.read(move |reader| own(reader, tenant, user, &job)).await?;
    run_streams::cancel(&app, &caller, RunKind::Video, job.id.1).await.map(receipt)
}

operations!(list_jobs, get_job_status, cancel_job);
