//! Conversations in projects.

use actix_web::web::Data;
use domain::projects::{self, conversations};
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Reader, Row, Scan, Tx};
use uuid::Uuid;

use crate::App;
use crate::api::conversations::reach::shown;
use crate::api::conversations::schema::{ConversationResponse, ConversationsListResponse};
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{Api, Caller, Found, InPerson, Json, Paging, Path, Query, ToEdit, operations};

/// List the conversations of a project.
///
/// All that its members put into it, the latest changed first. For its members alone: administrators of the tenant who
/// are none see the project and not what is said in it.
#[utoipa::path(
    get,
    path = "/api/projects/{project_id}/conversations",
    operation_id = "projects.get_project_conversations",
    params(Paging)
)]
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
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)))]
async fn add_conversation_to_project(
    project: Found<Row<Project>, ProjectsWrite, ToEdit>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<ConversationResponse>> {
    let (caller, Path((id, conversation))) = (project.auth.caller(), path);
    let put_into = move |tx: &mut Tx| {
        conversations::require_target(tx, &caller, id)?;
        let row = domain::conversations::own(tx, &caller, conversation)?;
        conversations::put_into(tx, &caller, row, id)
    };
    Ok(Json(app.store.run(put_into).await?.into()))
}

/// Take a conversation out of a project.
///
/// Its members do not read it any more, not even where they have it open. Needs to own the conversation, and nothing
/// else; 404 when it is not in that project.
#[utoipa::path(delete, path = "/api/projects/{project_id}/conversations/{conversation_id}",
    operation_id = "projects.remove_conversation_from_project",
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)))]
async fn remove_conversation_from_project(
    conversation: Found<Row<Conversation>, ProjectsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<ConversationResponse>> {
    let (caller, Path((project, id))) = (conversation.auth.caller(), path);
    let take_out = move |tx: &mut Tx| {
        let row = domain::conversations::own(tx, &caller, id)?;
        conversations::take_out(tx, &caller, row, project)
    };
    Ok(Json(app.store.run(take_out).await?.into()))
}

fn list(
    reader: &Reader,
    caller: &Caller,
    project: &Row<Project>,
    paging: &Paging,
) -> Api<ConversationsListResponse> {
    projects::require_member(project, caller, GrantLevel::Viewer)?;
    let scan = Scan::index("by_project").prefix(project.id.as_bytes()).reverse();
    let page = reader.scan::<Conversation>(caller.tenant, paging.scan(scan)?)?;
    Ok(page.map(|row| shown(row, caller)).into())
}

operations!(get_project_conversations, add_conversation_to_project, remove_conversation_from_project);
