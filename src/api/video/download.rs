//! Streaming the file of a video job, or a range of it.

use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::video;
use storage::TenantId;
use storage::records::VideoResult;
use uuid::Uuid;

use super::schema::VideoGenerationBody;
use crate::App;
use crate::http::scopes::MediaUse;
use crate::http::{Api, Auth, Caller, Code, Download, OptionalJson, Path, download, operations};

/// Download the video of a job.
///
/// Returns 409 if the video is not ready or the job has none, and 410 if the video has expired. `Range` and
/// `If-Range` select one part of it. The body is optional. If it has a `model` that is not the job's model, the
/// response is 404.
#[utoipa::path(post, path = "/api/video/jobs/{job_id:.+}/download",
    params(("job_id" = String, Path, description = "The id of the job. It may contain slashes."),
        ("Range" = Option<String>, Header, description = "The requested part of the content, for example `bytes=0-1023`.")),
    request_body(content = Option<VideoGenerationBody>, description = "Optional."),
    responses(
        (status = 200, description = "The video.", body = Vec<u8>, content_type = "video/*"),
        (status = 206, description = "The requested part of the video.", body = Vec<u8>, content_type = "video/*"),
        (status = 304, description = "The client already has the video."),
        (status = 409, description = "The video is not ready, or the job has none."),
        (status = 410, description = "The video has expired."),
        (status = 416, description = "The range begins after the end of the video.")))]
async fn download_job_result(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    request: HttpRequest,
    OptionalJson(body): OptionalJson<VideoGenerationBody>,
) -> Api<HttpResponse> {
    send(&app, auth.caller(), path.0, body.model, request.headers()).await
}

/// Download the video of a job with a browser or player.
///
/// Works like the POST operation.
#[utoipa::path(get, path = "/api/video/jobs/{job_id:.+}/download",
    params(("job_id" = String, Path, description = "The id of the job. It may contain slashes."),
        ("Range" = Option<String>, Header, description = "The requested part of the content, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "The video.", body = Vec<u8>, content_type = "video/*"),
        (status = 206, description = "The requested part of the video.", body = Vec<u8>, content_type = "video/*"),
        (status = 304, description = "The client already has the video."),
        (status = 409, description = "The video is not ready, or the job has none."),
        (status = 410, description = "The video has expired."),
        (status = 416, description = "The range begins after the end of the video.")))]
async fn get_job_result(
    auth: Auth<MediaUse>,
    app: Data<App>,
    path: Path<String>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    send(&app, auth.caller(), path.0, None, request.headers()).await
}

async fn send(
    app: &App,
    caller: Arc<Caller>,
    id: String,
    model: Option<String>,
    headers: &HeaderMap,
) -> Api<HttpResponse> {
    let tenant = caller.tenant;
    let job = app.store.read(move |reader| video::own(reader, &caller, &id, model.as_deref())).await?;
    respond(app, tenant, job.id.1, video::file(&job)?, headers).await
}

async fn respond(
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
    // The file may expire after the row was read.
    download(app, headers, sent).await.map_err(|why| match why.code() {
        Code::NotFound => Code::ResultExpired.into(),
        _ => why,
    })
}

operations!(download_job_result, get_job_result);
