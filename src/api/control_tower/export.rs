//! The reports as tables.

use crate::http::ErrorResponse;
use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use bytes::Bytes;
use futures::{Stream, stream};
use storage::{Reader, TenantId, Timestamp};

use super::asked::{Between, Sifted};
use super::view::{ActivityFigures, ModelReportItem, OverviewItem, UserReportItem};
use super::{models, overview, users};
use crate::App;
use crate::api::usage::Period;
use crate::http::csv::CsvPart;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Query, operations, streaming};

/// Lines that one part of a table tells.
const LINES: usize = 500;

/// Columns that all tables have at their end.
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

/// Download how the tenant's assistants were used.
///
/// All lines of the overview of the same span, search and order.
#[utoipa::path(get, path = "/api/control-tower/overview/export", operation_id = "control-tower.export_overview_csv",
    params(Between, Sifted),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")))]
async fn export_overview_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<HttpResponse> {
    let tenant = auth.tenant;
    let table = app.store.read(move |reader| assistants(reader, tenant, &span, &asked)).await?;
    table.answer()
}

/// Download how models were used.
///
/// All lines of the report of the same span, search and order.
#[utoipa::path(get, path = "/api/control-tower/models/export", operation_id = "control-tower.export_models_csv",
    params(Between, Sifted),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")))]
async fn export_models_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<HttpResponse> {
    let (tenant, known) = (auth.tenant, app.models.clone());
    let table = app.store.read(move |reader| {
        let period = span.period(reader, tenant)?;
        let lines = models::lines(reader, tenant, &period, &asked)?;
        let items = lines.0.into_iter().map(|line| of_model(models::item(&known, line)));
        Api::Ok(Table::new("models", &period, &["model", "provider", "name", "users"], items.collect()))
    });
    table.await?.answer()
}

/// Download what the tenant's users did.
///
/// All lines of the report of the same span, search and order.
#[utoipa::path(get, path = "/api/control-tower/users/export", operation_id = "control-tower.export_users_csv",
    params(Between, Sifted),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")))]
async fn export_users_csv(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<HttpResponse> {
    let (tenant, asked) = (auth.tenant, asked.of_users()?);
    let table = app.store.read(move |reader| {
        let period = span.period(reader, tenant)?;
        let lines = users::lines(reader, tenant, &period, &asked)?;
        let items = lines.0.into_iter().map(|line| of_user(users::item(line)));
        let columns = ["user_id", "email", "name", "kind", "role", "disabled"];
        Api::Ok(Table::new("users", &period, &columns, items.collect()))
    });
    table.await?.answer()
}

fn assistants(reader: &Reader, tenant: TenantId, span: &Between, asked: &Sifted) -> Api<Table> {
    let period = span.period(reader, tenant)?;
    let lines = overview::lines(reader, tenant, &period, asked)?;
    let items = lines.0.into_iter().map(|line| overview::item(reader, tenant, line).map(of_assistant));
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
    Ok(Table::new("assistants", &period, &columns, items.collect::<storage::Result<_>>()?))
}

fn of_assistant(item: OverviewItem) -> Vec<String> {
    let (owner, email) = item.owner.map(|owner| (owner.user_id, owner.email)).unzip();
    let mut cells = vec![
        text(item.assistant_id),
        text(item.name),
        named(item.kind),
        text(owner),
        text(email.flatten()),
        named(item.visibility),
        text(item.enabled),
        text(item.disabled_reason),
        text(item.created_at),
        text(item.deleted_at),
        item.users.to_string(),
    ];
    cells.extend(figures(item.figures, item.last_used_at));
    cells
}

fn of_model(item: ModelReportItem) -> Vec<String> {
    let mut cells = vec![text(item.model), text(item.provider), text(item.name), item.users.to_string()];
    cells.extend(figures(item.figures, item.last_used_at));
    cells
}

fn of_user(item: UserReportItem) -> Vec<String> {
    let mut cells = vec![
        item.user.user_id.to_string(),
        text(item.user.email),
        text(item.user.display_name),
        named(item.kind),
        named(item.role),
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

/// A name as JSON has it.
fn named(cell: Option<impl serde::Serialize>) -> String {
    let name = cell.and_then(|cell| serde_json::to_value(cell).ok());
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A table that is written while it is read.
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

    fn answer(self) -> Api<HttpResponse> {
        let name = format!("attachment; filename=\"{}\"", self.name);
        let mut answer = HttpResponse::Ok();
        answer.content_type("text/csv; charset=utf-8").insert_header((CONTENT_DISPOSITION, name));
        Ok(streaming(&mut answer).streaming(parts(self.lines)))
    }
}

fn parts(lines: Vec<Vec<String>>) -> impl Stream<Item = Result<Bytes, actix_web::Error>> {
    stream::unfold(lines.into_iter(), |mut lines| async {
        let part: Vec<_> = lines.by_ref().take(LINES).collect();
        (!part.is_empty()).then(|| (written(&part).map_err(|why| ErrorResponse(why).into()), lines))
    })
}

fn written(lines: &[Vec<String>]) -> Api<Bytes> {
    let mut csv = CsvPart::default();
    lines.iter().try_for_each(|line| csv.line(line.iter().map(String::as_str)))?;
    Ok(csv.into_bytes()?.into())
}

operations!(export_overview_csv, export_models_csv, export_users_csv);
