//! The few numbers that say how a tenant is doing.

use actix_web::web::Data;
use serde::Serialize;
use storage::records::activity::{Activity, OfAssistant, Window};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;

use super::asked::Between;
use super::view::ReportSpan;
use crate::App;
use crate::api::conversations::dollars;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, operations};

/// A number, and how it has changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Kpi {
    /// In the span.
    pub value: u64,
    /// In the span of the same length before it.
    pub previous: u64,
    /// How much more it is now, or less.
    pub change: i64,
    /// The same in hundredths of what it was, to one decimal; `null` where it was nothing.
    pub change_percent: Option<f64>,
}

impl Kpi {
    fn of([value, previous]: [u64; 2]) -> Self {
        let change = i128::from(value) - i128::from(previous);
        let whole = if change < 0 { i64::MIN } else { i64::MAX };
        let percent = || (change as f64 / previous as f64 * 1_000.0).round() / 10.0;
        Self {
            value,
            previous,
            change: i64::try_from(change).unwrap_or(whole),
            change_percent: (previous > 0).then(percent),
        }
    }
}

/// The few numbers that say how a tenant is doing.
#[derive(Debug, Serialize, ToSchema)]
pub struct KpisResponse {
    /// What they are about.
    #[serde(flatten)]
    pub span: ReportSpan,
    /// When the span before begins; it ends where this one begins.
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

/// Show the key figures of the tenant.
///
/// Of the last 30 days by the tenant's zone, today among them, or of a span; each with what it was in the span of the same
/// length before.
#[utoipa::path(
    get,
    path = "/api/control-tower/kpis",
    operation_id = "control-tower.get_kpis",
    params(Between)
)]
async fn get_kpis(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<Between>,
) -> Api<Json<KpisResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| kpis(reader, tenant, &asked)).await.map(Json)
}

/// What one span comes to.
struct Sum {
    all: Activity,
    users: u64,
    assistants: u64,
}

impl Sum {
    fn of(window: &Window<'_>) -> storage::Result<Self> {
        let by_assistant = window.by::<OfAssistant>()?;
        Ok(Self {
            all: by_assistant.values().fold(Activity::default(), |sum, one| sum.plus(*one)),
            users: window.users()?.len() as u64,
            assistants: by_assistant.keys().filter(|OfAssistant(id)| id.is_some()).count() as u64,
        })
    }
}

fn kpis(reader: &Reader, tenant: TenantId, asked: &Between) -> Api<KpisResponse> {
    let period = asked.period(reader, tenant)?;
    let span = &period.span;
    let length = span.end.as_millis() - span.start.as_millis();
    let begin = Timestamp::from_millis(span.start.as_millis() - length);
    let now = Sum::of(&Window::open(reader, tenant, span)?)?;
    let before = Sum::of(&Window::open(reader, tenant, &(begin..span.start))?)?;
    let kpi = |number: fn(&Sum) -> u64| Kpi::of([number(&now), number(&before)]);
    Ok(KpisResponse {
        span: ReportSpan::from(&period),
        previous_from_date: begin,
        active_users: kpi(|sum| sum.users),
        assistants_in_use: kpi(|sum| sum.assistants),
        conversations: kpi(|sum| sum.all.conversations),
        messages: kpi(|sum| sum.all.messages),
        errors: kpi(|sum| sum.all.errors),
        requests: kpi(|sum| sum.all.spend.requests),
        tokens: kpi(|sum| sum.all.spend.tokens()),
        cost_nanos: kpi(|sum| sum.all.spend.cost_nanos),
        cost: dollars(now.all.spend.cost_nanos),
        previous_cost: dollars(before.all.spend.cost_nanos),
    })
}

operations!(get_kpis);

#[cfg(test)]
mod tests {
    use super::Kpi;

    #[test]
    fn change_is_told_in_numbers_and_in_percent() {
        let told = |value, previous| {
            let kpi = Kpi::of([value, previous]);
            (kpi.change, kpi.change_percent)
        };
        assert_eq!(told(15, 10), (5, Some(50.0)));
        assert_eq!(told(2, 3), (-1, Some(-33.3)));
        assert_eq!(told(0, 3), (-3, Some(-100.0)));
        assert_eq!(told(3, 0), (3, None));
        assert_eq!(told(u64::MAX, 0), (i64::MAX, None));
        assert_eq!(told(0, u64::MAX).0, i64::MIN);
    }
}
