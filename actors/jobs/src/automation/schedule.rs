//! Computes when an automation is due, from its definition alone.

use std::time::Duration;

use chrono_tz::Tz;
use storage::Timestamp;
use storage::records::{Trigger, TriggerKind};

use super::cron::ZonedCron;

/// The shortest interval, in seconds. Cron expressions have a resolution of one minute, too.
pub const MIN_INTERVAL_S: u64 = 60;
/// The longest interval, in seconds: ten years.
const MAX_INTERVAL_S: u64 = 10 * 366 * 24 * 60 * 60;

/// Describes why a trigger is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerFault {
    pub field: &'static str,
    /// A description for users.
    pub msg: String,
    /// A stable code for programs.
    pub kind: &'static str,
}

impl TriggerFault {
    fn new(field: &'static str, msg: impl Into<String>, kind: &'static str) -> Self {
        Self { field, msg: msg.into(), kind }
    }
}

/// A parsed trigger. It determines the ticks, independent of earlier ticks.
#[derive(Clone, Debug)]
pub struct Schedule(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Cron(Box<ZonedCron>),
    Interval { every: Duration, anchor: Timestamp },
    Once(Timestamp),
    Manual,
}

impl Schedule {
    /// Reads a trigger. `anchor` is the time when the trigger was set or its automation was enabled. Intervals count from the
    /// anchor. Returns all faults at once.
    pub fn read(trigger: &Trigger, anchor: Timestamp) -> Result<Self, Vec<TriggerFault>> {
        let mut faults = misplaced_fields(trigger);
        let zone = zone(trigger, &mut faults);
        let kind = match trigger.kind {
            TriggerKind::Cron => cron(trigger, zone, &mut faults),
            TriggerKind::Interval => interval(trigger, anchor, &mut faults),
            TriggerKind::Once => once(trigger, &mut faults),
            TriggerKind::Manual => Some(Kind::Manual),
        };
        match kind {
            Some(kind) if faults.is_empty() => Ok(Self(kind)),
            _ => Err(faults),
        }
    }

    /// Returns the first tick after a time.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match &self.0 {
            Kind::Cron(cron) => {
                let next = cron.next(after.as_millis().div_euclid(1_000))?;
                Some(Timestamp::from_millis(next * 1_000))
            }
            Kind::Interval { every, anchor } => {
                let every = i64::try_from(every.as_millis()).ok().filter(|every| *every > 0)?;
                let passed = (after.as_millis() - anchor.as_millis()).max(0) / every;
                let next = (passed + 1).checked_mul(every)?.checked_add(anchor.as_millis())?;
                Some(Timestamp::from_millis(next))
            }
            Kind::Once(at) => (*at > after).then_some(*at),
            Kind::Manual => None,
        }
    }

    /// Returns the next `count` ticks after a time.
    pub fn upcoming(&self, after: Timestamp, count: usize) -> Vec<Timestamp> {
        std::iter::successors(self.next(after), |tick| self.next(*tick)).take(count).collect()
    }
}

/// Reports fields that belong to a different kind of trigger.
fn misplaced_fields(trigger: &Trigger) -> Vec<TriggerFault> {
    use TriggerKind::{Cron, Interval, Once};
    let settings = [
        ("cron", trigger.cron.is_some(), Cron),
        ("every_s", trigger.every_s.is_some(), Interval),
        ("at", trigger.at.is_some(), Once),
    ];
    let strange = settings.into_iter().filter(|(_, is_set, of)| *is_set && *of != trigger.kind);
    let fault = |(field, _, of)| {
        TriggerFault::new(field, format!("belongs to the kind {}", name(of)), "not_of_this_kind")
    };
    strange.map(fault).collect()
}

fn name(kind: TriggerKind) -> &'static str {
    match kind {
        TriggerKind::Cron => "cron",
        TriggerKind::Interval => "interval",
        TriggerKind::Once => "once",
        TriggerKind::Manual => "manual",
    }
}

fn missing(field: &'static str, kind: TriggerKind) -> TriggerFault {
    TriggerFault::new(field, format!("is required for the kind {}", name(kind)), "missing")
}

/// Returns the time zone. Defaults to UTC.
fn zone(trigger: &Trigger, faults: &mut Vec<TriggerFault>) -> Tz {
    let named = trigger.timezone.as_deref().unwrap_or("UTC");
    named.parse().unwrap_or_else(|_| {
        let msg = format!("there is no time zone {:?}", named.chars().take(64).collect::<String>());
        faults.push(TriggerFault::new("timezone", msg, "unknown_value"));
        Tz::UTC
    })
}

fn cron(trigger: &Trigger, zone: Tz, faults: &mut Vec<TriggerFault>) -> Option<Kind> {
    let Some(expression) = trigger.cron.as_deref() else {
        faults.push(missing("cron", trigger.kind));
        return None;
    };
    let cron = match ZonedCron::read(expression, zone) {
        Ok(cron) => cron,
        Err(why) => {
            faults.push(TriggerFault::new("cron", why, "malformed"));
            return None;
        }
    };
    if cron.next(Timestamp::now().as_millis() / 1_000).is_none() {
        faults.push(TriggerFault::new("cron", "names a date that does not exist", "out_of_range"));
    }
    Some(Kind::Cron(Box::new(cron)))
}

fn interval(trigger: &Trigger, anchor: Timestamp, faults: &mut Vec<TriggerFault>) -> Option<Kind> {
    let Some(every_s) = trigger.every_s else {
        faults.push(missing("every_s", trigger.kind));
        return None;
    };
    if !(MIN_INTERVAL_S..=MAX_INTERVAL_S).contains(&every_s) {
        let msg = format!("must be between {MIN_INTERVAL_S} and {MAX_INTERVAL_S} seconds");
        faults.push(TriggerFault::new("every_s", msg, "out_of_range"));
        return None;
    }
    Some(Kind::Interval { every: Duration::from_secs(every_s), anchor })
}

fn once(trigger: &Trigger, faults: &mut Vec<TriggerFault>) -> Option<Kind> {
    if trigger.at.is_none() {
        faults.push(missing("at", trigger.kind));
    }
    trigger.at.map(Kind::Once)
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
