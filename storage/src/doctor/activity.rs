//! Activity. Usage must equal the sum of the usage records, and the sums by day, by user and the last moments must
//! match the quarter hours. The other values of the quarter hours (messages, conversations, errors) are stored nowhere
//! else, because they outlive the objects that they were counted from.

use super::{Doctor, place_of};
use crate::engine::{Batch, counters};
use crate::error::Result;
use crate::record::Record;
use crate::records::UsageRecord;
use crate::records::activity::{Activity, RecountedSums, read_entry, spends};
use crate::records::ledger::quarter;
use crate::tables::{ACTIVITY, ACTIVITY_DAYS, ACTIVITY_LAST, ACTIVITY_USERS};
use crate::time::Timestamp;
use std::collections::BTreeMap;

const DIFFERS: &str = "it does not match the sum of its parts";
const EMPTY: &str = "no record contributes to it";
const RECOUNTED: &str = "recounted";

impl Doctor<'_> {
    pub(super) fn activity(&mut self) -> Result<()> {
        self.begin("activity");
        let records = self.table(UsageRecord::TABLE).map(|pair| {
            let (key, value) = pair?;
            let (tenant, row) = super::rows::row_of::<UsageRecord>(&key, &value)?;
            Ok((tenant, row.body))
        });
        // An unreadable record is reported by the check of rows.
        let Ok(mut spends) = spends(records) else { return Ok(()) };
        let mut rolled = RecountedSums::default();
        for pair in self.table(ACTIVITY) {
            let (key, stored) = pair?;
            self.checked();
            let place = place_of("activity", &key);
            let (tenant, deed, stored_value) = match (crate::keys::tenant(&key), read_entry(&key, &stored)) {
                (Ok(tenant), Ok((deed, stored_value))) => (tenant, deed, stored_value),
                _ => {
                    self.repair_entry(place, "its key is invalid", "deleted", |batch| batch.delete(key))?;
                    continue;
                }
            };
            let spend = spends.remove(&key[..]).unwrap_or_default();
            let should = Activity { spend, ..stored_value };
            if should == Activity::default() {
                self.repair_entry(place, EMPTY, "deleted", |batch| batch.delete(key))?;
                continue;
            }
            if should != stored_value {
                self.repair_entry(place, "it does not match the sum of its records", RECOUNTED, |batch| {
                    batch.put(key, should.encode());
                })?;
            }
            rolled.count(tenant, &deed, &should);
        }
        for (key, spend) in spends {
            let should = Activity { spend, ..Activity::default() };
            let (deed, _) = read_entry(&key, &[])?;
            rolled.count(crate::keys::tenant(&key)?, &deed, &should);
            let place = place_of("activity", &key);
            self.repair_entry(place, "it is missing", RECOUNTED, |batch| batch.put(key, should.encode()))?;
        }
        self.commit()?;
        self.rolled(rolled)
    }

    /// Compares the stored sums with the sums over the entries.
    fn rolled(&mut self, rolled: RecountedSums) -> Result<()> {
        let RecountedSums { days, users, last, .. } = rolled;
        self.parts(
            ACTIVITY_DAYS,
            days,
            |stored_value, should: &Activity| Activity::decode(stored_value) == *should,
            |batch, key, should| batch.put(key, should.encode()),
        )?;
        let same_days = |stored_value: &[u8], should: &[u64; 31]| {
            counters::all(stored_value) == counters::all(&counters::encode(should))
        };
        self.parts(ACTIVITY_USERS, users, same_days, {
            |batch, key, should| batch.put(key, counters::encode(&should))
        })?;
        // Entries only have a resolution of a quarter of an hour, so the moment must lie within it.
        let same_quarter = |stored_value: &[u8], should: &Timestamp| {
            let stored_value = stored_value
                .try_into()
                .map(|stored_value| (u64::from_be_bytes(stored_value) ^ (1 << 63)) as i64);
            stored_value.is_ok_and(|stored_value| quarter(Timestamp::from_millis(stored_value)) == *should)
        };
        self.parts(ACTIVITY_LAST, last, same_quarter, {
            |batch, key, should| batch.put(key, should.sortable().to_vec())
        })
    }

    fn parts<T>(
        &mut self,
        table: [u8; 2],
        mut sums: BTreeMap<Vec<u8>, T>,
        same: impl Fn(&[u8], &T) -> bool,
        put: impl Fn(&mut Batch, Vec<u8>, T),
    ) -> Result<()> {
        for pair in self.table(table) {
            let (key, stored_value) = pair?;
            self.checked();
            let place = place_of("sum of activity", &key);
            match sums.remove(&key[..]) {
                Some(should) if same(&stored_value, &should) => {}
                Some(should) => {
                    self.repair_entry(place, DIFFERS, RECOUNTED, |batch| put(batch, key.to_vec(), should))?
                }
                None => self.repair_entry(place, EMPTY, "deleted", |batch| batch.delete(key))?,
            }
        }
        for (key, should) in sums {
            let place = place_of("sum of activity", &key);
            self.repair_entry(place, "it is missing", RECOUNTED, |batch| put(batch, key, should))?;
        }
        self.commit()
    }
}
