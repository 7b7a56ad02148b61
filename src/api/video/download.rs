//! The file of a video job, whole or in part, never held whole in memory.

use actix_web::http::header::HeaderMap;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use storage::records::{VideoJob, VideoJobState, VideoResult};
use storage::{Row, TenantId};
use uuid::Uuid;

use super::own;
use super::schema::VideoGenerationBody;
use super::view::is_expired;
use crate::App;
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Code, Download, OptionalJson, Path, Refusal, download, operations};

/// Download the video of a job.
///
/// 409 before it is there, and where there is none; 410 once it has expired. `Range` and `If-Range` are honoured for
/// one part of it. The body is not needed; a `model` in it that is not the job's is 404.
#[utoipa::path(post, path = "/api/video/jobs/{job_id:.+}/download", operation_id = "video.download_job_result",
    params(("job_id" = String, Path, description = "The job's name; it may hold slashes."),
        ("Range" = Option<String>, Header, description = "One part, for example `bytes=0-1023`.")),
    request_body(content = Option<VideoGenerationBody>, description = "Not needed"),
    responses(
        (status = 200, description = "The video.", body = Vec<u8>, content_type = "video/*"),
        (status = 206, description = "A part of it.", body = Vec<u8>, content_type = "video/*"),
        (status = 304, description = "The caller has it already."),
        (status = 409, description = "Not ready."),
        (status = 410, description = "It has expired."),
        (status = 416, description = "The part lies behind its end.")))]
async fn download_job_result(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    request: HttpRequest,
    OptionalJson(body): OptionalJson<VideoGenerationBody>,
) -> Api<HttpResponse> {
    send(&app, &auth, &path.0, body.model.as_deref(), request.headers()).await
}

/// Download the video of a job, as browsers and players do.
///
/// The same as by POST.
#[utoipa::path(get, path = "/api/video/jobs/{job_id:.+}/download", operation_id = "video.get_job_result",
    params(("job_id" = String, Path, description = "The job's name; it may hold slashes."),
        ("Range" = Option<String>, Header, description = "One part, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "The video.", body = Vec<u8>, content_type = "video/*"),
        (status = 206, description = "A part of it.", body = Vec<u8>, content_type = "video/*"),
        (status = 304, description = "The caller has it already."),
        (status = 409, description = "Not ready."),
        (status = 410, description = "It has expired."),
        (status = 416, description = "The part lies behind its end.")))]
async fn get_job_result(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    send(&app, &auth, &path.0, None, request.headers()).await
}

async fn send(
    app: &App,
    caller: &Caller,
    job: &str,
    model: Option<&str>,
    headers: &HeaderMap,
) -> Api<HttpResponse> {
    let (tenant, user, job) = (caller.tenant, caller.user, job.to_owned());
    let job = app.store.read(move |reader| own(reader, tenant, user, &job)).await?;
    if model.is_some_and(|model| model != job.model) {
        return Err(Refusal::not_found("video job"));
    }
    let file = file(&job)?;
    answer(app, caller.tenant, job.id.1, file, headers).await
}

/// The file of a job, while there is one.
fn file(job: &Row<VideoJob>) -> Api<VideoResult> {
    let not_there = |why: &str| Refusal::new(Code::NotReady).detail(why.to_owned());
    match job.state {
        VideoJobState::Queued | VideoJobState::InProgress => {
            Err(not_there("the video is being made").extra("progress", job.progress))
        }
        VideoJobState::Cancelled => Err(not_there("the video was stopped before it was there")),
        VideoJobState::Failed => {
            let why = job.error.clone().unwrap_or_default();
            Err(not_there(&format!("there is no video: {}", why.message)).extra("reason", why.code))
        }
        VideoJobState::Completed if is_expired(job) => Err(Code::ResultExpired.into()),
        VideoJobState::Completed => job.result.clone().ok_or_else(|| Code::ResultExpired.into()),
    }
}

async fn answer(
    app: &App,
    tenant: TenantId,
    job: Uuid,
    file: VideoResult,
    headers: &HeaderMap,
) -> Api<HttpResponse> {
    let extension = if file.media_type == "video/webm" { "webm" } else { "mp4" };
    let sent = Download {
        tenant,
        blob: &file.blob_id,
        size: Some(file.size),
        media_type: &file.media_type,
        filename: &format!("{job}.{extension}"),
        inline: true,
        caching: "private, no-cache",
        policy: "sandbox; default-src 'none'; media-src 'self'",
    };
    // It may go with its time between the look at the row and this.
    download(app, headers, sent).await.map_err(|why| match why.code() {
        Code::NotFound => Code::ResultExpired.into(),
        _ => why,
    })
}

operations!(download_job_result, get_job_result);
