//! The periods of reports.

use std::ops::Range;

use chrono::NaiveDate;
use storage::calendar::{self, Zone};
use storage::records::Tenant;
use storage::records::ledger::quarter_from;
use storage::{Reader, TenantId, Timestamp};

use super::MomentOrDay;
use crate::{Faults, Refusal, Result};

/// Maximum number of days of a report: a year, and a month to look back.
const MAX_DAYS: i64 = 400;
const DAY_MS: i64 = 86_400_000;
/// The range of moments that are accepted.
const YEARS: Range<&str> = "1970-01-01T00:00:00Z".."9998-12-31T00:00:00Z";

/// Returns the time zone that determines the days and months of a tenant's reports.
pub fn zone_of(reader: &Reader, tenant: TenantId) -> Result<Zone> {
    Ok(Zone::from_tenant(&reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.body))
}

/// A period in a time zone.
#[derive(Clone, Debug)]
pub struct Period {
    /// The time zone that determines the days.
    pub zone: Zone,
    /// Start and exclusive end, in whole quarter hours.
    pub span: Range<Timestamp>,
}

impl Period {
    /// Returns the period between two moments. If one is omitted, the start or the end of the month.
    pub fn between(zone: Zone, from: Option<Timestamp>, to: Option<Timestamp>) -> Result<Self> {
        let now = Timestamp::now();
        let in_month = to.map_or(now, |to| Timestamp::from_millis(to.as_millis() - 1));
        let start = from.unwrap_or_else(|| zone.month_span(zone.day(in_month)).start);
        let end = to.unwrap_or_else(|| zone.month_span(zone.day(start.max(now))).end);
        Self { zone, span: quarter_from(start)..quarter_from(end) }.checked()
    }

    /// Returns the period of a query. If a limit is omitted, the start or the end of the month.
    pub fn from_query(zone: Zone, from: Option<MomentOrDay>, to: Option<MomentOrDay>) -> Result<Self> {
        Self::between(zone, from.map(|from| from.begin(zone)), to.map(|to| to.end(zone)))
    }

    /// Returns the period from one day to another, inclusive.
    pub fn days(zone: Zone, from: Option<NaiveDate>, to: Option<NaiveDate>) -> Result<Self> {
        let to = to.map(|day| zone.span(day).end);
        Self::between(zone, from.map(|day| zone.begin(day)), to)
    }

    /// Returns the month that contains a day; without a day, the current month.
    pub fn month(zone: Zone, day: Option<NaiveDate>) -> Self {
        let day = day.unwrap_or_else(|| zone.day(Timestamp::now()));
        Self { zone, span: zone.month_span(day) }
    }

    fn checked(self) -> Result<Self> {
        let millis = self.span.end.as_millis() - self.span.start.as_millis();
        // A day can have 25 hours.
        let fault = match millis {
            ..0 => "begins after `to_date`".to_owned(),
            millis if millis > MAX_DAYS * DAY_MS + DAY_MS / 24 => {
                format!("lies more than {MAX_DAYS} days before `to_date`")
            }
            _ => return Ok(self),
        };
        Err(Refusal::invalid("query", ["from_date"], fault, "out_of_range"))
    }
}

/// Adds a fault for each moment that is too far away for computations.
pub fn check_moments(faults: &mut Faults, moments: [(&str, Option<MomentOrDay>); 2]) {
    for (field, moment) in moments {
        if moment.and_then(MomentOrDay::moment).is_some_and(|moment| !is_near(&moment)) {
            faults.add([field], "is not between the years 1970 and 9998", "out_of_range");
        }
    }
}

fn is_near(moment: &Timestamp) -> bool {
    let [first, last] = [YEARS.start, YEARS.end].map(str::parse::<Timestamp>);
    first.is_ok_and(|first| first <= *moment) && last.is_ok_and(|last| *moment <= last)
}

/// Adds a fault for a text that is not a month.
pub fn check_month(faults: &mut Faults, month: Option<&str>) {
    if month.is_some_and(|month| calendar::parse_month(month).is_none()) {
        faults.add(["month"], "is not a month such as `2026-11`", "malformed");
    }
}

/// Adds a fault for a text that is not a day.
pub fn check_day(faults: &mut Faults, field: &str, day: Option<&str>) {
    if day.is_some_and(|day| read_day(Zone::UTC, day).is_none()) {
        faults.add([field], "is neither a day such as `2026-11-22` nor a timestamp", "malformed");
    }
}

/// Parses the day of a query: a day, or a moment of that day.
pub fn day_asked(zone: Zone, day: Option<&str>) -> Option<NaiveDate> {
    day.and_then(|day| read_day(zone, day))
}

fn read_day(zone: Zone, text: &str) -> Option<NaiveDate> {
    let moment = || text.parse::<Timestamp>().ok().filter(is_near).map(|at| zone.day(at));
    calendar::parse_day(text).or_else(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(from: Option<&str>, to: Option<&str>) -> Option<(String, String)> {
        let zone = Zone::parse("Europe/Zurich")?;
        let day = |text: Option<&str>| day_asked(zone, text);
        let period = Period::days(zone, day(from), day(to)).ok()?;
        Some((period.span.start.to_string(), period.span.end.to_string()))
    }

    #[test]
    fn period_days_includes_both_days_in_full() {
        let span = period(Some("2026-03-29"), Some("2026-03-29"));
        assert_eq!(span, Some(("2026-03-28T23:00:00.000Z".into(), "2026-03-29T22:00:00.000Z".into())));
        // A moment belongs to the day that it falls on in the time zone.
        assert_eq!(period(Some("2026-03-28T23:30:00Z"), Some("2026-03-29T21:30:00Z")), span);
        assert_eq!(period(Some("2026-03-30"), Some("2026-03-28")), None);
    }

    #[test]
    fn period_accepts_400_days_and_refuses_more() {
        assert!(period(Some("2024-01-01"), Some("2024-12-31")).is_some());
        assert!(period(Some("2024-01-01"), Some("2025-02-03")).is_some(), "400 days");
        assert!(period(Some("2024-01-01"), Some("2025-02-04")).is_none());
    }

    #[test]
    fn period_without_a_start_begins_with_the_month_of_its_end() {
        let span = period(None, Some("2026-03-31"));
        assert_eq!(span, Some(("2026-02-28T23:00:00.000Z".into(), "2026-03-31T22:00:00.000Z".into())));
    }
}
