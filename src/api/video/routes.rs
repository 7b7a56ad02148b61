//! Generating videos, and listing the models that generate them.

use actix_web::HttpRequest;
use actix_web::web::Data;
use assist::offer::offer;
use providers::media::video::VideoModel;

use super::schema::{ListVideoModels, Make, VideoGenerationBody};
use super::view::{VideoJobResponse, VideoModelResponse, VideoModelResponseList};
use crate::App;
use crate::http::idempotency::request_key;
use crate::http::scopes::MediaUse;
use crate::http::{Accepted, Api, Auth, Caller, Json, Query, operations};

/// Generate a video.
///
/// The job continues in the background, and its status shows the progress. If this server crashes while it
/// submits a job, the provider may have accepted the job. If the provider cannot report whether it has, the job
/// is not submitted again and fails with `submission_uncertain`, so that nothing is paid for twice. A repeated
/// request with the same `Idempotency-Key` returns the same job for 24 hours.
#[utoipa::path(post, path = "/api/video/generate",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "The idempotency key. A repeated request with the same key within 24 hours returns the same job.")))]
async fn generate_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(body): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, body, Make::Generate).await
}

/// Remix a video: change it as the prompt describes.
///
/// `source_job_id` names one of the caller's own completed jobs. The same model generates the new video, with
/// the same size and length. If the source job is not completed, the response is 409.
#[utoipa::path(post, path = "/api/video/remix",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "The idempotency key. A repeated request with the same key within 24 hours returns the same job.")),
    responses((status = 409, description = "The source job is not completed.")))]
async fn remix_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(body): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, body, Make::Remix).await
}

/// Extend a video.
///
/// `source_job_id` names one of the caller's own completed jobs. The same model generates the new video, which
/// is longer by `seconds`. If the source job is not completed, the response is 409.
#[utoipa::path(post, path = "/api/video/extend",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "The idempotency key. A repeated request with the same key within 24 hours returns the same job.")),
    responses((status = 409, description = "The source job is not completed.")))]
async fn extend_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(body): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, body, Make::Extend).await
}

async fn begin(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    body: VideoGenerationBody,
    make: Make,
) -> Api<Accepted<VideoJobResponse>> {
    let start = body.start(make, caller, request_key(request, caller)?)?;
    let job = jobs::video::start(&app.actors, start).await?;
    Ok(Accepted(job.into()))
}

/// List the models that generate videos.
///
/// Includes the sizes and lengths that each model supports, and whether it can remix and extend videos. `tags`
/// selects models that have all of these tags among their capability tags and other tags.
#[utoipa::path(get, path = "/api/video/models", params(ListVideoModels))]
async fn get_models(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Query(query): Query<ListVideoModels>,
) -> Api<Json<VideoModelResponseList>> {
    let offer = offer(&app.store, &app.models, auth.tenant, auth.user).await?;
    let listed = offer.list_media::<dyn VideoModel>().into_iter().filter(|model| {
        let has = |tag: &String| model.capability_tags.contains(tag) || model.info_tags.contains(tag);
        query.tags.iter().all(has)
    });
    let shown = |listed: providers::MediaInfo| {
        let offered = offer.media::<dyn VideoModel>(Some(&listed.id))?;
        Some(VideoModelResponse::new(listed, &offered))
    };
    let items: Vec<_> = listed.filter_map(shown).collect();
    Ok(Json(VideoModelResponseList { total: items.len() as u64, items }))
}

operations!(generate_video, remix_video, extend_video, get_models);
