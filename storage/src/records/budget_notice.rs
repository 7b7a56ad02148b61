//! Which notifications about a budget were already sent.

use super::Measure;
use super::usage::Span;
use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The notifications that were sent about a budget, so that nothing is reported twice. Its id is the
/// budget's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetNotice {
    /// For each limit, the end of its current span and the used part that was reported, in percent.
    pub told: Vec<(String, Timestamp, u8)>,
}

impl BudgetNotice {
    /// Returns the name of a limit. A different amount is a different limit.
    pub fn limit(measure: Measure, span: Span, limit: u64) -> String {
        format!("{measure:?} {span:?} {limit}")
    }

    /// Returns the used part that was last reported for the span that ends at `ends`, in percent.
    pub fn reported_part(&self, limit: &str, ends: Timestamp) -> u8 {
        let reported = self.told.iter().find(|(name, until, _)| name == limit && *until == ends);
        reported.map_or(0, |(.., part)| *part)
    }

    /// Records a notification and removes the spans that have ended.
    pub fn note(&mut self, limit: &str, ends: Timestamp, part: u8, now: Timestamp) {
        self.told.retain(|(name, until, _)| name != limit && *until > now);
        self.told.push((limit.to_owned(), ends, part));
    }
}

impl Record for BudgetNotice {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"nw";
    const NAME: &'static str = "budget_notice";
    const GROWTH: Growth<Self> = Growth::OnePer("user and tenant");
}
