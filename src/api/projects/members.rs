//! The members of projects.

use actix_web::web::Data;
use domain::projects::members::{self, NewMember};
use storage::records::{GroupMember, Project};
use storage::{Reader, Row, Scan, Tx};
use uuid::Uuid;

use super::schema::AddProjectMembersBody;
use super::view::{
    AddProjectMembersResponse, DeleteProjectResponse, ProjectMemberResponse, ProjectMemberResponseList,
};
use crate::App;
use crate::api::users::people::{UserResponse, UserResponseList};
use crate::http::scopes::{ProjectsRead, ProjectsWrite};
use crate::http::{
    Api, Caller, Created, Found, Json, Paging, Path, Problem, Query, Refusal, ToOwn, operations,
};

/// List the members of a project.
#[utoipa::path(
    get,
    path = "/api/projects/{project_id}/members",
    operation_id = "projects.list_project_members"
)]
async fn list_project_members(
    project: Found<Row<Project>, ProjectsRead>,
    app: Data<App>,
) -> Api<Json<ProjectMemberResponseList>> {
    let (caller, row) = (project.auth.caller(), project.it);
    let items = app.store.read(move |reader| ProjectMemberResponse::all(reader, &row, &caller)).await?;
    Ok(Json(ProjectMemberResponseList { total: Some(items.len() as u64), items, next_cursor: None }))
}

/// Let users, groups or teams into a project.
///
/// Viewers read its conversations, editors also change it and put conversations of their own into it, owners say who is
/// in it. Whoever is a member gets the level that is named. Each has a result of its own. Needs to be an owner of the
/// project; administrators who are no members manage it, and cannot let themselves in.
#[utoipa::path(post, path = "/api/projects/{project_id}/members", operation_id = "projects.add_project_members",
    responses((status = 409, description = "Nobody would own it, or it has as many members as it may.", body = Problem, content_type = "application/problem+json")))]
async fn add_project_members(
    project: Found<Row<Project>, ProjectsWrite, ToOwn>,
    app: Data<App>,
    Json(new): Json<AddProjectMembersBody>,
) -> Api<Created<AddProjectMembersResponse>> {
    let (caller, id) = (project.auth.caller(), project.id);
    let members: Vec<_> = new.members.iter().map(NewMember::from).collect();
    let outcomes = app.store.run(move |tx| members::add(tx, &caller, id, &members)).await?;
    Ok(Created(AddProjectMembersResponse::of(&new.members, outcomes)))
}

/// Take a member out of a project.
///
/// A user, or by its id a group or a team. What they put into the project stays there until they take it out. The last
/// owner cannot go. Needs to be an owner of the project; everybody may go by themselves.
#[utoipa::path(delete, path = "/api/projects/{project_id}/members/{member_user_id}",
    operation_id = "projects.remove_project_member",
    params(("project_id" = Uuid, Path), ("member_user_id" = Uuid, Path)),
    responses((status = 409, description = "Nobody would own it.", body = Problem, content_type = "application/problem+json")))]
async fn remove_project_member(
    project: Found<Row<Project>, ProjectsWrite>,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
) -> Api<Json<DeleteProjectResponse>> {
    let (caller, Path((id, member))) = (project.auth.caller(), path);
    app.store.run(move |tx: &mut Tx| members::remove(tx, &caller, id, member)).await?;
    Ok(Json(DeleteProjectResponse { project_id: id, member_id: Some(member), released_conversations: None }))
}

/// List the users in a group that is a member of a project.
///
/// By itself, or in a team that is one; 404 for every other group.
#[utoipa::path(get, path = "/api/projects/{project_id}/groups/{group_id}/members",
    operation_id = "projects.list_project_team_group_members",
    params(("project_id" = Uuid, Path), ("group_id" = Uuid, Path), Paging))]
async fn list_project_team_group_members(
    project: Found<Row<Project>, ProjectsRead>,
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
    if !members::has_group(reader, caller, project, group)? {
        return Err(Refusal::not_found("group"));
    }
    let scan = paging.scan(Scan::index("by_group").prefix(group.as_bytes()))?;
    let page = reader.scan::<GroupMember>(caller.tenant, scan)?;
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
