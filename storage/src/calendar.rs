//! The days and months of a time zone, by which the usage ledger is reported.

use crate::records::Tenant;
use crate::records::ledger::QUARTER_MS;
use crate::time::Timestamp;
use chrono::{
    DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc,
};
use chrono_tz::Tz;
use std::ops::Range;

/// How far to search after a midnight that the clocks of a zone skip, in quarter hours: two days.
const SEARCH: i32 = 2 * 96;

/// A time zone. Its days begin at quarter hours, which is true of all zones today. A past day that began between two
/// quarter hours is treated as beginning at the earlier one. Every quarter hour therefore belongs to exactly one day,
/// and the usage of a month is the sum of the usage of its days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone(Tz);

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(Tz::UTC);

    /// The zone with this IANA name, if it exists.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok().map(Self)
    }

    /// The zone of a tenant; UTC if none is set.
    pub fn from_tenant(tenant: &Tenant) -> Self {
        tenant.time_zone.as_deref().and_then(Self::parse).unwrap_or(Self::UTC)
    }

    /// The IANA name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// When a day begins: at midnight, or if the clocks skip midnight, at the first moment after it. A day may have 23
    /// or 25 hours; a day that a zone skipped entirely has none.
    pub fn begin(self, day: NaiveDate) -> Timestamp {
        let midnight = day.and_time(NaiveTime::MIN);
        let quarters = (0..SEARCH).map(|quarter| midnight + TimeDelta::minutes(15 * i64::from(quarter)));
        let first = quarters.filter_map(|local| self.earliest(local)).next();
        let millis = first.unwrap_or_else(|| midnight.and_utc().timestamp_millis());
        Timestamp::from_millis(millis.div_euclid(QUARTER_MS) * QUARTER_MS)
    }

    /// The first moment at which the clocks of the zone show this local time.
    fn earliest(self, local: NaiveDateTime) -> Option<i64> {
        self.0.from_local_datetime(&local).earliest().map(|at| at.timestamp_millis())
    }

    /// The day that a moment belongs to.
    pub fn day(self, at: Timestamp) -> NaiveDate {
        let utc = DateTime::<Utc>::from_timestamp_millis(at.as_millis()).unwrap_or_default();
        let shown = self.0.from_utc_datetime(&utc.naive_utc()).naive_local().date();
        // Clocks that were set back across midnight show a day twice. The later day that has begun is used.
        let around = [shown.succ_opt(), Some(shown), shown.pred_opt()];
        let began = around.into_iter().flatten().find(|day| self.begin(*day) <= at);
        began.unwrap_or(shown)
    }

    /// The time span of a day.
    pub fn span(self, day: NaiveDate) -> Range<Timestamp> {
        self.begin(day)..self.begin(next(day))
    }

    /// The month of a moment, represented by its first day.
    pub fn month(self, at: Timestamp) -> NaiveDate {
        first(self.day(at))
    }

    /// The time span of the month that a day belongs to.
    pub fn month_span(self, day: NaiveDate) -> Range<Timestamp> {
        let month = first(day);
        self.begin(month)..self.begin(month.checked_add_months(Months::new(1)).unwrap_or(month))
    }
}

/// The first day of a day's month.
pub fn first(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

/// The day after this day.
pub fn next(day: NaiveDate) -> NaiveDate {
    day.checked_add_days(Days::new(1)).unwrap_or(day)
}

/// The first day of the previous month.
pub fn month_before(day: NaiveDate) -> NaiveDate {
    first(day).checked_sub_months(Months::new(1)).unwrap_or(day)
}

/// Parses a month such as `2026-11`. Accepts the years from 1970 to 9998, so that the previous and the next month can
/// be computed.
pub fn parse_month(text: &str) -> Option<NaiveDate> {
    let shaped = text.len() == 7
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let day = if shaped { format!("{text}-01").parse().ok() } else { None };
    day.filter(is_near)
}

/// Parses a day such as `2026-11-22`, in the same years.
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    if text.len() != 10 {
        return None;
    }
    text.parse().ok().filter(is_near)
}

fn is_near(day: &NaiveDate) -> bool {
    (1970..=9998).contains(&day.year())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zone(name: &str) -> Zone {
        Zone::parse(name).unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn hours(zone: Zone, text: &str) -> f64 {
        let span = zone.span(day(text));
        (span.end.as_millis() - span.start.as_millis()) as f64 / 3_600_000.0
    }

    #[test]
    fn zone_days_have_the_length_that_clock_changes_give_them() {
        assert_eq!(hours(zone("Europe/Zurich"), "2026-03-29"), 23.0);
        assert_eq!(hours(zone("Europe/Zurich"), "2026-10-25"), 25.0);
        assert_eq!(hours(zone("Europe/Zurich"), "2026-06-01"), 24.0);
        assert_eq!(hours(zone("Australia/Lord_Howe"), "2026-04-05"), 24.5);
        // Clocks go forward at midnight, so the day begins at one o'clock.
        assert_eq!(hours(zone("Africa/Cairo"), "2026-04-24"), 23.0);
        assert_eq!(zone("Africa/Cairo").begin(day("2026-04-24")), "2026-04-23T22:00:00Z".parse().unwrap());
        // Clocks go back at midnight, to the previous day.
        assert_eq!(hours(zone("America/Havana"), "2026-11-01"), 25.0);
        // A zone that crossed the date line skipped a day.
        assert_eq!(hours(zone("Pacific/Apia"), "2011-12-30"), 0.0);
    }

    #[test]
    fn zone_day_begins_at_local_midnight() {
        for (name, begin) in [
            ("Asia/Kathmandu", "2026-11-21T18:15:00Z"),
            ("America/St_Johns", "2026-11-22T03:30:00Z"),
            ("UTC", "2026-11-22T00:00:00Z"),
            ("Pacific/Kiritimati", "2026-11-21T10:00:00Z"),
        ] {
            assert_eq!(zone(name).begin(day("2026-11-22")), begin.parse().unwrap(), "{name}");
        }
        assert!(Zone::parse("Europe/Nowhere").is_none());
    }

    #[test]
    fn parse_month_accepts_only_one_format() {
        assert_eq!(parse_month("2026-11"), Some(day("2026-11-01")));
        for text in
            ["2026-13", "2026-1", "26-11", "2026-11-01", "2026/11", "9999-01", "+026-11", "1969-12", ""]
        {
            assert_eq!(parse_month(text), None, "{text}");
        }
        assert_eq!(parse_day("2028-02-29"), Some(day("2028-02-29")));
        assert!(parse_day("2027-02-29").is_none() && parse_day("2027-2-1").is_none());
    }

    proptest! {
        /// Every moment belongs to one day in every zone: days have no gaps between them and begin at quarter hours.
        #[test]
        fn zone_days_have_no_gaps(zone in 0..chrono_tz::TZ_VARIANTS.len(), at in 0i64..4_000_000_000_000) {
            let (zone, at) = (Zone(chrono_tz::TZ_VARIANTS[zone]), Timestamp::from_millis(at));
            let day = zone.day(at);
            let span = zone.span(day);
            prop_assert!(span.contains(&at), "{} {at} {day} {span:?}", zone.name());
            prop_assert_eq!(span.start.as_millis() % QUARTER_MS, 0);
            prop_assert!(span.start <= span.end);
            let month = zone.month_span(day);
            prop_assert!(month.start <= span.start && span.end <= month.end);
        }

        /// The zones of today begin their days at the start of the local date, at a quarter hour.
        #[test]
        fn zone_days_of_today_begin_at_quarter_hours(
            zone in 0..chrono_tz::TZ_VARIANTS.len(),
            ahead in 0u64..3_650,
        ) {
            let tz = chrono_tz::TZ_VARIANTS[zone];
            let day = day("2024-01-01").checked_add_days(Days::new(ahead)).unwrap();
            let begin = Zone(tz).begin(day);
            let before = tz.timestamp_millis_opt(begin.as_millis() - 1).unwrap();
            let at = tz.timestamp_millis_opt(begin.as_millis()).unwrap();
            prop_assert!(at.date_naive() == day && before.date_naive() < day, "{} {day}", tz.name());
        }
    }
}
