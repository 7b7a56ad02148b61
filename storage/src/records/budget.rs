//! Budgets: limits on spending.

use super::usage::{Span, Spend};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The limits on what one user, or a whole tenant, may spend on models. Its id is the user's; the tenant's
/// own budget has the nil id. `null` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Budget {
    /// Maximum cost per month, in billionths of a dollar.
    pub cost_nanos_month: Option<u64>,
    /// Maximum cost per day, in billionths of a dollar.
    pub cost_nanos_day: Option<u64>,
    /// Maximum number of input and output tokens per day.
    pub tokens_day: Option<u64>,
}

impl Record for Budget {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"bu";
    const NAME: &'static str = "budget";
    const GROWTH: Growth<Self> = Growth::OnePer("user and tenant");
}

/// What a limit restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Money, in billionths of a dollar.
    Cost,
    Tokens,
}

/// A limit that has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// The measure that is limited.
    pub measure: Measure,
    /// The period that the limit applies to.
    pub span: Span,
    /// The limit, in units of the measure.
    pub limit: u64,
    /// The amount spent in the period, in units of the measure.
    pub spent: u64,
    /// Start of the next period.
    pub renews_at: Timestamp,
}

impl Budget {
    /// Returns whether no limit is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a limit that is reached at `at`, the one that takes longest to renew. `who` is `None` for the
    /// whole tenant.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn exhausted(
        &self,
        reader: &Reader,
        tenant: TenantId,
        who: Option<Uuid>,
        at: Timestamp,
    ) -> Result<Option<Exhausted>> {
        let limits = [
            (self.cost_nanos_month, Measure::Cost, Span::Month),
            (self.cost_nanos_day, Measure::Cost, Span::Day),
            (self.tokens_day, Measure::Tokens, Span::Day),
        ];
        for (limit, measure, span) in limits {
            let Some(limit) = limit else { continue };
            let spend = Spend::read(reader, tenant, who, span, at)?;
            let spent = match measure {
                Measure::Cost => spend.cost_nanos,
                Measure::Tokens => spend.tokens(),
            };
            if spent >= limit {
                return Ok(Some(Exhausted { measure, span, limit, spent, renews_at: span.end(at) }));
            }
        }
        Ok(None)
    }
}
