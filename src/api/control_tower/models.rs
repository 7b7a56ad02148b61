//! Reports about models.

use actix_web::web::Data;
use domain::control_tower::model_report;

use super::query::{PartQuery, RowsQuery, SpanQuery};
use super::view::{ModelReportItem, ModelReportResponse};
use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// List the usage of models.
///
/// Includes all models that were used in the period, for any purpose. A question counts for the model that was requested, usage for the
/// model that answered. Answers of workflows count for no model.
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
