//! Selecting the groups to synchronise.

use actix_web::web::Data;
use domain::groups;
use uuid::Uuid;

use super::schema::UpdateGroupSelectionsRequest;
use super::view::UpdateGroupSelectionsResponse;
use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Json, operations};

/// Select the groups to synchronise.
///
/// All other groups are deselected: they are deleted with their memberships in the same transaction. Grants
/// that name them are retained without effect, and the response lists the objects with such grants.
#[utoipa::path(put, path = "/api/groups/sync/selections")]
async fn update_selections(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateGroupSelectionsRequest>,
) -> Api<Json<UpdateGroupSelectionsResponse>> {
    let caller = auth.caller();
    let selection = app.store.run(move |tx| groups::select(tx, &caller, &new.group_ids)).await?;
    let removed: Vec<Uuid> = selection.removed.iter().map(|(row, _)| row.id).collect();
    app.directories.unlist(auth.tenant, &removed).await?;
    Ok(Json(selection.into()))
}

operations!(update_selections);
