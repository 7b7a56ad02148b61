//! Conversations in projects.

use actix_web::web::Data;
use storage::authority::Feature;
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Reader, Row, Scan, Tx};
use uuid::Uuid;

use super::as_member;
use crate::App;
use crate::api::conversations::reach::{own, shown};
use crate::api::conversations::schema::{ConversationResponse, ConversationsListResponse};
use crate::api::sharing;
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{
    Api, Area, Caller, Found, InPerson, Json, Paging, Path, Query, Refusal, ToEdit, operations,
};
use domain::Scope;

/// List the conversations of a project.
///
/// All that its members put into it, the latest changed first. For its members alone: administrators of the tenant who
/// are none see the project and not what is said in it.
#[utoipa::path(get, path = "/api/projects/{project_id}/conversations",
    operation_id = "projects.get_project_conversations", params(Paging),
    responses((status = 200, description = "A page of conversations.", body = ConversationsListResponse)))]
async fn get_project_conversations(
    project: Found<Row<Project>, ProjectsRead, InPerson>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ConversationsListResponse>> {
    let (caller, row) = (project.auth.caller(), project.it);
    app.store.read(move |reader| list(reader, &caller, &row, &paging)).await.map(Json)
}

/// Put a conversation of the caller's into a project.
///
/// From then on its members read it, and the project's instructions go with it. A conversation is in one project at
/// most: it leaves the one it was in. Needs to be a member of the project, as an editor, and to own the conversation.
#[utoipa::path(post, path = "/api/projects/{project_id}/conversations/{conversation_id}",
    operation_id = "projects.add_conversation_to_project",
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses((status = 200, description = "The conversation.", body = ConversationResponse)))]
async fn add_conversation_to_project(
    project: Found<Row<Project>, ProjectsWrite, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<ConversationResponse>> {
    let (caller, Path((id, conversation))) = (project.auth.caller(), path);
    app.store.run(move |tx| add(tx, &caller, id, conversation)).await.map(Json)
}

/// Take a conversation out of a project.
///
/// Its members do not read it any more, not even where they have it open. Needs to own the conversation, and nothing
/// else; 404 when it is not in that project.
#[utoipa::path(delete, path = "/api/projects/{project_id}/conversations/{conversation_id}",
    operation_id = "projects.remove_conversation_from_project",
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)),
    responses((status = 200, description = "The conversation.", body = ConversationResponse)))]
async fn remove_conversation_from_project(
    conversation: Found<Row<Conversation>, ProjectsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<ConversationResponse>> {
    let (caller, Path((project, id))) = (conversation.auth.caller(), path);
    app.store.run(move |tx| take_out(tx, &caller, project, id)).await.map(Json)
}

/// A project into which the caller may put conversations, for operations outside of this area; none where there is no
/// such project for them.
pub fn placeable(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<()>> {
    caller.require_feature(Feature::Projects)?;
    caller.require_scope(Scope::ProjectsWrite)?;
    match sharing::visible::<Project>(reader, caller, id)? {
        Some(row) => as_member(&row, caller, GrantLevel::Editor).map(Some),
        None => Ok(None),
    }
}

fn list(
    reader: &Reader,
    caller: &Caller,
    project: &Row<Project>,
    paging: &Paging,
) -> Api<ConversationsListResponse> {
    as_member(project, caller, GrantLevel::Viewer)?;
    let scan = Scan::index("by_project").prefix(project.id.as_bytes()).reverse();
    let page = reader.scan::<Conversation>(caller.tenant, paging.scan(scan)?)?;
    Ok(page.map(|row| shown(row, caller)).into())
}

fn add(tx: &mut Tx, caller: &Caller, project: Uuid, id: Uuid) -> Api<ConversationResponse> {
    let home = sharing::visible::<Project>(tx, caller, project)?;
    let home = home.ok_or_else(|| Refusal::not_found("project"))?;
    as_member(&home, caller, GrantLevel::Editor)?;
    let row = own(tx, caller, id)?;
    place(tx, caller, row, Some(project))
}

fn take_out(tx: &mut Tx, caller: &Caller, project: Uuid, id: Uuid) -> Api<ConversationResponse> {
    let row = own(tx, caller, id)?;
    match row.project_id == Some(project) {
        true => place(tx, caller, row, None),
        false => Err(Refusal::not_found("conversation in this project")),
    }
}

fn place(
    tx: &mut Tx,
    caller: &Caller,
    mut row: Row<Conversation>,
    project: Option<Uuid>,
) -> Api<ConversationResponse> {
    if row.project_id != project {
        tx.place_conversation(caller.tenant, &mut row.body, project)?;
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row.into())
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area;
        get_project_conversations, add_conversation_to_project, remove_conversation_from_project);
}
