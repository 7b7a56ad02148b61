//! The operation that makes a project a team's.

use actix_web::web::Data;
use domain::projects::{self, TeamChoice};
use storage::records::Project;
use storage::{Row, Tx};

use super::schema::PromoteProjectToTeamBody;
use super::view::ProjectResponse;
use crate::App;
use crate::http::scopes::ProjectsWrite;
use crate::http::{Admin, Api, Json, Loaded, operations};

/// Make a project a team's.
///
/// The team becomes an editor of it, and all its other members stay. Without `team_id` a team is made of the project's
/// users and groups, those who own the project as its owners. Doing so twice changes nothing; 409 when it is another
/// team's already. For administrators of the tenant, who do not let themselves into a project so: 403 for a team that
/// they are in themselves, unless they are members of the project.
#[utoipa::path(post, path = "/api/projects/admin/{project_id}/promote-to-team",
    responses((status = 409, description = "It is another team's.")))]
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
