//! Limits on numbers of rows, each with its setting.

use crate::error::{Error, Result};
use crate::limits::{Counted, LimitReached};
use crate::reader::Reader;

impl Reader {
    /// How many there may be; `u64::MAX` where there is no limit.
    pub fn most(&self, counted: Counted) -> u64 {
        match self.counts.limit(counted) {
            0 => u64::MAX,
            most => most,
        }
    }

    /// Refuses one more than `current` where that would exceed the limit, and counts the refusal.
    ///
    /// # Errors
    /// `LimitReached`.
    pub fn require_place(&self, counted: Counted, current: u64) -> Result<()> {
        let limit = self.most(counted);
        if current < limit {
            return Ok(());
        }
        let (unit, of, setting) = counted.words();
        telemetry::metrics::table::STORED_LIMIT_REFUSALS.add([setting], 1);
        Err(Error::LimitReached(Box::new(LimitReached { of, unit, limit, current, added: 1, setting })))
    }
}
