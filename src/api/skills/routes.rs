//! Skills themselves.

use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::skills;
use storage::records::{Skill, SkillUsableIn};
use storage::{Row, Tx};

use super::change::{self, Uploaded};
use super::list::{self, ListSkills};
use super::received::{self, Received, receive};
use super::schema::{SkillFields, UpdateGlobalSkillForm, UploadGlobalSkillForm};
use super::view::{SkillDetailResponse, SkillResponseList};
use crate::App;
use crate::http::scopes::{SkillsRead, SkillsWrite};
use crate::http::{
    Api, Auth, Caller, Editor, IfMatch, Json, Loaded, Multipart, NoContent, Query, ToEdit, ToOwn, Versioned,
    operations,
};

/// Upload a skill.
///
/// A bundle is a `.skill` or `.zip` file, one `SKILL.md` or one `.js` file; a draft of the builder is
/// published by naming it instead of a file. Its functions are looked at in the sandbox, and all faults
/// are told at once. The whole tenant sees it unless `visibility` says otherwise. Content that the caller has
/// uploaded before answers the skill there is, with 200. Needs the role `editor`.
#[utoipa::path(post, path = "/api/skills/global",
    request_body(content = UploadGlobalSkillForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "The skill.", body = SkillDetailResponse),
        (status = 200, description = "The skill that was there.", body = SkillDetailResponse)))]
async fn upload_global_skill(
    auth: Auth<SkillsWrite, Editor>,
    app: Data<App>,
    form: Multipart<UploadGlobalSkillForm>,
) -> Api<HttpResponse> {
    Ok(match upload(&app, &auth.caller(), form).await? {
        Uploaded::New(skill) => HttpResponse::Created().json(skill),
        Uploaded::Existing(skill) => HttpResponse::Ok().json(skill),
    })
}

async fn upload(app: &App, caller: &Caller, form: Multipart<UploadGlobalSkillForm>) -> Api<Uploaded> {
    let fields = SkillFields::from(form.fields);
    let received = receive(app, caller, &form.files, &fields).await?.ok_or_else(received::missing)?;
    let input = fields.input;
    // Tried without a commit first, so that a refused upload leaves no file.
    let _ = app.store.prepare(|tx| change::create(tx, caller, &input, &received))?;
    received.keep(app, caller.tenant).await?;
    let caller = caller.clone();
    app.store.run(move |tx| change::create(tx, &caller, &input, &received)).await
}

/// List the skills that the caller may see.
#[utoipa::path(get, path = "/api/skills/global", params(ListSkills))]
async fn list_global_skills(
    auth: Auth<SkillsRead>,
    app: Data<App>,
    Query(params): Query<ListSkills>,
) -> Api<Json<SkillResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &params)).await.map(Json)
}

/// Show a skill.
///
/// With its instructions and functions; its files and versions are shown to those who may change it.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}")]
async fn get_global_skill(
    skill: Loaded<Row<Skill>, SkillsRead>,
    app: Data<App>,
) -> Api<Versioned<SkillDetailResponse>> {
    let Loaded { auth, it } = skill;
    app.store.read(move |reader| change::detail(reader, &auth, it)).await.map(Versioned)
}

/// Change a skill, or give it a new version.
///
/// What is left out stays. A new bundle is a new version, and takes its name, description and usability
/// along unless the form gives them; the content that the skill has already changes nothing. Conversations and
/// assistants use the new version from now on.
#[utoipa::path(put, path = "/api/skills/global/{skill_id}",
    request_body(content = UpdateGlobalSkillForm, content_type = "multipart/form-data"))]
async fn update_global_skill(
    skill: Loaded<Row<Skill>, SkillsWrite, ToEdit>,
    app: Data<App>,
    if_match: IfMatch,
    form: Multipart<UpdateGlobalSkillForm>,
) -> Api<Versioned<SkillDetailResponse>> {
    update(&app, skill, if_match, form).await.map(Versioned)
}

async fn update(
    app: &App,
    skill: Loaded<Row<Skill>, SkillsWrite, ToEdit>,
    if_match: IfMatch,
    form: Multipart<UpdateGlobalSkillForm>,
) -> Api<SkillDetailResponse> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let fields = SkillFields::from(form.fields);
    let received = receive(app, &caller, &form.files, &fields).await?;
    let (precondition, version) = (if_match.precondition(), fields.version);
    let (tenant, input) = (caller.tenant, fields.input);
    let change = move |tx: &mut Tx, received: Option<&Received>| {
        change::change(tx, &caller, id, (&precondition, version), &input, received)
    };
    if let Some(received) = &received {
        // Tried without a commit first, so that a refused upload leaves no file.
        let _ = app.store.prepare(|tx| change(tx, Some(received)))?;
        received.keep(app, tenant).await?;
    }
    app.store.run(move |tx| change(tx, received.as_ref())).await
}

/// Delete a skill.
///
/// 409 `in_use` names the assistants and conversations that use it. Only its owners may.
#[utoipa::path(delete, path = "/api/skills/global/{skill_id}",
    responses((status = 409, description = "It is in use.")))]
async fn delete_global_skill(
    skill: Loaded<Row<Skill>, SkillsWrite, ToOwn>,
    app: Data<App>,
) -> Api<NoContent> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let tenant = caller.tenant;
    let talks = app.store.read(move |reader| skills::conversations_using(reader, tenant, id)).await?;
    app.store.run(move |tx| skills::delete(tx, &caller, id, &talks)).await.map(|()| NoContent)
}

operations!(
    upload_global_skill, list_global_skills, get_global_skill, update_global_skill, delete_global_skill;
    schemas SkillUsableIn
);
