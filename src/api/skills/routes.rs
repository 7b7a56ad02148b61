//! Uploading, reading, updating and deleting skills.

use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::skills;
use storage::records::{Skill, SkillUsableIn};
use storage::{Row, Tx};

use super::change::{self, Uploaded};
use super::list::{self, ListSkills};
use super::received::{self, ReceivedSkill, receive};
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
/// A bundle is a `.skill` or `.zip` file, a single `SKILL.md` or a single `.js` file. To publish a draft of the
/// builder, name the draft instead of sending a file. The functions of the bundle are inspected in the sandbox,
/// and all faults are reported together. The skill is visible to the whole tenant unless `visibility` specifies
/// otherwise. If the caller has uploaded the same content before, the response is 200 with the existing skill.
/// Requires the role `editor`.
#[utoipa::path(post, path = "/api/skills/global",
    request_body(content = UploadGlobalSkillForm, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "The skill was created.", body = SkillDetailResponse),
        (status = 200, description = "The existing skill: the caller uploaded the same content before.", body = SkillDetailResponse)))]
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
    // Runs without a commit first, so that a refused upload leaves no file.
    let _ = app.store.prepare(|tx| change::create(tx, caller, &input, &received))?;
    received.keep(app, caller.tenant).await?;
    let caller = caller.clone();
    app.store.run(move |tx| change::create(tx, &caller, &input, &received)).await
}

/// List the skills that the caller can see.
#[utoipa::path(get, path = "/api/skills/global", params(ListSkills))]
async fn list_global_skills(
    auth: Auth<SkillsRead>,
    app: Data<App>,
    Query(params): Query<ListSkills>,
) -> Api<Json<SkillResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &params)).await.map(Json)
}

/// Retrieve a skill.
///
/// Includes the instructions and functions of the skill. Its files and versions are returned only to callers
/// who may change it.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}")]
async fn get_global_skill(
    skill: Loaded<Row<Skill>, SkillsRead>,
    app: Data<App>,
) -> Api<Versioned<SkillDetailResponse>> {
    let Loaded { auth, it } = skill;
    app.store.read(move |reader| change::detail(reader, &auth, it)).await.map(Versioned)
}

/// Update a skill, or upload a new version of it.
///
/// Omitted fields do not change. A new bundle creates a new version and also sets the name, description and
/// usability, unless the form contains them. Uploading the current content again creates no version.
/// Conversations and assistants use the new version immediately.
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
    let change = move |tx: &mut Tx, received: Option<&ReceivedSkill>| {
        change::change(tx, &caller, id, (&precondition, version), &input, received)
    };
    if let Some(received) = &received {
        // Runs without a commit first, so that a refused upload leaves no file.
        let _ = app.store.prepare(|tx| change(tx, Some(received)))?;
        received.keep(app, tenant).await?;
    }
    app.store.run(move |tx| change(tx, received.as_ref())).await
}

/// Delete a skill.
///
/// If the skill is in use, the response is 409 `in_use` with the assistants and conversations that use it.
/// Requires an owner of the skill.
#[utoipa::path(delete, path = "/api/skills/global/{skill_id}",
    responses((status = 409, description = "The skill is in use.")))]
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
