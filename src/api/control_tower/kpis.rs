//! The key figures of a tenant.

use actix_web::web::Data;
use domain::control_tower::{KeyFigures, Kpi, key_figures};
use serde::Serialize;
use storage::{Reader, Timestamp};
use utoipa::ToSchema;

use super::query::SpanQuery;
use super::view::ReportSpan;
use crate::App;
use crate::api::money::dollars;
use crate::api::usage::Period;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// The key figures of a tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct KpisResponse {
    /// The period.
    #[serde(flatten)]
    pub span: ReportSpan,
    /// When the period before begins; it ends where this one begins.
    pub previous_from_date: Timestamp,
    /// Users who did anything.
    pub active_users: Kpi,
    /// Assistants with which anything was done.
    pub assistants_in_use: Kpi,
    /// Conversations that began.
    pub conversations: Kpi,
    /// Questions, and answers to them.
    pub messages: Kpi,
    /// Answers that failed, took too long, or broke off with the server.
    pub errors: Kpi,
    /// Uses of models.
    pub requests: Kpi,
    /// Tokens of requests and answers.
    pub tokens: Kpi,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: Kpi,
    /// What it cost in the span, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
    /// What it cost in the span before, in dollars.
    #[schema(example = "0.001234000")]
    pub previous_cost: String,
}

impl KpisResponse {
    fn new(period: &Period, figures: KeyFigures) -> Self {
        Self {
            span: ReportSpan::from(period),
            previous_from_date: figures.previous_start,
            active_users: figures.active_users,
            assistants_in_use: figures.assistants_in_use,
            conversations: figures.conversations,
            messages: figures.messages,
            errors: figures.errors,
            requests: figures.requests,
            tokens: figures.tokens,
            cost: dollars(figures.cost_nanos.value),
            previous_cost: dollars(figures.cost_nanos.previous),
            cost_nanos: figures.cost_nanos,
        }
    }
}

/// Show the key figures of the tenant.
///
/// Of the last 30 days by the tenant's zone, today included, or of a span; each with its value in the span of the same
/// length before.
#[utoipa::path(get, path = "/api/control-tower/kpis", params(SpanQuery))]
async fn get_kpis(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(span): Query<SpanQuery>,
) -> Api<Json<KpisResponse>> {
    let tenant = auth.tenant;
    let read = move |reader: &Reader| {
        let period = span.period(reader, tenant)?;
        Api::Ok(KpisResponse::new(&period, key_figures(reader, tenant, &period)?))
    };
    app.store.read(read).await.map(Json)
}

operations!(get_kpis);
