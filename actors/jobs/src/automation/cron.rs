//! Cron expressions in a time zone, with what that zone does to its clocks twice a year.
//!
//! The expression speaks of wall clocks. Between two changes of a zone's offset, wall clock and
//! time run alike, so the search goes from change to change and asks, in each stretch, for the
//! next wall clock time. At a change forward some wall clock times never come, at a change back
//! some come twice; what becomes of ticks at those is decided here and nowhere else.

use chrono::{DateTime, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

const DAY: i64 = 24 * 60 * 60;
/// An expression that does not come within so many seconds is taken never to come. The rarest that
/// does is a 29th of February on a given day of the week, once in 40 years at most.
const HORIZON: i64 = 41 * 366 * DAY;

/// The fields, and what can stand in each.
const FIELDS: [(&str, &str); 5] = [
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day of the month", "1 to 31, or L for the last"),
    ("month", "1 to 12, or JAN to DEC"),
    ("day of the week", "0 to 7 (0 and 7 are Sunday), or SUN to SAT"),
];

/// A cron expression of five fields in a time zone.
#[derive(Clone, Debug)]
pub(super) struct ZonedCron {
    cron: Cron,
    zone: Tz,
    /// Every hour has ticks. Then an hour that does not exist takes none away: the hours around it
    /// have theirs.
    hourly: bool,
    /// `*` or a step in the time fields: it runs in both of two hours of the same name.
    repeats: bool,
}

impl ZonedCron {
    /// Reads an expression; `Err` says what is wrong with it.
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

    /// The first tick after a moment, both in seconds since 1970; none if there is none in this
    /// lifetime.
    pub fn next(&self, after: i64) -> Option<i64> {
        let mut offset = self.offset(after)?;
        let mut from = after + 1;
        while from - after < HORIZON {
            let wall = self.next_on_wall(from + offset)?;
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

    /// The first wall clock time, in seconds as if it were UTC, from this one on.
    fn next_on_wall(&self, from: i64) -> Option<i64> {
        let from = naive(from)?;
        self.cron.find_next_occurrence(&from, true).ok().map(|next| next.and_utc().timestamp())
    }

    fn has_tick(&self, from: i64, to: i64) -> bool {
        self.next_on_wall(from).is_some_and(|wall| wall < to)
    }

    /// What the zone adds to UTC, in seconds.
    fn offset(&self, at: i64) -> Option<i64> {
        let offset = self.zone.offset_from_utc_datetime(&naive(at)?);
        Some(i64::from(offset.fix().local_minus_utc()))
    }

    /// The first moment in `from..=to` with another offset.
    fn change(&self, offset: i64, from: i64, to: i64) -> Option<Option<i64>> {
        if self.offset(from)? != offset {
            return Some(Some(from));
        }
        let mut same = from;
        while same < to {
            // No zone changes its clocks forth and back within a day.
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

    /// Whether the clock shows `wall` for the second time at `tick`.
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

/// Which field is wrong, found by trying each on its own.
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
        "{value:?} is no {name}: it is {range}; `*`, lists (1,3), ranges (1-3) and steps (*/2) can stand there, too"
    ))
}

fn naive(seconds: i64) -> Option<NaiveDateTime> {
    DateTime::<Utc>::from_timestamp(seconds, 0).map(|at| at.naive_utc())
}
