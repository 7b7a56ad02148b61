//! Recounting of activity, for data from versions without these counters and for the doctor command.

use std::collections::BTreeMap;

use super::keys::{ActivityKeys, DAY_MS, MONTH_DAYS};
use super::{Activity, ActivityContext};
use crate::engine::{Batch, counters};
use crate::error::Result;
use crate::ids::TenantId;
use crate::records::UsageRecord;
use crate::records::ledger::QUARTER_MS;
use crate::records::usage::Spend;
use crate::time::Timestamp;

/// Recounted sums, by the keys under which they are stored.
#[derive(Default)]
pub(crate) struct RecountedSums {
    /// Sums by quarter hour.
    pub entries: BTreeMap<Vec<u8>, Activity>,
    /// Totals of the quarter hours of each day, in UTC.
    pub days: BTreeMap<Vec<u8>, Activity>,
    /// Number of activities of each user on each day of a month.
    pub users: BTreeMap<Vec<u8>, [u64; MONTH_DAYS]>,
    /// Times of the last activity.
    pub last: BTreeMap<Vec<u8>, Timestamp>,
}

impl RecountedSums {
    pub fn count(&mut self, tenant: TenantId, context: &ActivityContext, activity: &Activity) {
        let keys = ActivityKeys::new(tenant, context);
        add(&mut self.entries, keys.entry, activity);
        for key in keys.days {
            add(&mut self.days, key, activity);
        }
        for (key, day) in keys.users {
            let days = self.users.entry(key).or_insert([0; MONTH_DAYS]);
            days[day] = days[day].saturating_add(activity.deeds());
        }
        for key in keys.last {
            let last = self.last.entry(key).or_insert(context.at);
            *last = context.at.max(*last);
        }
    }

    pub fn put(self, batch: &mut Batch) {
        for (key, activity) in self.entries.into_iter().chain(self.days) {
            batch.put(key, activity.encode());
        }
        for (key, days) in self.users {
            batch.put(key, counters::encode(&days));
        }
        for (key, last) in self.last {
            batch.put(key, last.sortable().to_vec());
        }
    }
}

fn add(sums: &mut BTreeMap<Vec<u8>, Activity>, key: Vec<u8>, activity: &Activity) {
    let sum = sums.entry(key).or_default();
    *sum = sum.plus(*activity);
}

/// Sums usage records by the keys of the entries in which they count.
pub(crate) fn spends(
    records: impl Iterator<Item = Result<(TenantId, UsageRecord)>>,
) -> Result<BTreeMap<Vec<u8>, Spend>> {
    let mut sums = BTreeMap::<_, Spend>::new();
    for record in records {
        let (tenant, record) = record?;
        let sum = sums.entry(ActivityKeys::new(tenant, &ActivityContext::used(&record)).entry).or_default();
        *sum = sum.plus(Spend::from_record(&record));
    }
    Ok(sums)
}

/// No quarter hour crosses midnight, so sums of entries are sums of days.
const _: () = assert!(DAY_MS % QUARTER_MS == 0);
