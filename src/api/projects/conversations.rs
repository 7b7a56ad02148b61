//! Conversations in projects.

use actix_web::web::Data;
use domain::projects::conversations;
use storage::records::{Conversation, Project};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use crate::App;
use crate::api::conversations::reach::shown;
use crate::api::conversations::schema::{ConversationResponse, ConversationsListResponse};
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{Api, InPerson, Json, Loaded, Paging, Path, Query, ToEdit, operations};

/// List the conversations of a project.
///
/// Returns all conversations that members have added, most recently changed first. Requires a member of the
/// project: administrators of the tenant who are not members can see the project, but not its conversations.
#[utoipa::path(get, path = "/api/projects/{project_id}/conversations", params(Paging))]
async fn get_project_conversations(
    project: Loaded<Row<Project>, ProjectsRead, InPerson>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ConversationsListResponse>> {
    let (caller, row) = (project.auth.caller(), project.it);
    let read = move |reader: &Reader| {
        let page = conversations::list(reader, &caller, &row, paging.after()?, paging.limit as usize)?;
        Api::Ok(page.map(|row| shown(row, &caller)).into())
    };
    app.store.read(read).await.map(Json)
}

/// Add one of the caller's conversations to a project.
///
/// The project's members can then read the conversation, and the project's instructions apply to it. A
/// conversation belongs to at most one project, so it is removed from its previous project. Requires the caller
/// to be an editor of the project as a member, and to own the conversation.
#[utoipa::path(post, path = "/api/projects/{project_id}/conversations/{conversation_id}",
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)))]
async fn add_conversation_to_project(
    project: Loaded<Row<Project>, ProjectsWrite, ToEdit>,
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

/// Remove a conversation from a project.
///
/// The project's members can no longer read the conversation, and open streams of it end for them. Requires
/// only that the caller owns the conversation. Returns 404 if the conversation is not in this project.
#[utoipa::path(delete, path = "/api/projects/{project_id}/conversations/{conversation_id}",
    params(("project_id" = Uuid, Path), ("conversation_id" = Uuid, Path)))]
async fn remove_conversation_from_project(
    conversation: Loaded<Row<Conversation>, ProjectsWrite>,
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

operations!(get_project_conversations, add_conversation_to_project, remove_conversation_from_project);
