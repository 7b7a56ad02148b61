//! Creating, reading, updating and deleting projects.

use actix_web::web::Data;
use domain::projects::{self, NewProject, UpdateProject};
use storage::records::Project;
use storage::{Reader, Row, Tx};

use super::schema::{CreateProjectRequest, UpdateProjectRequest};
use super::view::{DeleteProjectResponse, ProjectResponse, ProjectResponseList};
use crate::App;
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{
    Api, Auth, Created, IfMatch, Json, Loaded, Paging, Query, ToEdit, ToOwn, Versioned, operations,
};

/// List the projects that the caller can see.
///
/// Returns the projects of which the caller, or a group or team of the caller, is a member. Administrators of
/// the tenant see all projects that are shared with others, and their own.
#[utoipa::path(get, path = "/api/projects", params(Paging))]
async fn get_projects(
    auth: Auth<ProjectsRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<ProjectResponseList>> {
    let caller = auth.caller();
    let read = move |reader: &Reader| {
        let page = projects::list(reader, &caller, paging.after()?, paging.limit as usize)?;
        Api::Ok(ProjectResponseList::from_page(reader, page, &caller)?)
    };
    app.store.read(read).await.map(Json)
}

/// Create a project.
///
/// The caller becomes its owner, and its only member until other members are added.
#[utoipa::path(post, path = "/api/projects")]
async fn create_project(
    auth: Auth<ProjectsWrite>,
    app: Data<App>,
    Json(new): Json<CreateProjectRequest>,
) -> Api<Created<ProjectResponse>> {
    let (caller, new) = (auth.caller(), NewProject::from(new));
    let create = move |tx: &mut Tx| {
        let row = projects::create(tx, &caller, new.clone())?;
        Api::Ok(ProjectResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(create).await.map(Created)
}

/// Retrieve a project.
#[utoipa::path(get, path = "/api/projects/{project_id}")]
async fn get_project(
    project: Loaded<Row<Project>, ProjectsRead>,
    app: Data<App>,
) -> Api<Versioned<ProjectResponse>> {
    let (caller, row) = (project.auth.caller(), project.it);
    let shown = app.store.read(move |reader| ProjectResponse::from_row(reader, row, &caller)).await?;
    Ok(Versioned(shown))
}

/// Replace a project's name, description and instructions.
///
/// Omitted fields are reset to their defaults. Requires an editor of the project. New instructions apply from
/// the next completion.
#[utoipa::path(put, path = "/api/projects/{project_id}")]
async fn update_project(
    project: Loaded<Row<Project>, ProjectsWrite, ToEdit>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateProjectRequest>,
) -> Api<Versioned<ProjectResponse>> {
    let (caller, id) = (project.auth.caller(), project.id);
    let (precondition, new) = (if_match.precondition(), UpdateProject::from(new));
    let update = move |tx: &mut Tx| {
        let row = projects::update(tx, &caller, id, &precondition, new.clone())?;
        Api::Ok(ProjectResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(update).await.map(Versioned)
}

/// Delete a project.
///
/// The project's conversations stay with their owners, outside any project; nothing else is deleted. Requires
/// an owner of the project.
#[utoipa::path(delete, path = "/api/projects/{project_id}")]
async fn delete_project(
    project: Loaded<Row<Project>, ProjectsWrite, ToOwn>,
    app: Data<App>,
) -> Api<Json<DeleteProjectResponse>> {
    let (caller, id) = (project.auth.caller(), project.id);
    let released = app.store.run(move |tx| projects::delete(tx, &caller, id)).await?;
    Ok(Json(DeleteProjectResponse {
        project_id: id,
        member_id: None,
        released_conversations: Some(released),
    }))
}

operations!(get_projects, create_project, get_project, update_project, delete_project);
