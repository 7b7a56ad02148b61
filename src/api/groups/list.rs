//! The groups that grants can name.

use actix_web::web::Data;
use storage::records::Group;
use storage::{Reader, Scan, TenantId};

use super::schema::GroupQuery;
use super::view::GroupResponseList;
use crate::App;
use crate::http::scopes::TeamsRead;
use crate::http::{Api, Auth, Json, Query, operations};

/// Groups of one answer; `query` finds the others.
const SHOWN: usize = 500;

/// List the groups of the tenant whose name has a text in it, by their names.
#[utoipa::path(get, path = "/api/groups", operation_id = "groups.query_groups", params(GroupQuery))]
async fn query_groups(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(asked): Query<GroupQuery>,
) -> Api<Json<GroupResponseList>> {
    let tenant = auth.tenant;
    Ok(Json(app.store.read(move |reader| found(reader, tenant, &asked)).await?))
}

fn found(reader: &Reader, tenant: TenantId, asked: &GroupQuery) -> storage::Result<GroupResponseList> {
    let mut rows = reader.scan::<Group>(tenant, Scan::table())?.items;
    rows.retain(|row| asked.fits(&row.name));
    rows.sort_by_cached_key(|row| (row.name.to_lowercase(), row.id));
    let total = rows.len() as u64;
    let items = rows.into_iter().take(SHOWN).map(Into::into).collect();
    Ok(GroupResponseList { items, total: Some(total), next_cursor: None })
}

operations!(query_groups);
