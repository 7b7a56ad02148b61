//! What may be spent.

use super::usage::{Span, Spend};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// What one user, or a whole tenant, may spend on models. Its id is the user's; the tenant's own budget has
/// the nil id. `null` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Budget {
    /// Billionths of a dollar in a month.
    pub cost_nanos_month: Option<u64>,
    /// Billionths of a dollar in a day.
    pub cost_nanos_day: Option<u64>,
    /// Tokens of requests and answers in a day.
    pub tokens_day: Option<u64>,
}

impl Record for Budget {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"bu";
    const NAME: &'static str = "budget";
    const GROWTH: Growth<Self> = Growth::OnePer("user and tenant");
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Money, in billionths of a dollar.
    Cost,
    Tokens,
}

/// A limit that is reached.
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
    /// When the next period begins.
    pub renews_at: Timestamp,
}

impl Budget {
    /// Whether no limit is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The limit that is reached at a moment; the one that takes longest to start again. `who` is `None` for
    /// the whole tenant.
    ///
    /// # Errors
    /// Those of the store.
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
