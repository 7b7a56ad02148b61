//! The members of projects.

use actix_web::web::Data;
use domain::projects::members::{self, NewMember};
use storage::records::Project;
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::schema::AddProjectMembersBody;
use super::view::{
    AddProjectMembersResponse, DeleteProjectResponse, ProjectMemberResponse, ProjectMemberResponseList,
};
use crate::App;
use crate::api::users::people::{UserResponse, UserResponseList};
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{Api, Caller, Created, Json, Loaded, Paging, Path, Query, ToOwn, operations};

/// List the members of a project.
#[utoipa::path(get, path = "/api/projects/{project_id}/members")]
async fn list_project_members(
    project: Loaded<Row<Project>, ProjectsRead>,
    app: Data<App>,
) -> Api<Json<ProjectMemberResponseList>> {
    let (caller, row) = (project.auth.caller(), project.it);
    let items = app.store.read(move |reader| ProjectMemberResponse::all(reader, &row, &caller)).await?;
    Ok(Json(ProjectMemberResponseList { total: Some(items.len() as u64), items, next_cursor: None }))
}

/// Add users, groups or teams to a project.
///
/// Viewers can read the project's conversations. Editors can also change the project and add their own
/// conversations. Owners can also manage its members. A principal that is already a member gets the new level.
/// The response has a result for each member. Requires an owner of the project. Administrators who are not
/// members can manage the members, but cannot add themselves.
#[utoipa::path(post, path = "/api/projects/{project_id}/members",
    responses((status = 409, description = "The project would have no owner, or more than 500 members.")))]
async fn add_project_members(
    project: Loaded<Row<Project>, ProjectsWrite, ToOwn>,
    app: Data<App>,
    Json(new): Json<AddProjectMembersBody>,
) -> Api<Created<AddProjectMembersResponse>> {
    let (caller, id) = (project.auth.caller(), project.id);
    let members: Vec<_> = new.members.iter().map(NewMember::from).collect();
    let outcomes = app.store.run(move |tx| members::add(tx, &caller, id, &members)).await?;
    Ok(Created(AddProjectMembersResponse::from_outcomes(&new.members, outcomes)))
}

/// Remove a member from a project.
///
/// The id names a user, a group or a team. The conversations that a member added stay in the project until
/// their owner removes them. The last owner cannot be removed. Requires an owner of the project; members can
/// remove themselves.
#[utoipa::path(delete, path = "/api/projects/{project_id}/members/{member_user_id}",
    params(("project_id" = Uuid, Path), ("member_user_id" = Uuid, Path)),
    responses((status = 409, description = "The project would have no owner.")))]
async fn remove_project_member(
    project: Loaded<Row<Project>, ProjectsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<DeleteProjectResponse>> {
    let (caller, Path((id, member))) = (project.auth.caller(), path);
    app.store.run(move |tx: &mut Tx| members::remove(tx, &caller, id, member)).await?;
    Ok(Json(DeleteProjectResponse { project_id: id, member_id: Some(member), released_conversations: None }))
}

/// List the users in a group that is a member of a project.
///
/// The group must be a member of the project, directly or through a team. Returns 404 for any other group.
#[utoipa::path(get, path = "/api/projects/{project_id}/groups/{group_id}/members",
    params(("project_id" = Uuid, Path), ("group_id" = Uuid, Path), Paging))]
async fn list_project_team_group_members(
    project: Loaded<Row<Project>, ProjectsRead>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Query(paging): Query<Paging>,
) -> Api<Json<UserResponseList>> {
    let (caller, row, Path((_, group))) = (project.auth.caller(), project.it, path);
    app.store.read(move |reader| in_group(reader, &caller, &row, group, &paging)).await.map(Json)
}

fn in_group(
    reader: &Reader,
    caller: &Caller,
    project: &Row<Project>,
    group: Uuid,
    paging: &Paging,
) -> Api<UserResponseList> {
    let part = (paging.after()?, paging.limit as usize);
    let page = members::list_of_group(reader, caller, project, group, part)?;
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let users = page.items.iter().map(|row| UserResponse::find(reader, caller, row.id.0));
    let items = users.collect::<storage::Result<Vec<_>>>()?.into_iter().flatten().collect();
    Ok(UserResponseList { items, total: None, next_cursor })
}

operations!(
    list_project_members,
    add_project_members,
    remove_project_member,
    list_project_team_group_members
);
