//! The key figures of a tenant.

use serde::Serialize;
use storage::records::activity::{Activity, OfAssistant, Window};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;

use crate::Result;
use crate::usage::Period;

/// A number and its change from the previous period.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Kpi {
    /// The value in the period.
    pub value: u64,
    /// The value in the preceding period of the same length.
    pub previous: u64,
    /// The difference.
    pub change: i64,
    /// The change in percent of the previous value, to one decimal; `null` if the previous value was 0.
    pub change_percent: Option<f64>,
}

impl Kpi {
    fn new([value, previous]: [u64; 2]) -> Self {
        let change = i128::from(value) - i128::from(previous);
        let limit = if change < 0 { i64::MIN } else { i64::MAX };
        let percent = || (change as f64 / previous as f64 * 1_000.0).round() / 10.0;
        Self {
            value,
            previous,
            change: i64::try_from(change).unwrap_or(limit),
            change_percent: (previous > 0).then(percent),
        }
    }
}

/// The key figures of a period, each compared with the preceding period of the same length.
#[derive(Clone, Debug)]
pub struct KeyFigures {
    /// Start of the preceding period, which ends where this one begins.
    pub previous_start: Timestamp,
    /// Users with any activity.
    pub active_users: Kpi,
    /// Assistants with any activity.
    pub assistants_in_use: Kpi,
    /// Conversations that began in the period.
    pub conversations: Kpi,
    /// Questions and answers.
    pub messages: Kpi,
    /// Answers that failed, timed out or were interrupted by a stop of the server.
    pub errors: Kpi,
    /// Uses of models.
    pub requests: Kpi,
    /// Input and output tokens.
    pub tokens: Kpi,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: Kpi,
}

/// Returns the key figures of a tenant in a period.
///
/// # Errors
/// Returns an error if storage fails.
pub fn key_figures(reader: &Reader, tenant: TenantId, period: &Period) -> Result<KeyFigures> {
    let span = &period.span;
    let length = span.end.as_millis() - span.start.as_millis();
    let previous_start = Timestamp::from_millis(span.start.as_millis() - length);
    let now = Sums::read(&Window::open(reader, tenant, span)?)?;
    let before = Sums::read(&Window::open(reader, tenant, &(previous_start..span.start))?)?;
    let kpi = |number: fn(&Sums) -> u64| Kpi::new([number(&now), number(&before)]);
    Ok(KeyFigures {
        previous_start,
        active_users: kpi(|sums| sums.users),
        assistants_in_use: kpi(|sums| sums.assistants),
        conversations: kpi(|sums| sums.all.conversations),
        messages: kpi(|sums| sums.all.messages),
        errors: kpi(|sums| sums.all.errors),
        requests: kpi(|sums| sums.all.spend.requests),
        tokens: kpi(|sums| sums.all.spend.tokens()),
        cost_nanos: kpi(|sums| sums.all.spend.cost_nanos),
    })
}

/// The sums of one period.
struct Sums {
    all: Activity,
    users: u64,
    assistants: u64,
}

impl Sums {
    fn read(window: &Window<'_>) -> storage::Result<Self> {
        let by_assistant = window.by::<OfAssistant>()?;
        Ok(Self {
            all: by_assistant.values().fold(Activity::default(), |sum, one| sum.plus(*one)),
            users: window.users()?.len() as u64,
            assistants: by_assistant.keys().filter(|OfAssistant(id)| id.is_some()).count() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Kpi;

    #[test]
    fn kpi_computes_its_change_as_number_and_percentage() {
        let change = |value, previous| {
            let kpi = Kpi::new([value, previous]);
            (kpi.change, kpi.change_percent)
        };
        assert_eq!(change(15, 10), (5, Some(50.0)));
        assert_eq!(change(2, 3), (-1, Some(-33.3)));
        assert_eq!(change(0, 3), (-3, Some(-100.0)));
        assert_eq!(change(3, 0), (3, None));
        assert_eq!(change(u64::MAX, 0), (i64::MAX, None));
        assert_eq!(change(0, u64::MAX).0, i64::MIN);
    }
}
