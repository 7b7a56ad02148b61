//! Pictures of assistants.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::assistants;
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::records::Assistant;
use utoipa::ToSchema;

use super::loadable::AlsoBinned;
use crate::App;
use crate::api::images::{self, Generated, Picture, Wanted};
use crate::http::scopes::{Any, AssistantsRead, AssistantsWrite};
use crate::http::{Api, Auth, Json, Loaded, Multipart, MultipartForm, Refusal, ToEdit, Validate, operations};

/// The requirements for uploaded pictures.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllowedAvatarContentTypesResponse {
    /// Accepted media types.
    #[schema(value_type = Vec<String>)]
    pub content_types: [&'static str; 3],
    /// Maximum size of a file, in bytes.
    pub max_bytes: u64,
    /// Maximum length of the longer side, in pixels.
    pub max_side: u32,
    /// Side length of the stored square, in pixels.
    pub kept_side: u32,
}

/// A form with a picture for an assistant.
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

/// The options of a generated picture.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct GenerateAssistantAvatarRequest {
    /// Description of the picture. If omitted, the picture is generated from the assistant's name and description.
    #[schema(max_length = 1000)]
    pub prompt: Option<String>,
    /// Id of the image model. Defaults to the default image model.
    #[schema(max_length = 200)]
    pub model: Option<String>,
}

impl Validate for GenerateAssistantAvatarRequest {}

/// The current picture of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssistantAvatar {
    /// Address of the picture.
    pub avatar_url: Option<String>,
    /// Id of the model that drew the picture; `null` for an uploaded picture. `builtin/sketch` does not interpret the prompt: it draws a
    /// pattern that is derived from the words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub drawn_by: Option<String>,
    /// Why a different model than the default one drew the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub note: Option<String>,
    /// Version of the assistant after the change.
    pub version: u64,
}

/// List the accepted types of pictures.
#[utoipa::path(get, path = "/api/assistants/avatar/upload/content-types")]
async fn get_allowed_avatar_content_types(_: Auth<Any>) -> Api<Json<AllowedAvatarContentTypesResponse>> {
    Ok(Json(AllowedAvatarContentTypesResponse {
        content_types: images::TYPES,
        max_bytes: images::MAX_BYTES,
        max_side: images::MAX_SIDE_LENGTH,
        kept_side: images::SIDE,
    }))
}

/// Upload a picture of an assistant.
///
/// The server stores the central square of the picture, 512 by 512 pixels, without camera metadata. The type of the picture is detected
/// from its first bytes.
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

/// Generate a picture of an assistant.
///
/// Uses the requested image model, or the default one. The built-in model draws a pattern that is derived from the words alone: the same
/// words give the same picture. If a requested model fails, the response is 502 or 504. If no model is requested and the default one fails,
/// the built-in model draws a pattern, and `note` contains the reason. The request is billed as an image.
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

/// Retrieve the picture of an assistant.
///
/// The response is 404 if the assistant has no picture. Responses at the address in `avatar_url` may be cached for a year, because a new
/// picture has a new address.
#[utoipa::path(get, path = "/api/assistants/{assistant_id}/avatar",
    params(("v" = Option<String>, Query,
        description = "The version of the image, as in `avatar_url`. With it, the response can be cached for a year.")),
    responses(
        (status = 200, description = "The image.", content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"))),
        (status = 304, description = "The client already has the current image.")))]
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
