//! Asking for videos, and the models that make them.

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

/// Have a video made.
///
/// The job goes on by itself; its status tells how far it is. A job whose provider was asked before a crash of
/// this server, and may have accepted it, is never submitted again where the provider cannot tell whether it
/// has it: it then fails with `submission_uncertain`, so that nothing is paid for twice. `Idempotency-Key` gives
/// the same job again for 24 hours.
#[utoipa::path(post, path = "/api/video/generate", operation_id = "video.generate_video",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")))]
async fn generate_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(asked): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, asked, Make::Generate).await
}

/// Have a video made once more, changed as the prompt says.
///
/// `source_job_id` names a completed job of the caller's own; its model makes the new one, of the same size and
/// length. While the source is not completed: 409.
#[utoipa::path(post, path = "/api/video/remix", operation_id = "video.remix_video",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")),
    responses((status = 409, description = "The source is not completed.")))]
async fn remix_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(asked): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, asked, Make::Remix).await
}

/// Have a video go on.
///
/// `source_job_id` names a completed job of the caller's own; its model makes the new video, which is longer by
/// `seconds`. While the source is not completed: 409.
#[utoipa::path(post, path = "/api/video/extend", operation_id = "video.extend_video",
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within 24 h gives the same job.")),
    responses((status = 409, description = "The source is not completed.")))]
async fn extend_video(
    auth: Auth<MediaUse>,
    app: Data<App>,
    request: HttpRequest,
    Json(asked): Json<VideoGenerationBody>,
) -> Api<Accepted<VideoJobResponse>> {
    begin(&app, &auth, &request, asked, Make::Extend).await
}

async fn begin(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    asked: VideoGenerationBody,
    make: Make,
) -> Api<Accepted<VideoJobResponse>> {
    let start = asked.start(make, caller, request_key(request, caller)?)?;
    let job = jobs::video::start(&app.actors, start).await?;
    Ok(Accepted(job.into()))
}

/// List the models that make videos.
///
/// With what each makes: sizes, seconds, and whether it changes videos or goes on with them. `tags` leaves only
/// those that have all of them, among what they can do and what else is to know of them.
#[utoipa::path(get, path = "/api/video/models", operation_id = "video.get_models", params(ListVideoModels))]
async fn get_models(
    auth: Auth<MediaUse>,
    app: Data<App>,
    Query(asked): Query<ListVideoModels>,
) -> Api<Json<VideoModelResponseList>> {
    let offer = offer(&app.store, &app.models, auth.tenant, auth.user).await?;
    let listed = offer.list_media::<dyn VideoModel>().into_iter().filter(|model| {
        let has = |tag: &String| model.capability_tags.contains(tag) || model.info_tags.contains(tag);
        asked.tags.iter().all(has)
    });
    let shown = |listed: providers::MediaInfo| {
        let offered = offer.media::<dyn VideoModel>(Some(&listed.id))?;
        Some(VideoModelResponse::of(listed, &offered))
    };
    let items: Vec<_> = listed.filter_map(shown).collect();
    Ok(Json(VideoModelResponseList { total: items.len() as u64, items }))
}

operations!(generate_video, remix_video, extend_video, get_models);
