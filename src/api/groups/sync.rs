//! Synchronisations: begun, stopped, remembered.

use std::time::Duration;

use actix_web::web::Data;
use jobs::directory_sync::standing;
use serde_json::json;
use storage::records::GroupSync;
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::credential;
use super::schema::{Part, SyncGroupsRequest};
use super::view::{SyncGroupsResponse, SyncHistoryResponse};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Json, Path, Query, Refusal, operations};
use domain::audit::{Actor, audit};

/// How long an answer waits for the end, where that is asked for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bring the chosen groups up to the directory.
///
/// This begins a run, which goes on by itself and survives a restart; its history tells how it went. While one is
/// under way, there is no other: 409 `sync_running`, with its `sync_id`.
#[utoipa::path(post, path = "/api/groups/sync", operation_id = "groups.sync_groups",
    responses((status = 409, description = "One is under way, or there is no directory.")))]
async fn sync_groups(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(asked): Json<SyncGroupsRequest>,
) -> Api<Json<SyncGroupsResponse>> {
    begin(&app, &auth, asked).await.map(Json)
}

async fn begin(app: &App, caller: &Caller, asked: SyncGroupsRequest) -> Api<SyncGroupsResponse> {
    let (ask, wait) = (asked.ask(), asked.wait);
    if let Some(new) = asked.credential {
        caller.require_own_name()?;
        credential::keep(app, caller, new.source(caller.user), &["credential"]).await?;
    }
    let sync = app.directories.sync(caller.tenant, caller.user, caller.token_id, ask).await?;
    note(app, caller, sync.id, "groups.sync").await?;
    let patience = if wait { PATIENCE } else { Duration::ZERO };
    let now = app.directories.wait(caller.tenant, sync.id, patience).await?;
    Ok(now.unwrap_or(sync).into())
}

async fn note(app: &App, caller: &Caller, sync: Uuid, action: &'static str) -> Api<()> {
    let (tenant, actor) = (caller.tenant, Actor::from(caller));
    let note = move |tx: &mut Tx| audit(tx, tenant, actor, action, format!("sync {sync}"), json!({}));
    app.store.run(note).await.map_err(Refusal::from)
}

/// Stop a synchronisation.
///
/// Groups that were brought up before stay so; all others stay as they were. One that has ended is not changed.
#[utoipa::path(post, path = "/api/groups/sync/{sync_id}/cancel", operation_id = "groups.cancel_sync",
    params(("sync_id" = Uuid, Path, description = "The synchronisation.")))]
async fn cancel_sync(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    path: Path<Uuid>,
) -> Api<Json<SyncGroupsResponse>> {
    let Path(sync) = path;
    stop(&app, &auth, sync).await.map(Json)
}

async fn stop(app: &App, caller: &Caller, sync: Uuid) -> Api<SyncGroupsResponse> {
    let missing = || Refusal::not_found("synchronisation");
    let tenant = caller.tenant;
    app.store.read(move |reader| reader.get::<GroupSync>(tenant, &sync)).await?.ok_or_else(missing)?;
    note(app, caller, sync, "groups.sync.cancel").await?;
    app.actors.cancel(tenant, sync, caller.user).await?;
    let now = app.directories.wait(tenant, sync, Duration::ZERO).await?;
    now.map(Into::into).ok_or_else(missing)
}

/// List synchronisations, the latest first.
#[utoipa::path(
    get,
    path = "/api/groups/sync/history",
    operation_id = "groups.get_sync_history",
    params(Part)
)]
async fn get_sync_history(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<Part>,
) -> Api<Json<SyncHistoryResponse>> {
    let tenant = auth.tenant;
    Ok(Json(app.store.read(move |reader| history(reader, tenant, &part)).await?))
}

/// A few hundred are remembered, so all are looked at.
fn history(reader: &Reader, tenant: TenantId, part: &Part) -> storage::Result<SyncHistoryResponse> {
    let rows = reader.scan::<GroupSync>(tenant, Scan::table().reverse())?.items;
    let total = rows.len() as u64;
    let offset = usize::try_from(part.offset).unwrap_or(usize::MAX);
    let shown = rows.into_iter().skip(offset).take(part.limit as usize);
    let items =
        shown.map(|row| standing(reader, tenant, row).map(Into::into)).collect::<storage::Result<_>>()?;
    Ok(SyncHistoryResponse { items, total, offset: part.offset })
}

operations!(sync_groups, cancel_sync, get_sync_history);
