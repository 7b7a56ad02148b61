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

/// The version of a skill to return.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct WhichVersion {
    /// The hash of the version's content. Defaults to the version in use.
    pub content_hash: Option<String>,
}

impl Validate for WhichVersion {}

/// Download the bundle of a skill.
///
/// Returns the bundle as it was uploaded. Requires permission to change the skill.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}/bundle",
    params(WhichVersion,
        ("Range" = Option<String>, Header, description = "The requested part of the content, for example `bytes=0-1023`.")),
    responses(
        (status = 200, description = "The bundle.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The requested part of the bundle.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 304, description = "The client already has the bundle."),
        (status = 416, description = "The range begins after the end of the bundle.")))]
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

/// Sends the bundle as an attachment.
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
