//! Spans of time that reports are about.

use std::ops::Range;

use chrono::NaiveDate;
use storage::calendar::{self, Zone};
use storage::records::Tenant;
use storage::records::ledger::quarter_from;
use storage::{Reader, TenantId, Timestamp};

use super::MomentOrDay;
use crate::{Faults, Refusal, Result};

/// Days that one report may be about: a year, and a month to look back.
const MOST_DAYS: i64 = 400;
const DAY_MS: i64 = 86_400_000;
/// The years of moments that are taken.
const YEARS: Range<&str> = "1970-01-01T00:00:00Z".."9998-12-31T00:00:00Z";

/// The days and months of which zone a tenant's reports go by.
pub fn zone_of(reader: &Reader, tenant: TenantId) -> Result<Zone> {
    Ok(Zone::from_tenant(&reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.body))
}

/// A span of time in a zone.
#[derive(Clone, Debug)]
pub struct Period {
    /// Whose days it has.
    pub zone: Zone,
    /// The moments: whole quarter hours, without the end.
    pub span: Range<Timestamp>,
}

impl Period {
    /// Between two moments; what is left out is the begin, or the end, of the month.
    pub fn between(zone: Zone, from: Option<Timestamp>, to: Option<Timestamp>) -> Result<Self> {
        let now = Timestamp::now();
        let in_month = to.map_or(now, |to| Timestamp::from_millis(to.as_millis() - 1));
        let start = from.unwrap_or_else(|| zone.month_span(zone.day(in_month)).start);
        let end = to.unwrap_or_else(|| zone.month_span(zone.day(start.max(now))).end);
        Self { zone, span: quarter_from(start)..quarter_from(end) }.checked()
    }

    /// The period of a query; what is left out is the begin, or the end, of the month.
    pub fn from_query(zone: Zone, from: Option<MomentOrDay>, to: Option<MomentOrDay>) -> Result<Self> {
        Self::between(zone, from.map(|from| from.begin(zone)), to.map(|to| to.end(zone)))
    }

    /// From one day to another, both counted.
    pub fn days(zone: Zone, from: Option<NaiveDate>, to: Option<NaiveDate>) -> Result<Self> {
        let to = to.map(|day| zone.span(day).end);
        Self::between(zone, from.map(|day| zone.begin(day)), to)
    }

    /// A month, by one of its days; without one, this month.
    pub fn month(zone: Zone, day: Option<NaiveDate>) -> Self {
        let day = day.unwrap_or_else(|| zone.day(Timestamp::now()));
        Self { zone, span: zone.month_span(day) }
    }

    fn checked(self) -> Result<Self> {
        let millis = self.span.end.as_millis() - self.span.start.as_millis();
        // A day may have 25 hours.
        let fault = match millis {
            ..0 => "begins after `to_date`".to_owned(),
            millis if millis > MOST_DAYS * DAY_MS + DAY_MS / 24 => {
                format!("lies more than {MOST_DAYS} days before `to_date`")
            }
            _ => return Ok(self),
        };
        Err(Refusal::invalid("query", ["from_date"], fault, "out_of_range"))
    }
}

/// Adds a fault for each moment that is too far away to compute with.
pub fn check_moments(faults: &mut Faults, moments: [(&str, Option<MomentOrDay>); 2]) {
    for (field, moment) in moments {
        if moment.and_then(MomentOrDay::moment).is_some_and(|moment| !is_near(&moment)) {
            faults.add([field], "is not of the years 1970 to 9998", "out_of_range");
        }
    }
}

fn is_near(moment: &Timestamp) -> bool {
    let [first, last] = [YEARS.start, YEARS.end].map(str::parse::<Timestamp>);
    first.is_ok_and(|first| first <= *moment) && last.is_ok_and(|last| *moment <= last)
}

/// Adds a fault for a text that is no month.
pub fn check_month(faults: &mut Faults, month: Option<&str>) {
    if month.is_some_and(|month| calendar::parse_month(month).is_none()) {
        faults.add(["month"], "is no month, such as `2026-11`", "malformed");
    }
}

/// Adds a fault for a text that is no day.
pub fn check_day(faults: &mut Faults, field: &str, day: Option<&str>) {
    if day.is_some_and(|day| read_day(Zone::UTC, day).is_none()) {
        faults.add([field], "is no day, such as `2026-11-22`, and no moment", "malformed");
    }
}

/// The day of a query: a day, or one of its moments.
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
    fn days_are_whole_and_both_counted() {
        let span = period(Some("2026-03-29"), Some("2026-03-29"));
        assert_eq!(span, Some(("2026-03-28T23:00:00.000Z".into(), "2026-03-29T22:00:00.000Z".into())));
        // A moment is of the day that it is of there.
        assert_eq!(period(Some("2026-03-28T23:30:00Z"), Some("2026-03-29T21:30:00Z")), span);
        assert_eq!(period(Some("2026-03-30"), Some("2026-03-28")), None);
    }

    #[test]
    fn a_year_is_taken_and_two_are_not() {
        assert!(period(Some("2024-01-01"), Some("2024-12-31")).is_some());
        assert!(period(Some("2024-01-01"), Some("2025-02-03")).is_some(), "400 days");
        assert!(period(Some("2024-01-01"), Some("2025-02-04")).is_none());
    }

    #[test]
    fn without_a_begin_it_is_that_of_the_month_of_the_end() {
        let span = period(None, Some("2026-03-31"));
        assert_eq!(span, Some(("2026-02-28T23:00:00.000Z".into(), "2026-03-31T22:00:00.000Z".into())));
    }
}
