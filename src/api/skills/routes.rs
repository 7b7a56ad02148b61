//! Skills themselves.

use actix_web::HttpResponse;
use actix_web::web::Data;
use storage::records::{Skill, SkillUsableIn};
use storage::{Row, Tx};

use super::change::{self, Made};
use super::list::{self, ListSkills};
use super::received::{self, receive};
use super::schema::{Said, UpdateGlobalSkillForm, UploadGlobalSkillForm};
use super::usage;
use super::view::{SkillDetailResponse, SkillResponseList};
use crate::App;
use crate::http::scopes::{SkillsRead, SkillsWrite};
use crate::http::{
    Api, Area, Auth, Caller, Editor, Found, IfMatch, Json, Multipart, NoContent, Query, ToEdit, ToOwn,
    Versioned, operations,
};

/// Upload a skill.
///
/// A bundle is a `.skill` or `.zip` file, one `SKILL.md` or one `.js` file; a draft of the builder is
/// published by naming it instead of a file. Its functions are looked at in the sandbox, and all faults
/// are told at once. The whole tenant sees it unless `visibility` says otherwise. Content that the caller has
/// uploaded before answers the skill there is, with 200. Needs the role `editor`.
#[utoipa::path(post, path = "/api/skills/global", operation_id = "skills.upload_global_skill",
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
        Made::New(skill) => HttpResponse::Created().json(skill),
        Made::Before(skill) => HttpResponse::Ok().json(skill),
    })
}

async fn upload(app: &App, caller: &Caller, form: Multipart<UploadGlobalSkillForm>) -> Api<Made> {
    let said = Said::from(form.fields);
    let received = receive(app, caller, &form.files, &said).await?.ok_or_else(received::missing)?;
    // Only looked at: what is refused leaves nothing, also no file.
    let _ = app.store.prepare(|tx| change::insert(tx, caller, &said, &received))?;
    received.keep(app, caller.tenant).await?;
    let caller = caller.clone();
    app.store.run(move |tx| change::insert(tx, &caller, &said, &received)).await
}

/// List the skills that the caller may see.
#[utoipa::path(get, path = "/api/skills/global", operation_id = "skills.list_global_skills",
    params(ListSkills),
    responses((status = 200, description = "A page of skills.", body = SkillResponseList)))]
async fn list_global_skills(
    auth: Auth<SkillsRead>,
    app: Data<App>,
    Query(asked): Query<ListSkills>,
) -> Api<Json<SkillResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list::list(reader, &caller, &asked)).await.map(Json)
}

/// Show a skill.
///
/// With its instructions and functions; its files and versions are shown to those who may change it.
#[utoipa::path(get, path = "/api/skills/global/{skill_id}", operation_id = "skills.get_global_skill",
    responses((status = 200, description = "The skill.", body = SkillDetailResponse)))]
async fn get_global_skill(
    skill: Found<Row<Skill>, SkillsRead>,
    app: Data<App>,
) -> Api<Versioned<SkillDetailResponse>> {
    let Found { auth, it } = skill;
    app.store.read(move |reader| change::detail(reader, &auth, it)).await.map(Versioned)
}

/// Change a skill, or give it a new version.
///
/// What is left out stays. A new bundle is a new version, and takes its name, description and usability
/// along unless the form gives them; the content that the skill has already changes nothing. Conversations and
/// assistants use the new version from now on.
#[utoipa::path(put, path = "/api/skills/global/{skill_id}", operation_id = "skills.update_global_skill",
    request_body(content = UpdateGlobalSkillForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The skill as it is now.", body = SkillDetailResponse)))]
async fn update_global_skill(
    skill: Found<Row<Skill>, SkillsWrite, ToEdit>,
    app: Data<App>,
    if_match: IfMatch,
    form: Multipart<UpdateGlobalSkillForm>,
) -> Api<Versioned<SkillDetailResponse>> {
    update(&app, skill, if_match, form).await.map(Versioned)
}

async fn update(
    app: &App,
    skill: Found<Row<Skill>, SkillsWrite, ToEdit>,
    if_match: IfMatch,
    form: Multipart<UpdateGlobalSkillForm>,
) -> Api<SkillDetailResponse> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let said = Said::from(form.fields);
    let received = receive(app, &caller, &form.files, &said).await?;
    if let Some(received) = &received {
        // Only looked at: what is refused leaves nothing, also no file.
        let look = |tx: &mut Tx| change::update(tx, &caller, id, &if_match, &said, Some(received));
        let _ = app.store.prepare(look)?;
        received.keep(app, caller.tenant).await?;
    }
    let update = move |tx: &mut Tx| change::update(tx, &caller, id, &if_match, &said, received.as_ref());
    app.store.run(update).await
}

/// Delete a skill.
///
/// 409 `in_use` names the assistants and conversations that use it. Only its owners may.
#[utoipa::path(delete, path = "/api/skills/global/{skill_id}", operation_id = "skills.delete_global_skill",
    responses(
        (status = 204, description = "It is gone."),
        (status = 409, description = "It is in use.", body = crate::http::Problem, content_type = "application/problem+json")))]
async fn delete_global_skill(skill: Found<Row<Skill>, SkillsWrite, ToOwn>, app: Data<App>) -> Api<NoContent> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let tenant = caller.tenant;
    let talks = app.store.read(move |reader| usage::conversations(reader, tenant, id)).await?;
    app.store.run(move |tx| change::remove(tx, &caller, id, &talks)).await.map(|()| NoContent)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    area.schema::<SkillUsableIn>();
    operations!(area;
        upload_global_skill, list_global_skills, get_global_skill, update_global_skill, delete_global_skill);
}
