//! Which groups are synchronised.

use actix_web::web::Data;
use jobs::directory_sync::Selected;
use serde_json::json;
use storage::Tx;
use uuid::Uuid;

use super::schema::UpdateGroupSelectionsRequest;
use super::view::UpdateGroupSelectionsResponse;
use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Admin, Api, Auth, Caller, Json, Refusal, operations};
use domain::audit::{Actor, audit};

/// Choose the groups that are synchronised.
///
/// All others are not chosen any more: they go, with all that made people members of them, in the same transaction.
/// Grants that name them stay, and give nobody anything; the answer tells where they are.
#[utoipa::path(put, path = "/api/groups/sync/selections", operation_id = "groups.update_selections")]
async fn update_selections(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateGroupSelectionsRequest>,
) -> Api<Json<UpdateGroupSelectionsResponse>> {
    let selected = choose(&app, &auth, new.group_ids).await?;
    let gone: Vec<Uuid> = selected.removed.iter().map(|(row, _)| row.id).collect();
    app.directories.unlist(auth.tenant, &gone).await?;
    Ok(Json(selected.into()))
}

async fn choose(app: &App, caller: &Caller, wanted: Vec<String>) -> Api<Selected> {
    let (tenant, actor) = (caller.tenant, Actor::from(caller));
    let choose = move |tx: &mut Tx| {
        let selected = Selected::choose(tx, tenant, &wanted)?;
        let added: Vec<&str> = selected.added.iter().map(|row| row.name.as_str()).collect();
        let removed: Vec<&str> = selected.removed.iter().map(|(row, _)| row.name.as_str()).collect();
        let detail = json!({"selected": selected.chosen, "added": added, "removed": removed});
        audit(tx, tenant, actor, "groups.select", format!("directory {tenant}"), detail)?;
        Ok::<_, Refusal>(selected)
    };
    app.store.run(choose).await
}

operations!(update_selections);
