//! The counters of stored bytes: each must equal the sum over its rows.

use super::{Doctor, place_of};
use crate::error::Result;
use crate::growth::{self, Stored};
use crate::tables::STORED;

impl Doctor<'_> {
    /// Recounts the stored bytes. A row that cannot be decoded is reported by the check of rows; with such a row, no
    /// sum can be verified.
    pub(super) fn stored(&mut self) -> Result<()> {
        self.begin("stored bytes");
        let Ok(mut sums) = growth::recount(&self.reader) else { return Ok(()) };
        for pair in self.table(STORED) {
            let (key, stored) = pair?;
            self.checked();
            let counted = Stored::decode(&stored);
            let sum = sums.remove(&key[..]).unwrap_or_default();
            if sum != counted {
                let place = place_of("counter of stored bytes", &key);
                let what = format!(
                    "it has {} bytes in {} rows, but the rows add up to {} bytes in {} rows",
                    counted.bytes, counted.rows, sum.bytes, sum.rows
                );
                self.repair_entry(place, what, "recounted", |batch| batch.put(key, growth::normalized(sum)))?;
            }
        }
        for (key, sum) in sums {
            let place = place_of("counter of stored bytes", &key);
            self.repair_entry(place, "it is missing", "recounted", |batch| {
                batch.put(key, growth::normalized(sum));
            })?;
        }
        self.commit()
    }
}
