//! Assistants, and how they were used.

use std::collections::BTreeMap;

use actix_web::web::Data;
use storage::authority::{Ground, Reason};
use storage::records::activity::{Counted, OfAssistant, Window, last_busy};
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::asked::{Between, Part, Sifted};
use super::lines::{Line, Lines};
use super::view::{NamedUser, OverviewItem, OverviewResponse, ReportSpan};
use crate::App;
use crate::api::usage::Period;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Caller, Found, Json, Loadable, Query, operations};

/// Assistants that are read together.
const TOGETHER: usize = 100;

/// An assistant of the tenant, whoever may see it.
pub struct OfTenant(pub Row<Assistant>);

impl Loadable for OfTenant {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Assistant>(caller.tenant, &id)?;
        Ok(row.filter(|_| caller.is_admin()).map(Self))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground { reason: Reason::Administers, level: GrantLevel::Viewer }])
    }
}

/// Show how the tenant's assistants were used.
///
/// All of them are told, those in the bin and those that nobody used too; one that was deleted for good, and what was done
/// without an assistant, where anything was done in the span. So without a search the lines come to all that was done.
#[utoipa::path(
    get,
    path = "/api/control-tower/overview",
    operation_id = "control-tower.get_overview",
    params(Part, Between, Sifted)
)]
async fn get_overview(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(part): Query<Part>,
    Query(span): Query<Between>,
    Query(asked): Query<Sifted>,
) -> Api<Json<OverviewResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| overview(reader, tenant, part, &span, &asked)).await.map(Json)
}

/// Show how one assistant was used.
#[utoipa::path(
    get,
    path = "/api/control-tower/overview/{assistant_id}",
    operation_id = "control-tower.get_overview_item",
    params(Between)
)]
async fn get_overview_item(
    assistant: Found<OfTenant, AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<Between>,
) -> Api<Json<OverviewItem>> {
    let (tenant, row) = (assistant.auth.tenant, assistant.it.0);
    app.store.read(move |reader| one(reader, tenant, row, &asked)).await.map(Json)
}

/// What a line tells of an assistant beside numbers; an assistant's row is large.
#[derive(Clone, Debug)]
pub struct Brief {
    id: Option<Uuid>,
    row: Option<BriefRow>,
}

#[derive(Clone, Debug)]
struct BriefRow {
    owner: Uuid,
    created_at: Timestamp,
    told: Assistant,
}

impl Brief {
    fn of(row: Row<Assistant>) -> Self {
        let Row { id, created_at, body, .. } = row;
        let Assistant { name, kind, owner, visibility, enabled, disabled_reason, deleted_at, .. } = body;
        let told = Assistant {
            name,
            kind,
            visibility,
            enabled,
            disabled_reason,
            deleted_at,
            ..Assistant::default()
        };
        Self { id: Some(id), row: Some(BriefRow { owner, created_at, told }) }
    }
}

/// The lines of a period, in the order that is asked for.
pub fn lines(reader: &Reader, tenant: TenantId, period: &Period, asked: &Sifted) -> Api<Lines<Brief>> {
    let mut counted = Window::open(reader, tenant, &period.span)?.with_users::<OfAssistant>()?;
    let last = last_busy::<OfAssistant>(reader, tenant)?;
    let mut lines = Vec::new();
    let mut after = None;
    loop {
        let page = reader.scan::<Assistant>(tenant, Scan::table().limit(TOGETHER).after(after))?;
        for row in page.items {
            let sum = counted.remove(&OfAssistant(Some(row.id))).unwrap_or_default();
            if asked.finds(&[&row.name]) {
                lines.push(line(Brief::of(row), sum, &last));
            }
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if !asked.searches() {
        // What is left is of none, or of one that is gone.
        let rest =
            counted.into_iter().map(|(OfAssistant(id), sum)| line(Brief { id, row: None }, sum, &last));
        lines.extend(rest);
    }
    Ok(Lines::sorted(lines, asked))
}

fn line(of: Brief, counted: Counted, last: &BTreeMap<OfAssistant, Timestamp>) -> Line<Brief> {
    Line {
        id: of.id.map(|id| id.to_string()).unwrap_or_default(),
        name: of.row.as_ref().map(|row| row.told.name.clone()).unwrap_or_default(),
        counted,
        last: last.get(&OfAssistant(of.id)).copied(),
        of,
    }
}

/// How a line is shown.
pub fn item(reader: &Reader, tenant: TenantId, line: Line<Brief>) -> storage::Result<OverviewItem> {
    let Brief { id, row } = line.of;
    let owner = row.as_ref().map(|row| NamedUser::of(reader, tenant, row.owner)).transpose()?;
    let created_at = row.as_ref().map(|row| row.created_at);
    let told = row.map(|row| row.told);
    Ok(OverviewItem {
        assistant_id: id,
        kind: told.as_ref().map(|told| told.kind),
        owner,
        visibility: told.as_ref().map(|told| told.visibility),
        enabled: told.as_ref().map(|told| told.enabled),
        disabled_reason: told.as_ref().and_then(|told| told.disabled_reason.clone()),
        created_at,
        deleted_at: told.as_ref().and_then(|told| told.deleted_at),
        name: told.map(|told| told.name),
        users: line.counted.users,
        figures: line.counted.activity.into(),
        last_used_at: line.last,
    })
}

fn overview(
    reader: &Reader,
    tenant: TenantId,
    part: Part,
    span: &Between,
    asked: &Sifted,
) -> Api<OverviewResponse> {
    let period = span.period(reader, tenant)?;
    let lines = lines(reader, tenant, &period, asked)?;
    let (total, totals) = (lines.count(), lines.totals());
    let items = part.of(lines.0).into_iter().map(|line| item(reader, tenant, line));
    let items = items.collect::<storage::Result<_>>()?;
    Ok(OverviewResponse { items, total, totals, span: ReportSpan::from(&period) })
}

fn one(reader: &Reader, tenant: TenantId, row: Row<Assistant>, asked: &Between) -> Api<OverviewItem> {
    let period = asked.period(reader, tenant)?;
    let counted = Window::open(reader, tenant, &period.span)?.of(&OfAssistant(Some(row.id)))?;
    let last = last_busy::<OfAssistant>(reader, tenant)?;
    Ok(item(reader, tenant, line(Brief::of(row), counted, &last))?)
}

operations!(get_overview, get_overview_item);
