//! Making videos, and the models for that.

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

/// Make a video.
///
/// The job goes on by itself; its status shows the progress. After a crash of this server while a job was being submitted,
/// the provider may have accepted it. Where the provider cannot say whether it has, the job is not submitted again and
/// fails with `submission_uncertain`, so that nothing is paid for twice. The same `Idempotency-Key` returns the same job
/// for 24 hours.
#[utoipa::path(post, path = "/api/video/generate",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")))]
async fn generate_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(body): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, body, Make::Generate).await
}

/// Remix a video, changed as the prompt says.
///
/// `source_job_id` names a completed job of the caller's own; its model makes the new one, of the same size and
/// length. While the source is not completed: 409.
#[utoipa::path(post, path = "/api/video/remix",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")),
    responses((status = 409, description = "The source is not completed.")))]
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
/// `source_job_id` names a completed job of the caller's own; its model makes the new video, which is longer by
/// `seconds`. While the source is not completed: 409.
#[utoipa::path(post, path = "/api/video/extend",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")),
    responses((status = 409, description = "The source is not completed.")))]
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

/// List the models that make videos.
///
/// With the sizes and lengths that each supports, and whether it remixes and extends videos. `tags` selects the models
/// that have all of them, among their capabilities and their other tags.
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
