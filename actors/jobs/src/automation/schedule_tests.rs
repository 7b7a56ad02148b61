//! Compares a year of ticks with an oracle that checks every minute.

use super::*;
use chrono::{DateTime, Datelike, LocalResult, NaiveDateTime, Offset, TimeZone, Timelike, Utc};

const ZONES: [&str; 4] = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn trigger(cron: &str, zone: &str) -> Trigger {
    Trigger {
        kind: TriggerKind::Cron,
        cron: Some(cron.into()),
        timezone: Some(zone.into()),
        ..Trigger::default()
    }
}

fn schedule(cron: &str, zone: &str) -> Schedule {
    Schedule::read(&trigger(cron, zone), Timestamp::default()).unwrap()
}

/// Returns the values that a field of an expression allows, with a simple parser.
fn allowed(field: &str, least: u32, most: u32) -> Vec<u32> {
    let part = |part: &str| -> Vec<u32> {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((from, to)) => (from.parse().unwrap(), to.parse().unwrap()),
            None => (range.parse().unwrap(), range.parse().unwrap()),
        };
        (from..=to).step_by(step.parse().unwrap()).collect()
    };
    field.split(',').flat_map(part).collect()
}

/// A minute in the local time of a zone.
struct Minute {
    at: Timestamp,
    wall: NaiveDateTime,
    /// Whether the local time occurred before.
    again: bool,
    /// The local times that were skipped immediately before this minute.
    lost: Vec<NaiveDateTime>,
}

fn minutes(zone: &str, from: Timestamp, to: Timestamp) -> Vec<Minute> {
    let zone: Tz = zone.parse().unwrap();
    let wall = |minute: i64| {
        DateTime::<Utc>::from_timestamp(minute * 60, 0).unwrap().with_timezone(&zone).naive_local()
    };
    let first = from.as_millis() / 60_000;
    let (mut before, mut all) = (wall(first), Vec::new());
    for minute in first + 1..=to.as_millis() / 60_000 {
        let now = wall(minute);
        let again = match zone.from_local_datetime(&now) {
            LocalResult::Ambiguous(first, _) => first.timestamp() != minute * 60,
            _ => false,
        };
        let lost = (1..(now - before).num_minutes()).map(|n| before + chrono::TimeDelta::minutes(n));
        let at = Timestamp::from_millis(minute * 60_000);
        all.push(Minute { at, wall: now, again, lost: lost.collect() });
        before = now;
    }
    all
}

struct Oracle {
    fields: [Vec<u32>; 5],
    days_or: bool,
    hourly: bool,
    repeats: bool,
}

impl Oracle {
    fn new(cron: &str) -> Self {
        let texts: Vec<&str> = cron.split(' ').collect();
        let bounds = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
        let fields = std::array::from_fn(|at| allowed(texts[at], bounds[at].0, bounds[at].1));
        Self {
            days_or: texts[2] != "*" && texts[4] != "*",
            hourly: allowed(texts[1], 0, 23).len() == 24,
            repeats: texts[..2].iter().any(|text| text.contains(['*', '/'])),
            fields,
        }
    }

    fn shows(&self, wall: NaiveDateTime) -> bool {
        let [minutes, hours, days, months, weekdays] = &self.fields;
        if !minutes.contains(&wall.minute()) || !hours.contains(&wall.hour()) {
            return false;
        }
        let day = days.contains(&wall.day());
        let weekday = weekdays.contains(&wall.weekday().num_days_from_sunday());
        months.contains(&wall.month()) && if self.days_or { day || weekday } else { day && weekday }
    }

    fn is_due(&self, minute: &Minute) -> bool {
        (self.shows(minute.wall) && (self.repeats || !minute.again))
            || (!self.hourly && minute.lost.iter().any(|wall| self.shows(*wall)))
    }

    fn ticks(&self, minutes: &[Minute]) -> Vec<Timestamp> {
        minutes.iter().filter(|minute| self.is_due(minute)).map(|minute| minute.at).collect()
    }
}

fn ticks(schedule: &Schedule, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let all = std::iter::successors(schedule.next(from), |tick| schedule.next(*tick));
    all.take_while(|tick| *tick <= to).collect()
}

#[test]
fn next_matches_the_oracle_for_a_year_in_four_zones() {
    let crons = [
        "30 2 * * *",
        "0,30 1-3 * * *",
        "*/20 2 * * *",
        "15 * * * *",
        "45 */2 * * *",
        "0 0 1 * 1",
        "59 23 31 12 *",
        "5 0 * 3,10,11 0",
    ];
    for zone in ZONES {
        let offset = |at: Timestamp| {
            let at = DateTime::from_timestamp_millis(at.as_millis()).unwrap().naive_utc();
            zone.parse::<Tz>().unwrap().offset_from_utc_datetime(&at).fix()
        };
        let (from, to) = (moment("2025-12-31T12:00:00Z"), moment("2027-01-01T12:00:00Z"));
        let changes = matches!(zone, "Europe/Berlin" | "America/New_York" | "Australia/Lord_Howe");
        let summer = offset(moment("2026-07-01T00:00:00Z")) != offset(from);
        assert_eq!(summer, changes, "{zone}");
        let minutes = minutes(zone, from, to);
        for cron in crons {
            let walked = Oracle::new(cron).ticks(&minutes);
            assert_eq!(ticks(&schedule(cron, zone), from, to), walked, "{cron} in {zone}");
        }
    }
}

#[test]
fn next_does_not_depend_on_the_starting_point() {
    // Covers both changes of a year. Not every second is tested: the step is 47 seconds.
    for (zone, around) in [
        ("Europe/Berlin", ["2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z"]),
        ("Australia/Lord_Howe", ["2026-04-04T12:00:00Z", "2026-10-03T12:00:00Z"]),
    ] {
        for cron in ["30 2 * * *", "*/10 * * * *", "15 1,2 * * *", "20 */2 * * *"] {
            let parsed = schedule(cron, zone);
            for from in around.map(moment) {
                let all = minutes(zone, from, from + Duration::from_secs(60 * 60 * 48));
                let all = Oracle::new(cron).ticks(&all);
                for second in (0..60 * 60 * 6).step_by(47) {
                    let at = from + Duration::from_secs(second);
                    let want = all.iter().find(|tick| **tick > at).copied();
                    assert_eq!(parsed.next(at), want, "{cron} in {zone} after {at}");
                }
            }
        }
    }
}

#[test]
fn next_ticks_once_for_a_gap_and_once_or_twice_for_a_repeated_hour() {
    let of = |cron: &str, day: &str| {
        let from = moment(&format!("{day}T00:30:00Z"));
        ticks(&schedule(cron, "Europe/Berlin"), from, from + Duration::from_secs(3 * 60 * 60 - 1))
    };
    let at = |day: &str, times: &[&str]| -> Vec<Timestamp> {
        times.iter().map(|time| moment(&format!("{day}T{time}:00Z"))).collect()
    };
    let (spring, autumn) = ("2026-03-29", "2026-10-25");
    // 02:00 to 03:00 is skipped at 01:00Z.
    assert_eq!(of("30 2 * * *", spring), at(spring, &["01:00"]));
    assert_eq!(of("0,15,30 2 * * *", spring), at(spring, &["01:00"]));
    assert_eq!(of("*/10 2 * * *", spring), at(spring, &["01:00"]));
    assert_eq!(of("30 * * * *", spring), at(spring, &["01:30", "02:30"]));
    // 02:00 to 03:00 occurs twice, from 00:00Z and from 01:00Z.
    assert_eq!(of("45 2 * * *", autumn), at(autumn, &["00:45"]));
    assert_eq!(of("45 1-3 * * *", autumn), at(autumn, &["00:45", "02:45"]));
    assert_eq!(of("45 * * * *", autumn), at(autumn, &["00:45", "01:45", "02:45"]));
    assert_eq!(of("*/30 2 * * *", autumn), at(autumn, &["01:00", "01:30"]));
    assert_eq!(of("45 */2 * * *", autumn), at(autumn, &["00:45", "01:45"]));
}

#[test]
fn read_accepts_rare_dates_and_refuses_impossible_ones() {
    let leap = schedule("0 0 29 2 *", "UTC");
    assert_eq!(leap.next(moment("2096-03-01T00:00:00Z")), Some(moment("2104-02-29T00:00:00Z")));
    let faults = Schedule::read(&trigger("0 0 31 2 *", "UTC"), Timestamp::default()).unwrap_err();
    assert_eq!((faults[0].field, faults[0].kind), ("cron", "out_of_range"));
}

#[test]
fn read_accepts_names_and_refuses_other_notations() {
    let named = schedule("0 9 * JAN,JUL MON-FRI", "UTC");
    assert_eq!(named.next(moment("2026-01-02T10:00:00Z")), Some(moment("2026-01-05T09:00:00Z")));
    for wrong in
        ["", "@daily", "* * * *", "0 * * * * *", "0 0 * * * * 2026", "60 * * * *", "a * * * *", "*/0 * * * *"]
    {
        let faults = Schedule::read(&trigger(wrong, "UTC"), Timestamp::default()).unwrap_err();
        assert_eq!((faults.len(), faults[0].field), (1, "cron"), "{wrong}");
    }
}

#[test]
fn read_reports_every_fault() {
    let faults = |trigger: Trigger| {
        let faults = Schedule::read(&trigger, Timestamp::default()).unwrap_err();
        faults.into_iter().map(|fault| (fault.field, fault.kind)).collect::<Vec<_>>()
    };
    let wrong = Trigger { every_s: Some(90), ..trigger("61 * * * *", "Europe/Atlantis") };
    assert_eq!(
        faults(wrong),
        [("every_s", "not_of_this_kind"), ("timezone", "unknown_value"), ("cron", "malformed")]
    );
    let of = |kind| Trigger { kind, ..Trigger::default() };
    assert_eq!(faults(of(TriggerKind::Cron)), [("cron", "missing")]);
    assert_eq!(faults(of(TriggerKind::Interval)), [("every_s", "missing")]);
    assert_eq!(faults(of(TriggerKind::Once)), [("at", "missing")]);
    let often = Trigger { every_s: Some(59), ..of(TriggerKind::Interval) };
    assert_eq!(faults(often), [("every_s", "out_of_range")]);
    assert!(Schedule::read(&of(TriggerKind::Manual), Timestamp::default()).is_ok());
}

#[test]
fn next_counts_intervals_from_the_anchor_and_a_single_time_once() {
    let anchor = moment("2026-01-01T00:00:07.250Z");
    let every = Trigger { kind: TriggerKind::Interval, every_s: Some(90), ..Trigger::default() };
    let every = Schedule::read(&every, anchor).unwrap();
    let first = every.upcoming(anchor, 3);
    assert_eq!(first[0], moment("2026-01-01T00:01:37.250Z"));
    assert_eq!(first[2], moment("2026-01-01T00:04:37.250Z"));
    assert_eq!(
        every.next(moment("2026-01-01T00:03:00Z")),
        Some(first[1]).filter(|at| *at > moment("2026-01-01T00:03:00Z"))
    );
    let at = moment("2026-05-05T05:05:05.005Z");
    let once = Trigger { kind: TriggerKind::Once, at: Some(at), ..Trigger::default() };
    let once = Schedule::read(&once, anchor).unwrap();
    assert_eq!((once.next(anchor), once.next(at)), (Some(at), None));
}
