//! The operation that turns a project into a team project.

use actix_web::web::Data;
use domain::projects::{self, TeamChoice};
use storage::records::Project;
use storage::{Row, Tx};

use super::schema::PromoteProjectToTeamBody;
use super::view::ProjectResponse;
use crate::App;
use crate::http::scopes::ProjectsWrite;
use crate::http::{Admin, Api, Json, Loaded, operations};

/// Turn a project into a team project.
///
/// The team becomes an editor of the project, and all existing members stay. Without `team_id`, a team is
/// created from the project's users and groups, and the project's owners become the owners of the team.
/// Repeating the request changes nothing. Returns 409 if the project belongs to another team. Requires an
/// administrator of the tenant. Administrators cannot give themselves access this way: the response is 403 for
/// a team to which the caller belongs, unless the caller is a member of the project.
#[utoipa::path(post, path = "/api/projects/admin/{project_id}/promote-to-team",
    responses((status = 409, description = "The project already belongs to another team.")))]
async fn promote_project_to_team(
    project: Loaded<Row<Project>, ProjectsWrite, Admin>,
    app: Data<App>,
    Json(body): Json<PromoteProjectToTeamBody>,
) -> Api<Json<ProjectResponse>> {
    let (caller, id, choice) = (project.auth.caller(), project.id, TeamChoice::from(body));
    let promote = move |tx: &mut Tx| {
        let row = projects::promote(tx, &caller, id, &choice)?;
        Api::Ok(ProjectResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(promote).await.map(Json)
}

operations!(promote_project_to_team);
