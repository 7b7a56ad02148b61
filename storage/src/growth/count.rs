//! Limits on numbers of rows, each with its setting.

use crate::error::{Error, Result};
use crate::limits::{CountedResource, LimitReached};
use crate::reader::Reader;

impl Reader {
    /// The maximum number of rows of a kind; `u64::MAX` if there is no limit.
    pub fn most(&self, counted: CountedResource) -> u64 {
        match self.counts.limit(counted) {
            0 => u64::MAX,
            most => most,
        }
    }

    /// Refuses an addition to `current` rows that would exceed the limit, and counts the refusal.
    ///
    /// # Errors
    /// `LimitReached` if the limit is reached.
    pub fn require_place(&self, counted: CountedResource, current: u64) -> Result<()> {
        let limit = self.most(counted);
        if current < limit {
            return Ok(());
        }
        let (unit, of, setting) = counted.words();
        telemetry::metrics::table::STORED_LIMIT_REFUSALS.add([setting], 1);
        Err(Error::LimitReached(Box::new(LimitReached { of, unit, limit, current, added: 1, setting })))
    }
}
