//! Pictures of assistants.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::assistants;
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::records::Assistant;
use utoipa::ToSchema;

use super::binned::AlsoBinned;
use crate::App;
use crate::api::images::{self, Generated, Picture, Wanted};
use crate::http::scopes::{Any, AssistantsRead, AssistantsWrite};
use crate::http::{Api, Auth, Json, Loaded, Multipart, MultipartForm, Refusal, ToEdit, Validate, operations};

/// What pictures may be.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllowedAvatarContentTypesResponse {
    /// Types that are taken.
    #[schema(value_type = Vec<String>)]
    pub content_types: [&'static str; 3],
    /// The largest file, in bytes.
    pub max_bytes: u64,
    /// The longest side, in pixels.
    pub max_side: u32,
    /// The sides of the square that is kept, in pixels.
    pub kept_side: u32,
}

/// A picture for an assistant.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UploadAssistantAvatarForm {
    /// The picture: PNG, JPEG or WebP, at most 2 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary)]
    _file: Option<String>,
}

impl Validate for UploadAssistantAvatarForm {}

impl MultipartForm for UploadAssistantAvatarForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

/// What a picture is to show.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct GenerateAssistantAvatarRequest {
    /// In words; without any, it is made from the assistant's name and description.
    #[schema(max_length = 1000)]
    pub prompt: Option<String>,
    /// The image model; else the default one.
    #[schema(max_length = 200)]
    pub model: Option<String>,
}

impl Validate for GenerateAssistantAvatarRequest {}

/// The picture that an assistant has now.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantAvatar {
    /// Where it is.
    pub avatar_url: Option<String>,
    /// The model that drew it; `null` for an uploaded picture. `builtin/sketch` understands nothing: it draws a
    /// pattern that follows from the words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_by: Option<String>,
    /// Why it was not the model that is usually asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The assistant's version now.
    pub version: u64,
}

/// List the types of pictures that are taken.
#[utoipa::path(get, path = "/api/assistants/avatar/upload/content-types")]
async fn get_allowed_avatar_content_types(_: Auth<Any>) -> Api<Json<AllowedAvatarContentTypesResponse>> {
    Ok(Json(AllowedAvatarContentTypesResponse {
        content_types: images::TYPES,
        max_bytes: images::LARGEST,
        max_side: images::LONGEST_SIDE,
        kept_side: images::SIDE,
    }))
}

/// Upload an assistant's picture.
///
/// What is kept is the middle of it, 512 by 512 pixels, without anything that the camera wrote into
/// it. Its first bytes tell what it is.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/avatar/upload",
    request_body(content = UploadAssistantAvatarForm, content_type = "multipart/form-data"))]
async fn upload_avatar(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    form: Multipart<UploadAssistantAvatarForm>,
) -> Api<Json<AssistantAvatar>> {
    let picture = Picture::received(&form.files).await?;
    set(&app, &assistant, picture).await.map(Json)
}

/// Draw an assistant's picture.
///
/// By the image model that is named, or the default one. The built-in one draws a pattern
/// that follows from the words alone: the same words, the same picture. A model that was named and fails is 502 or
/// 504; where none was named, such a pattern is drawn then, and `note` says why. Billed as a picture.
#[utoipa::path(post, path = "/api/assistants/{assistant_id}/avatar/generate")]
async fn generate_avatar(
    assistant: Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    app: Data<App>,
    Json(request): Json<GenerateAssistantAvatarRequest>,
) -> Api<Json<AssistantAvatar>> {
    let wanted = wanted(&assistant, request);
    let Generated { picture, drawn_by, note } = images::generate(&app, &assistant.auth, wanted).await?;
    let avatar = set(&app, &assistant, picture).await?;
    Ok(Json(AssistantAvatar { drawn_by: Some(drawn_by), note, ..avatar }))
}

fn wanted(assistant: &Assistant, request: GenerateAssistantAvatarRequest) -> Wanted {
    let model = request.model.filter(|model| !model.is_empty());
    if let Some(prompt) = request.prompt.filter(|prompt| !prompt.trim().is_empty()) {
        return Wanted { seed: prompt.clone(), prompt, model };
    }
    let (name, description) = (&assistant.name, &assistant.description);
    let prompt = format!(
        "A simple picture, without any letters, that stands for an assistant called \"{name}\". {description}"
    );
    Wanted { prompt, seed: format!("{name}\n{description}"), model }
}

/// Show an assistant's picture.
///
/// 404 where it has none. At the address that `avatar_url` tells it can be kept for a year, since
/// another picture has another address.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/avatar",
    params(("v" = Option<String>, Query, description = "The beginning of the picture's id; `avatar_url` has it.")),
    responses(
        (status = 200, description = "The picture.", content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"))),
        (status = 304, description = "It is the one that the caller has.")))]
async fn get_avatar(
    assistant: Loaded<AlsoBinned, AssistantsRead>,
    app: Data<App>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let picture = assistant.it.0.avatar.as_ref().ok_or_else(|| Refusal::not_found("picture"))?;
    images::serve(&app, assistant.auth.tenant, picture, &request).await
}

async fn set(
    app: &App,
    assistant: &Loaded<Row<Assistant>, AssistantsWrite, ToEdit>,
    picture: Picture,
) -> Api<AssistantAvatar> {
    let (caller, id) = (assistant.auth.caller(), assistant.id);
    let blob = picture.put(app, caller.tenant).await?;
    let row = app.store.run(move |tx| assistants::set_picture(tx, &caller, id, blob.clone())).await?;
    let avatar_url = images::address("/api/assistants", id, row.avatar.as_ref());
    Ok(AssistantAvatar { avatar_url, drawn_by: None, note: None, version: row.version })
}

operations!(get_allowed_avatar_content_types with slash, upload_avatar, generate_avatar, get_avatar);
