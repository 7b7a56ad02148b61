//! The groups that the directory offers, as they were when its list was last fetched.

use std::collections::BTreeMap;

use actix_web::web::Data;
use storage::records::{DirectoryGroup, DirectorySource, Group};
use storage::{Reader, Scan, TenantId};
use uuid::Uuid;

use super::schema::{GroupQuery, Part};
use super::view::{AvailableGroupResponse, AvailableGroupsResponse, RefreshAvailableGroupsResponse};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// List the groups that the directory offers, by their names.
///
/// The list is as it was when it was last fetched.
#[utoipa::path(
    get,
    path = "/api/groups/sync/available",
    operation_id = "groups.get_available_groups",
    params(GroupQuery, Part)
)]
async fn get_available_groups(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<GroupQuery>,
    Query(part): Query<Part>,
) -> Api<Json<AvailableGroupsResponse>> {
    let tenant = auth.tenant;
    Ok(Json(app.store.read(move |reader| listed(reader, tenant, &asked, &part)).await?))
}

/// Walks over the list, which may be long, and keeps what is shown of it.
fn listed(
    reader: &Reader,
    tenant: TenantId,
    asked: &GroupQuery,
    part: &Part,
) -> storage::Result<AvailableGroupsResponse> {
    let source = reader.get::<DirectorySource>(tenant, &tenant.0)?;
    let source = source.map(|row| row.body).unwrap_or_default();
    let mut shown = AvailableGroupsResponse {
        items: Vec::new(),
        total: 0,
        offset: part.offset,
        refreshed_at: source.refreshed_at,
        refresh_error: source.refresh_error,
    };
    let Some(offer) = source.offer else { return Ok(shown) };
    let chosen: BTreeMap<String, Uuid> = reader
        .scan::<Group>(tenant, Scan::table())?
        .items
        .into_iter()
        .map(|row| (row.body.external_id, row.id))
        .collect();
    let mut after = None;
    loop {
        let scan = Scan::index("by_name").prefix(offer.as_bytes().to_vec()).limit(1_000).after(after);
        let page = reader.scan::<DirectoryGroup>(tenant, scan)?;
        for row in page.items.into_iter().filter(|row| asked.fits(&row.name)) {
            if shown.total >= part.offset && shown.items.len() < part.limit as usize {
                let group = chosen.get(&row.id.1).copied();
                shown.items.push(AvailableGroupResponse::new(row, group));
            }
            shown.total += 1;
        }
        after = page.next;
        if after.is_none() {
            return Ok(shown);
        }
    }
}

/// Fetch the list of groups that the directory offers.
///
/// It takes the place of the old list as a whole. Where the directory cannot be asked, or lists no groups at all,
/// the old list stays, and the answer (502) says why.
#[utoipa::path(
    post,
    path = "/api/groups/sync/available/refresh",
    operation_id = "groups.refresh_available_groups"
)]
async fn refresh_available_groups(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
) -> Api<Json<RefreshAvailableGroupsResponse>> {
    Ok(Json(app.directories.refresh(auth.tenant).await?.into()))
}

operations!(get_available_groups, refresh_available_groups);
