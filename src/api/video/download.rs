//! The file of a video job, whole or a range of it, streamed.

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
/// 409 before it is ready, and after a job without a video; 410 once it has expired. `Range` and `If-Range` select one
/// part of it. The body is optional; 404 when its `model` is not the job's.
#[utoipa::path(post, path = "/api/video/jobs/{job_id:.+}/download",
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
    send(&app, auth.caller(), path.0, body.model, request.headers()).await
}

/// Download the video of a job, as browsers and players do.
///
/// The same as by POST.
#[utoipa::path(get, path = "/api/video/jobs/{job_id:.+}/download",
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
    // It may expire between the read of the row and this.
    download(app, headers, sent).await.map_err(|why| match why.code() {
        Code::NotFound => Code::ResultExpired.into(),
        _ => why,
    })
}

operations!(download_job_result, get_job_result);
