//! Starting, cancelling and listing synchronisations.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use domain::groups;
use storage::Reader;
use uuid::Uuid;

use super::credential;
use super::schema::{Part, SyncGroupsRequest};
use super::view::{SyncGroupsResponse, SyncHistoryResponse};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Json, Path, Query, Refusal, operations};

/// How long a response waits for the end of a synchronisation if the request asks it to wait.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Synchronise the selected groups with the directory.
///
/// Starts a run that continues in the background and survives a restart; the history lists its outcome. Only
/// one synchronisation can run at a time: while one is running, the response is 409 `sync_running` with its
/// `sync_id`.
#[utoipa::path(post, path = "/api/groups/sync",
    responses((status = 409, description = "A synchronisation is already running, or no directory is configured.")))]
async fn sync_groups(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(body): Json<SyncGroupsRequest>,
) -> Api<Json<SyncGroupsResponse>> {
    begin(&app, &auth.caller(), body).await.map(Json)
}

async fn begin(app: &App, caller: &Arc<Caller>, body: SyncGroupsRequest) -> Api<SyncGroupsResponse> {
    let (ask, wait) = (body.ask(), body.wait);
    if let Some(new) = body.credential {
        caller.require_own_name()?;
        credential::set(app, caller, new.source(), &["credential"]).await?;
    }
    let sync = app.directories.sync(caller.tenant, caller.user, caller.token_id, ask).await?;
    record(app, caller, sync.id, "groups.sync").await?;
    let patience = if wait { TIMEOUT } else { Duration::ZERO };
    let now = app.directories.wait(caller.tenant, sync.id, patience).await?;
    Ok(now.unwrap_or(sync).into())
}

async fn record(app: &App, caller: &Arc<Caller>, sync: Uuid, action: &'static str) -> Api<()> {
    let caller = caller.clone();
    app.store.run(move |tx| groups::audit_sync(tx, &caller, sync, action)).await
}

/// Cancel a synchronisation.
///
/// Changes to groups that are already synchronised are retained; all other groups stay as they are. Cancelling
/// a synchronisation that has ended has no effect.
#[utoipa::path(post, path = "/api/groups/sync/{sync_id}/cancel",
    params(("sync_id" = Uuid, Path, description = "The id of the synchronisation.")))]
async fn cancel_sync(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    path: Path<Uuid>,
) -> Api<Json<SyncGroupsResponse>> {
    let Path(sync) = path;
    stop(&app, &auth.caller(), sync).await.map(Json)
}

async fn stop(app: &App, caller: &Arc<Caller>, sync: Uuid) -> Api<SyncGroupsResponse> {
    record(app, caller, sync, "groups.sync.cancel").await?;
    app.actors.cancel(caller.tenant, sync, caller.user).await?;
    let now = app.directories.wait(caller.tenant, sync, Duration::ZERO).await?;
    now.map(Into::into).ok_or_else(|| Refusal::not_found("synchronisation"))
}

/// List synchronisations, newest first.
#[utoipa::path(get, path = "/api/groups/sync/history", params(Part))]
async fn get_sync_history(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<Part>,
) -> Api<Json<SyncHistoryResponse>> {
    let Part { limit, offset } = part;
    let tenant = auth.tenant;
    let read = move |reader: &Reader| groups::history(reader, tenant, offset, limit as usize);
    let (rows, total) = app.store.read(read).await?;
    Ok(Json(SyncHistoryResponse { items: rows.into_iter().map(Into::into).collect(), total, offset }))
}

operations!(sync_groups, cancel_sync, get_sync_history);
