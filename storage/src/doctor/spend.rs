//! The sums of usage: each must equal the sum of its records.

use super::{Doctor, place_of};
use crate::engine::counters;
use crate::error::Result;
use crate::record::Record;
use crate::records::UsageRecord;
use crate::records::usage::{self, Spend};
use crate::tables::{LEDGER, SPEND};

impl Doctor<'_> {
    /// Recounts the sums. An unreadable record is reported by the check of rows; with such a record, no sum can be
    /// verified.
    pub(super) fn spend(&mut self) -> Result<()> {
        self.begin("sums");
        let records = self.table(UsageRecord::TABLE).map(|pair| {
            let (key, value) = pair?;
            let (tenant, row) = super::rows::row_of::<UsageRecord>(&key, &value)?;
            Ok((tenant, row.body))
        });
        let Ok(mut sums) = usage::recount(records) else { return Ok(()) };
        for pair in self.table(SPEND).chain(self.table(LEDGER)) {
            let (key, stored) = pair?;
            self.checked();
            let place = place_of("sum", &key);
            match sums.remove(&key[..]) {
                Some(sum) if sum == Spend::from(counters::decode(&stored)) => {}
                Some(sum) => {
                    self.repair_entry(
                        place,
                        "it does not match the sum of its records",
                        "recounted",
                        |batch| {
                            usage::put(batch, key.to_vec(), &sum);
                        },
                    )?;
                }
                None => self.repair_entry(place, "no record contributes to it", "deleted", |batch| {
                    batch.delete(key)
                })?,
            }
        }
        for (key, sum) in sums {
            let place = place_of("sum", &key);
            self.repair_entry(place, "it is missing", "recounted", |batch| usage::put(batch, key, &sum))?;
        }
        self.commit()
    }
}
