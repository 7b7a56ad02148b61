//! The groups that the directory offers, from the list that was last fetched.

use actix_web::web::Data;
use domain::groups;
use storage::Reader;

use super::schema::{GroupQuery, Part};
use super::view::{AvailableGroupsResponse, RefreshAvailableGroupsResponse};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// List the groups that the directory offers, sorted by name.
///
/// The response shows the list as it was last fetched from the directory.
#[utoipa::path(get, path = "/api/groups/sync/available", params(GroupQuery, Part))]
async fn get_available_groups(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(query): Query<GroupQuery>,
    Query(part): Query<Part>,
) -> Api<Json<AvailableGroupsResponse>> {
    let (tenant, text, offset) = (auth.tenant, query.query.unwrap_or_default(), part.offset);
    let limit = part.limit as usize;
    let read = move |reader: &Reader| groups::available(reader, tenant, &text, offset, limit);
    Ok(Json(AvailableGroupsResponse::new(app.store.read(read).await?, offset)))
}

/// Fetch the list of groups that the directory offers.
///
/// The new list replaces the old one. If the directory cannot be reached or lists no groups, the old list is
/// retained and the response (502) reports the reason.
#[utoipa::path(post, path = "/api/groups/sync/available/refresh")]
async fn refresh_available_groups(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
) -> Api<Json<RefreshAvailableGroupsResponse>> {
    Ok(Json(app.directories.refresh(auth.tenant).await?.into()))
}

operations!(get_available_groups, refresh_available_groups);
