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
/// All that its members put into it, the latest changed first. For its members alone: administrators of the tenant who
/// are none see the project and not what is said in it.
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

/// Put a conversation of the caller's into a project.
///
/// From then on its members read it, and the project's instructions go with it. A conversation is in one project at
/// most: it leaves the one it was in. Needs to be a member of the project, as an editor, and to own the conversation.
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

/// Take a conversation out of a project.
///
/// Its members do not read it any more, not even where they have it open. Needs to own the conversation, and nothing
/// else; 404 when it is not in that project.
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
