//! Export of the reports as CSV tables.

use crate::http::ErrorResponse;
use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use bytes::Bytes;
use domain::control_tower::{Report, ReportQuery, assistant_report, model_report, user_report};
use futures::{Stream, stream};
use storage::{Reader, TenantId, Timestamp};

use super::query::{RowsQuery, SpanQuery};
use super::view::{ActivityFigures, ModelReportItem, OverviewItem, UserReportItem};
use crate::App;
use crate::api::usage::Period;
use crate::http::csv::CsvPart;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Query, operations, streaming};

/// Number of rows that are sent at a time.
const CHUNK: usize = 500;

/// Columns at the end of every table.
const FIGURES: [&str; 13] = [
    "conversations",
    "messages",
    "errors",
    "requests",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "cost_nanos",
    "billable_nanos",
    "cost",
    "billable_cost",
    "last_used_at",
];

/// Export the usage of the tenant's assistants.
///
/// Contains all rows of the overview with the same period, search and order.
#[utoipa::path(get, path = "/api/control-tower/overview/export",
    params(SpanQuery, RowsQuery),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")))]
async fn export_overview_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<HttpResponse> {
    let (tenant, query) = (auth.tenant, rows.report(&span));
    app.store.read(move |reader| assistants(reader, tenant, &query)).await?.respond()
}

/// Export the usage of models.
///
/// Contains all rows of the report with the same period, search and order.
#[utoipa::path(get, path = "/api/control-tower/models/export",
    params(SpanQuery, RowsQuery),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")))]
async fn export_models_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<HttpResponse> {
    let (tenant, query, models) = (auth.tenant, rows.report(&span), app.models.clone());
    let table = app.store.read(move |reader| {
        let Report { period, rows } = model_report(reader, tenant, &query)?;
        let lines = rows.into_iter().map(|row| model_cells(ModelReportItem::new(&models, row)));
        Api::Ok(Table::new("models", &period, &["model", "provider", "name", "users"], lines.collect()))
    });
    table.await?.respond()
}

/// Export the activity of the tenant's users.
///
/// Contains all rows of the report with the same period, search and order.
#[utoipa::path(get, path = "/api/control-tower/users/export",
    params(SpanQuery, RowsQuery),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")))]
async fn export_users_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<SpanQuery>,
    Query(rows): Query<RowsQuery>,
) -> Api<HttpResponse> {
    let (tenant, query) = (auth.tenant, rows.report(&span));
    let table = app.store.read(move |reader| {
        let Report { period, rows } = user_report(reader, tenant, &query)?;
        let lines = rows.into_iter().map(|row| user_cells(row.into()));
        let columns = ["user_id", "email", "name", "kind", "role", "disabled"];
        Api::Ok(Table::new("users", &period, &columns, lines.collect()))
    });
    table.await?.respond()
}

fn assistants(reader: &Reader, tenant: TenantId, query: &ReportQuery) -> Api<Table> {
    let Report { period, rows } = assistant_report(reader, tenant, query)?;
    let lines = rows.into_iter().map(|row| OverviewItem::new(reader, tenant, row).map(assistant_cells));
    let columns = [
        "assistant_id",
        "name",
        "type",
        "owner_id",
        "owner_email",
        "visibility",
        "enabled",
        "disabled_reason",
        "created_at",
        "deleted_at",
        "users",
    ];
    Ok(Table::new("assistants", &period, &columns, lines.collect::<storage::Result<_>>()?))
}

fn assistant_cells(item: OverviewItem) -> Vec<String> {
    let (owner, email) = item.owner.map(|owner| (owner.user_id, owner.email)).unzip();
    let mut cells = vec![
        text(item.assistant_id),
        text(item.name),
        json_name(item.kind),
        text(owner),
        text(email.flatten()),
        json_name(item.visibility),
        text(item.enabled),
        text(item.disabled_reason),
        text(item.created_at),
        text(item.deleted_at),
        item.users.to_string(),
    ];
    cells.extend(figures(item.figures, item.last_used_at));
    cells
}

fn model_cells(item: ModelReportItem) -> Vec<String> {
    let mut cells = vec![text(item.model), text(item.provider), text(item.name), item.users.to_string()];
    cells.extend(figures(item.figures, item.last_used_at));
    cells
}

fn user_cells(item: UserReportItem) -> Vec<String> {
    let mut cells = vec![
        item.user.user_id.to_string(),
        text(item.user.email),
        text(item.user.display_name),
        json_name(item.kind),
        json_name(item.role),
        text(item.disabled),
    ];
    cells.extend(figures(item.figures, item.last_used_at));
    cells
}

fn figures(figures: ActivityFigures, last: Option<Timestamp>) -> [String; FIGURES.len()] {
    let ActivityFigures { conversations, messages, errors, used, .. } = figures;
    let spend = used.spend;
    [
        conversations.to_string(),
        messages.to_string(),
        errors.to_string(),
        spend.requests.to_string(),
        spend.input_tokens.to_string(),
        spend.output_tokens.to_string(),
        spend.cached_tokens.to_string(),
        spend.reasoning_tokens.to_string(),
        spend.cost_nanos.to_string(),
        spend.billable_nanos.to_string(),
        used.cost,
        used.billable_cost,
        text(last),
    ]
}

fn text(cell: Option<impl ToString>) -> String {
    cell.map(|cell| cell.to_string()).unwrap_or_default()
}

/// Returns the JSON name of an enum value.
fn json_name(cell: Option<impl serde::Serialize>) -> String {
    let name = cell.and_then(|cell| serde_json::to_value(cell).ok());
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A table that is sent in parts.
struct Table {
    name: String,
    lines: Vec<Vec<String>>,
}

impl Table {
    fn new(what: &str, period: &Period, columns: &[&str], mut lines: Vec<Vec<String>>) -> Self {
        let last = Timestamp::from_millis(period.span.end.as_millis() - 1);
        let days = (period.zone.day(period.span.start), period.zone.day(last));
        let head = columns.iter().chain(&FIGURES).map(|column| (*column).to_owned());
        lines.insert(0, head.collect());
        Self { name: format!("{what}-{}-{}.csv", days.0, days.1), lines }
    }

    fn respond(self) -> Api<HttpResponse> {
        let name = format!("attachment; filename=\"{}\"", self.name);
        let mut response = HttpResponse::Ok();
        response.content_type("text/csv; charset=utf-8").insert_header((CONTENT_DISPOSITION, name));
        Ok(streaming(&mut response).streaming(parts(self.lines)))
    }
}

fn parts(lines: Vec<Vec<String>>) -> impl Stream<Item = Result<Bytes, actix_web::Error>> {
    stream::unfold(lines.into_iter(), |mut lines| async {
        let part: Vec<_> = lines.by_ref().take(CHUNK).collect();
        (!part.is_empty()).then(|| (csv_of(&part).map_err(|why| ErrorResponse(why).into()), lines))
    })
}

fn csv_of(lines: &[Vec<String>]) -> Api<Bytes> {
    let mut csv = CsvPart::default();
    lines.iter().try_for_each(|line| csv.line(line.iter().map(String::as_str)))?;
    Ok(csv.into_bytes()?.into())
}

operations!(export_overview_csv, export_models_csv, export_users_csv);
