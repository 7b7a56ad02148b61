//! Downloading the bundle of a skill.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use storage::Row;
use storage::records::{Skill, SkillVersion};
use utoipa::IntoParams;

use crate::App;
use crate::http::scopes::SkillsRead;
use crate::http::{Api, Caller, Download, Loaded, Query, Refusal, ToEdit, Validate, download, operations};

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
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/bundle",
    params(WhichVersion, ("Range" = Option<String>, Header, description = "One part, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "Its bytes.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "A part of them.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 304, description = "The caller has it already."),
        (status = 416, description = "The part lies behind its end.")))]
async fn get_skill_bundle(
    skill: Loaded<Row<Skill>, SkillsRead, ToEdit>,
    app: Data<App>,
    Query(which): Query<WhichVersion>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    let version = version(&skill, which)?;
    send(&app, &skill.auth, version, &request).await
}

fn version(skill: &Skill, which: WhichVersion) -> Api<SkillVersion> {
    let hash = which.content_hash.as_ref().unwrap_or(&skill.content_hash);
    let found = skill.versions.iter().find(|version| version.content_hash == *hash);
    found.cloned().ok_or_else(|| Refusal::not_found("version"))
}

/// Sends it as something to save.
async fn send(app: &App, caller: &Caller, version: SkillVersion, request: &HttpRequest) -> Api<HttpResponse> {
    let sent = Download {
        tenant: caller.tenant,
        blob: &version.blob_id,
        size: None,
        media_type: "application/octet-stream",
        filename: &version.filename,
        inline: false,
        caching: "private, no-cache",
        policy: "sandbox; default-src 'none'",
    };
    download(app, request.headers(), sent).await
}

operations!(get_skill_bundle);
