//! Downloading the bundle of a skill.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, Charset, ContentDisposition, DispositionParam,
    DispositionType, ExtendedValue,
};
use actix_web::web::Data;
use serde::Deserialize;
use storage::Row;
use storage::records::{Skill, SkillVersion};
use utoipa::IntoParams;

use crate::App;
use crate::http::scopes::SkillsRead;
use crate::http::{Api, ApiError, Area, Caller, Found, Query, ToEdit, Validate, operations};

/// Which version of a skill.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichVersion {
    /// Its content's hash; else the version in use.
    pub content_hash: Option<String>,
}

impl Validate for WhichVersion {}

/// Download the bundle of a skill.
///
/// As it was uploaded. Needs the right to change the skill.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/bundle", operation_id = "skills.get_skill_bundle",
    params(WhichVersion),
    responses((status = 200, description = "Its bytes.", body = Vec<u8>, content_type = "application/octet-stream")))]
async fn get_skill_bundle(
    skill: Found<Row<Skill>, SkillsRead, ToEdit>,
    app: Data<App>,
    Query(which): Query<WhichVersion>,
) -> Api<HttpResponse> {
    let version = version(&skill, which)?;
    send(&app, &skill.auth, version).await
}

fn version(skill: &Skill, which: WhichVersion) -> Api<SkillVersion> {
    let hash = which.content_hash.as_ref().unwrap_or(&skill.content_hash);
    let found = skill.versions.iter().find(|version| version.content_hash == *hash);
    found.cloned().ok_or_else(|| ApiError::not_found("version"))
}

/// Sends it as something to save.
async fn send(app: &App, caller: &Caller, version: SkillVersion) -> Api<HttpResponse> {
    let blob = app.store.blobs().get(caller.tenant, &version.blob_id).await?;
    let charset = Charset::Ext("UTF-8".into());
    let name = ExtendedValue { charset, language_tag: None, value: version.filename.into_bytes() };
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::FilenameExt(name)],
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, "application/octet-stream"))
        .insert_header((CONTENT_DISPOSITION, disposition))
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .insert_header(("x-content-type-options", "nosniff"))
        .no_chunking(blob.size);
    Ok(response.streaming(blob.bytes))
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; get_skill_bundle);
}
