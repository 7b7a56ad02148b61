//! Reports about models.

use actix_web::web::Data;
use domain::control_tower::model_report;

use super::query::{PartQuery, RowsQuery, SpanQuery};
use super::view::{ModelReportItem, ModelReportResponse};
use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// Show how models were used.
///
/// Those that were used in the span, for any purpose. A question counts with the model that was asked, usage with the
/// model that answered; answers of workflows count with none.
#[utoipa::path(get, path = "/api/control-tower/models", params(PartQuery, SpanQuery, RowsQuery))]
async fn get_models(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<PartQuery>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<Json<ModelReportResponse>> {
    let (tenant, query) = (auth.tenant, rows.report(&span));
    let report = app.store.read(move |reader| model_report(reader, tenant, &query)).await?;
    let item = |row| Ok(ModelReportItem::new(&app.models, row));
    ModelReportResponse::new(report, part, item).map(Json)
}

operations!(get_models);
