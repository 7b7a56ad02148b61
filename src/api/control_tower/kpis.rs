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
    /// Period of the figures.
    #[serde(flatten)]
    pub span: ReportSpan,
    /// Start of the previous period, which ends at the start of this one.
    pub previous_from_date: Timestamp,
    /// Number of users with any activity.
    pub active_users: Kpi,
    /// Number of assistants that were used.
    pub assistants_in_use: Kpi,
    /// Number of conversations that were started.
    pub conversations: Kpi,
    /// Number of messages: questions, and answers to them.
    pub messages: Kpi,
    /// Number of answers that failed, timed out, or were interrupted by a stop of the server.
    pub errors: Kpi,
    /// Number of requests to models.
    pub requests: Kpi,
    /// Number of tokens of requests and answers.
    pub tokens: Kpi,
    /// Cost in billionths of a dollar.
    pub cost_nanos: Kpi,
    /// Cost in the period, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
    /// Cost in the previous period, in dollars.
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

/// Retrieve the key figures of the tenant.
///
/// Covers the last 30 days in the tenant's time zone, including today, or the requested period. Each figure includes its value in the
/// previous period of the same length.
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
