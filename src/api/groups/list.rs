//! Listing the groups that grants can name.

use actix_web::web::Data;
use domain::groups::{self, GroupsPage};

use super::schema::GroupQuery;
use super::view::GroupResponseList;
use crate::App;
use crate::http::scopes::TeamsRead;
use crate::http::{Api, Auth, Json, Query, operations};

/// List the groups of the tenant whose name contains a text, sorted by name.
#[utoipa::path(get, path = "/api/groups", params(GroupQuery))]
async fn query_groups(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(query): Query<GroupQuery>,
) -> Api<Json<GroupResponseList>> {
    let tenant = auth.tenant;
    let text = query.query.unwrap_or_default();
    let GroupsPage { groups, total } =
        app.store.read(move |reader| groups::list(reader, tenant, &text)).await?;
    let items = groups.into_iter().map(Into::into).collect();
    Ok(Json(GroupResponseList { items, total: Some(total), next_cursor: None }))
}

operations!(query_groups);
