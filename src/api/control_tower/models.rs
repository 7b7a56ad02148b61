//! Models, and how they were used.

use actix_web::web::Data;
use providers::Models;
use storage::records::activity::{OfModel, Window, last_busy};
use storage::{Reader, TenantId};

use super::asked::{Between, Part, Sifted};
use super::lines::{Line, Lines};
use super::view::{ModelReportItem, ModelReportResponse, ReportSpan};
use crate::App;
use crate::api::usage::Period;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// Show how models were used.
///
/// Those that were used in the span, for whatever purpose. A question counts with the model that was asked, what an answer
/// took with the one that gave it; answers of workflows count with none.
#[utoipa::path(
    get,
    path = "/api/control-tower/models",
    operation_id = "control-tower.get_models",
    params(Part, Between, Sifted)
)]
async fn get_models(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<Part>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<Json<ModelReportResponse>> {
    let (tenant, models) = (auth.tenant, app.models.clone());
    let report = app.store.read(move |reader| {
        let period = span.period(reader, tenant)?;
        let lines = lines(reader, tenant, &period, &asked)?;
        let (total, totals) = (lines.count(), lines.totals());
        let items = part.of(lines.0).into_iter().map(|line| item(&models, line)).collect();
        Api::Ok(ModelReportResponse { items, total, totals, span: ReportSpan::from(&period) })
    });
    report.await.map(Json)
}

/// The lines of a period, in the order that is asked for.
pub fn lines(reader: &Reader, tenant: TenantId, period: &Period, asked: &Sifted) -> Api<Lines<()>> {
    let counted = Window::open(reader, tenant, &period.span)?.with_users::<OfModel>()?;
    let last = last_busy::<OfModel>(reader, tenant)?;
    let found = counted.into_iter().filter(|(OfModel(id), _)| asked.finds(&[id]));
    let lines = found.map(|(model, counted)| {
        let last = last.get(&model).copied();
        Line { id: model.0.clone(), name: model.0, counted, last, of: () }
    });
    Ok(Lines::sorted(lines.collect(), asked))
}

/// How a line is shown.
pub fn item(models: &Models, line: Line<()>) -> ModelReportItem {
    let model = (!line.id.is_empty()).then_some(line.id);
    let name = |id: &String| {
        let chat = models.find(id).map(|model| model.info.name.clone());
        chat.or_else(|| models.find_embedder(id).map(|model| model.info.name.clone()))
    };
    ModelReportItem {
        provider: model.as_deref().and_then(|id| id.split('/').next()).map(str::to_owned),
        name: model.as_ref().and_then(name),
        model,
        users: line.counted.users,
        figures: line.counted.activity.into(),
        last_used_at: line.last,
    }
}

operations!(get_models);
