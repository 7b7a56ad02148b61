//! Reports about assistants.

use actix_web::web::Data;
use domain::control_tower::{assistant_of_tenant, assistant_report, assistant_usage};
use storage::authority::{Ground, Reason};
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Row};
use uuid::Uuid;

use super::query::{PartQuery, RowsQuery, SpanQuery};
use super::view::{OverviewItem, OverviewResponse};
use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Caller, Json, Loadable, Loaded, Query, operations};

/// An assistant of the tenant, whether or not it is shared with the administrator.
pub struct TenantAssistant(pub Row<Assistant>);

impl Loadable for TenantAssistant {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(assistant_of_tenant(reader, caller, id)?.map(Self))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground { reason: Reason::Administers, level: GrantLevel::Viewer }])
    }
}

/// List the usage of the tenant's assistants.
///
/// Lists all assistants, including those in the bin and those without any use. Assistants that were deleted permanently, and activity
/// without an assistant, are included if they have any use in the period. Therefore, without a search, the rows add up to the total
/// activity.
#[utoipa::path(get, path = "/api/control-tower/overview", params(PartQuery, SpanQuery, RowsQuery))]
async fn get_overview(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<PartQuery>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<Json<OverviewResponse>> {
    let (tenant, query) = (auth.tenant, rows.report(&span));
    let read = move |reader: &Reader| {
        let report = assistant_report(reader, tenant, &query)?;
        OverviewResponse::new(report, part, |row| Ok(OverviewItem::new(reader, tenant, row)?))
    };
    app.store.read(read).await.map(Json)
}

/// Retrieve the usage of one assistant.
#[utoipa::path(get, path = "/api/control-tower/overview/{assistant_id}", params(SpanQuery))]
async fn get_overview_item(
    assistant: Loaded<TenantAssistant, AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<SpanQuery>,
) -> Api<Json<OverviewItem>> {
    let (tenant, row) = (assistant.auth.tenant, assistant.it.0);
    let read = move |reader: &Reader| {
        let period = span.period(reader, tenant)?;
        let usage = assistant_usage(reader, tenant, row, &period)?;
        Api::Ok(OverviewItem::new(reader, tenant, usage)?)
    };
    app.store.read(read).await.map(Json)
}

operations!(get_overview, get_overview_item);
