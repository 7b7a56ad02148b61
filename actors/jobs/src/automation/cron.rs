//! Cron expressions in a time zone, including daylight saving time.
//!
//! The expression refers to local time. Between two changes of a zone's offset, local time and UTC advance in parallel. The
//! search therefore proceeds from change to change, and looks in each interval for the next matching local time. When clocks go
//! forward, some local times do not exist; when clocks go back, some occur twice. Only this module decides what happens to ticks
//! at such times.

use chrono::{DateTime, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

const DAY: i64 = 24 * 60 * 60;
/// An expression without a match within this many seconds is assumed never to match. The rarest expression with matches is
/// February 29 on a given day of the week, which occurs at least once in 40 years.
const HORIZON: i64 = 41 * 366 * DAY;

/// The fields, and the values that are allowed in each.
const FIELDS: [(&str, &str); 5] = [
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day of the month", "1 to 31, or L for the last"),
    ("month", "1 to 12, or JAN to DEC"),
    ("day of the week", "0 to 7 (0 and 7 are Sunday), or SUN to SAT"),
];

/// A cron expression with five fields, in a time zone.
#[derive(Clone, Debug)]
pub(super) struct ZonedCron {
    cron: Cron,
    zone: Tz,
    /// Whether every hour has ticks. If so, a skipped hour loses no tick, because the hours around it have their own.
    hourly: bool,
    /// Whether a time field contains `*` or a step. If so, the expression matches in both occurrences of a repeated hour.
    repeats: bool,
}

impl ZonedCron {
    /// Parses an expression. `Err` contains a description of the fault.
    pub fn read(expression: &str, zone: Tz) -> Result<Self, String> {
        let fields: Vec<&str> = expression.split_whitespace().collect();
        let names = FIELDS.map(|(name, _)| name).join(", ");
        let [minutes, hours, ..] = fields.as_slice() else {
            return Err(format!("needs five fields: {names}"));
        };
        if fields.len() != 5 {
            return Err(format!("has {} fields instead of five: {names}", fields.len()));
        }
        let cron = parse(expression).map_err(|why| fault_of(&fields).unwrap_or(why))?;
        let hourly = (0..24).all(|hour| cron.pattern.hour_match(hour).unwrap_or(false));
        let repeats = [minutes, hours].iter().any(|field| field.contains(['*', '/', '?']));
        Ok(Self { cron, zone, hourly, repeats })
    }

    /// Returns the first tick after a time, both in seconds since 1970. Returns `None` if there is no tick within the horizon.
    pub fn next(&self, after: i64) -> Option<i64> {
        let mut offset = self.offset(after)?;
        let mut from = after + 1;
        while from - after < HORIZON {
            let wall = self.next_local_time(from + offset)?;
            let tick = wall - offset;
            if tick - after > HORIZON {
                return None;
            }
            match self.change(offset, from, tick)? {
                None if !self.repeats && self.is_second(wall, tick) => from = tick + 1,
                None => return Some(tick),
                Some(change) => {
                    let then = self.offset(change)?;
                    if then > offset && !self.hourly && self.has_tick(change + offset, change + then) {
                        return Some(change);
                    }
                    (offset, from) = (then, change);
                }
            }
        }
        None
    }

    /// Returns the first matching local time at or after `from`, in seconds as if it were UTC.
    fn next_local_time(&self, from: i64) -> Option<i64> {
        let from = naive(from)?;
        self.cron.find_next_occurrence(&from, true).ok().map(|next| next.and_utc().timestamp())
    }

    fn has_tick(&self, from: i64, to: i64) -> bool {
        self.next_local_time(from).is_some_and(|wall| wall < to)
    }

    /// Returns the zone's offset from UTC, in seconds.
    fn offset(&self, at: i64) -> Option<i64> {
        let offset = self.zone.offset_from_utc_datetime(&naive(at)?);
        Some(i64::from(offset.fix().local_minus_utc()))
    }

    /// Returns the first time in `from..=to` that has a different offset.
    fn change(&self, offset: i64, from: i64, to: i64) -> Option<Option<i64>> {
        if self.offset(from)? != offset {
            return Some(Some(from));
        }
        let mut same = from;
        while same < to {
            // No zone changes its offset and changes it back within one day.
            let mut other = (same + DAY).min(to);
            if self.offset(other)? == offset {
                same = other;
                continue;
            }
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                match self.offset(middle)? == offset {
                    true => same = middle,
                    false => other = middle,
                }
            }
            return Some(Some(other));
        }
        Some(None)
    }

    /// Whether `tick` is the second time that the clock shows `wall`.
    fn is_second(&self, wall: i64, tick: i64) -> bool {
        let Some(wall) = naive(wall) else { return false };
        match self.zone.from_local_datetime(&wall) {
            chrono::LocalResult::Ambiguous(first, _) => first.timestamp() < tick,
            _ => false,
        }
    }
}

fn parse(expression: &str) -> Result<Cron, String> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(expression).map_err(|why| why.to_string())
}

/// Finds the invalid field by trying each field on its own.
fn fault_of(fields: &[&str]) -> Option<String> {
    let alone = |at: usize| -> String {
        (0..FIELDS.len())
            .map(|other| if other == at { fields[at] } else { "*" })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let wrong = (0..FIELDS.len().min(fields.len())).find(|at| parse(&alone(*at)).is_err())?;
    let ((name, range), value) = (FIELDS[wrong], fields[wrong]);
    Some(format!(
        "{value:?} is not a valid {name}: use {range}, `*`, lists (1,3), ranges (1-3) or steps (*/2)"
    ))
}

fn naive(seconds: i64) -> Option<NaiveDateTime> {
    DateTime::<Utc>::from_timestamp(seconds, 0).map(|at| at.naive_utc())
}
