//! Reports about users.

use actix_web::web::Data;
use domain::control_tower::{has_report, user_report};
use storage::Reader;
use storage::authority::{Ground, Reason};
use storage::records::GrantLevel;
use uuid::Uuid;

use super::query::{PartQuery, RowsQuery, SpanQuery};
use super::view::UserReportResponse;
use crate::App;
use crate::api::users::usage::{ControlTowerUserUsageResponse, DetailParams, detail};
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Caller, Json, Loadable, Loaded, Query, operations};

/// A user that has a report in the tenant: a member, or a former member with any usage.
pub struct ReportUser(pub Uuid);

impl Loadable for ReportUser {
    const PARAM: &'static str = "user_id";
    const NAME: &'static str = "user";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(has_report(reader, caller, id)?.then_some(Self(id)))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground { reason: Reason::Administers, level: GrantLevel::Viewer }])
    }
}

/// List the activity of the tenant's users.
///
/// Lists all members, including those without any activity. Users who have left are included without a name if they have any activity in
/// the period. Therefore, without a search, the rows add up to the total activity.
#[utoipa::path(get, path = "/api/control-tower/users", params(PartQuery, SpanQuery, RowsQuery))]
async fn get_users(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<PartQuery>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<Json<UserReportResponse>> {
    let (tenant, query) = (auth.tenant, rows.report(&span));
    let report = app.store.read(move |reader| user_report(reader, tenant, &query)).await?;
    UserReportResponse::new(report, part, |row| Ok(row.into())).map(Json)
}

/// Retrieve a user's usage of models in a month, by purpose and assistant.
///
/// Returns the same data that the user sees. The user may be a member or a former member.
#[utoipa::path(get, path = "/api/control-tower/users/{user_id}/usage", params(DetailParams))]
async fn get_user_usage_detail(
    user: Loaded<ReportUser, AdminRead, Admin>,
    app: Data<App>,
    Query(query): Query<DetailParams>,
) -> Api<Json<ControlTowerUserUsageResponse>> {
    let (caller, user) = (user.auth.caller(), user.it.0);
    app.store.read(move |reader| detail(reader, &caller, user, &query)).await.map(Json)
}

operations!(get_users, get_user_usage_detail);
