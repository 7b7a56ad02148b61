//! The usage of one user.

use chrono::NaiveDate;
use storage::calendar::{self, Zone};
use storage::records::ledger;
use storage::records::usage::Spend;
use storage::{Reader, TenantId, Timestamp};
use uuid::Uuid;

use super::{Filter, Period, Tally, zone_of};
use crate::{Caller, Result};

/// A user's usage in a month.
#[derive(Debug)]
pub struct MonthUsage {
    pub period: Period,
    pub tally: Tally,
}

/// A user's usage in several periods.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The tenant's time zone, which determines days and months.
    pub zone: Zone,
    pub today: Spend,
    pub this_month: Spend,
    pub last_month: Spend,
    pub all_time: Spend,
}

/// Returns a user's usage in the month that contains a day; without a day, in the current month.
///
/// # Errors
/// Returns an error if storage fails.
pub fn month(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    day: Option<NaiveDate>,
    filter: &Filter,
) -> Result<MonthUsage> {
    let period = Period::month(zone_of(reader, tenant)?, day);
    let tally = Tally::of_user(reader, tenant, user, &period, filter)?;
    Ok(MonthUsage { period, tally })
}

/// Returns the caller's usage today, this month, last month, and in total.
///
/// # Errors
/// Returns an error if storage fails.
pub fn summary(reader: &Reader, caller: &Caller, filter: &Filter) -> Result<Summary> {
    let zone = zone_of(reader, caller.tenant)?;
    let now = Timestamp::now();
    let (today, this_month) = (zone.span(zone.day(now)), zone.month_span(zone.day(now)));
    let last_month = zone.month_span(calendar::month_before(zone.day(now)));
    let [mut day, mut month, mut before] = [Spend::default(); 3];
    for entry in ledger::of_user(reader, caller.tenant, caller.user, &(last_month.start..this_month.end)) {
        let entry = entry?;
        let spans = [(&today, &mut day), (&this_month, &mut month), (&last_month, &mut before)];
        for (span, sum) in spans {
            if span.contains(&entry.quarter) && filter.takes(&entry) {
                *sum = sum.plus(entry.spend);
            }
        }
    }
    let all_time = all_time(reader, caller, filter)?;
    Ok(Summary { zone, today: day, this_month: month, last_month: before, all_time })
}

/// The stored sums of months include usage that is not billable, so the billable part is summed from the
/// ledger.
fn all_time(reader: &Reader, caller: &Caller, filter: &Filter) -> Result<Spend> {
    if !filter.only_billable {
        return Ok(Spend::ever(reader, caller.tenant, caller.user)?);
    }
    let (first, last) = (Timestamp::from_millis(i64::MIN), Timestamp::from_millis(i64::MAX));
    let mut sum = Spend::default();
    for entry in ledger::of_user(reader, caller.tenant, caller.user, &(first..last)) {
        let entry = entry?;
        if filter.takes(&entry) {
            sum = sum.plus(entry.spend);
        }
    }
    Ok(sum)
}

/// Returns the month in which the caller first used a model, as `2026-11` in the tenant's time zone.
///
/// # Errors
/// Returns an error if storage fails.
pub fn first_month(reader: &Reader, caller: &Caller, only_billable: bool) -> Result<Option<String>> {
    let first = ledger::first(reader, caller.tenant, caller.user, only_billable)?;
    let zone = zone_of(reader, caller.tenant)?;
    Ok(first.map(|entry| calendar_month(zone, entry.quarter)))
}

fn calendar_month(zone: Zone, at: Timestamp) -> String {
    zone.month(at).format("%Y-%m").to_string()
}

impl MonthUsage {
    /// Returns the month, as `2026-11`.
    pub fn name(&self) -> String {
        calendar_month(self.period.zone, self.period.span.start)
    }
}
