//! Avatars of skills.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use storage::Row;
use storage::records::Skill;
use utoipa::ToSchema;

use super::change;
use super::schema::UploadSkillAvatarForm;
use super::view::SkillDetailResponse;
use crate::App;
use crate::api::images::{self, Picture};
use crate::http::scopes::{SkillsRead, SkillsWrite};
use crate::http::{Api, Auth, Json, Loaded, Multipart, Refusal, ToEdit, Versioned, operations};

/// The limits for avatars of skills.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllowedSkillAvatarContentTypesResponse {
    /// The accepted media types.
    pub content_types: Vec<&'static str>,
    /// The maximum size of the file, in bytes.
    pub max_bytes: u64,
}

/// List the content types that are accepted for avatars of skills.
#[utoipa::path(get, path = "/api/skills/avatar/upload/content-types")]
async fn get_allowed_skill_avatar_content_types(
    _: Auth<SkillsRead>,
) -> Api<Json<AllowedSkillAvatarContentTypesResponse>> {
    let (content_types, max_bytes) = (images::TYPES.to_vec(), images::MAX_BYTES);
    Ok(Json(AllowedSkillAvatarContentTypesResponse { content_types, max_bytes }))
}

/// Upload the avatar of a skill.
///
/// The image is cropped to a square and stored with a side length of 512 pixels.
#[utoipa::path(post, path = "/api/skills/global/{skill_id}/avatar/upload",
    request_body(content = UploadSkillAvatarForm, content_type = "multipart/form-data"))]
async fn upload_skill_avatar(
    skill: Loaded<Row<Skill>, SkillsWrite, ToEdit>,
    app: Data<App>,
    form: Multipart<UploadSkillAvatarForm>,
) -> Api<Versioned<SkillDetailResponse>> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let blob = Picture::received(&form.files).await?.put(&app, caller.tenant).await?;
    app.store.run(move |tx| change::set_picture(tx, &caller, id, blob.clone())).await.map(Versioned)
}

/// Retrieve the avatar of a skill.
///
/// Returns 404 if the skill has no avatar.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/avatar",
    responses((status = 200, description = "The image.", body = Vec<u8>, content_type = "image/*"),
        (status = 304, description = "The client already has the current image.")))]
async fn get_skill_avatar(
    skill: Loaded<Row<Skill>, SkillsRead>,
    app: Data<App>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let blob = skill.avatar.clone().ok_or_else(|| Refusal::not_found("picture"))?;
    images::serve(&app, skill.auth.tenant, &blob, &request).await
}

operations!(get_allowed_skill_avatar_content_types with slash, upload_skill_avatar, get_skill_avatar);
