//! The ledger of ticks: which ticks run, which wait, and why a tick did not run.

use storage::records::{
    Automation, AutomationRun, AutomationRunState, AutomationSchedule, MessageError, Overlap, Run, SkipReason,
};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::due::Missed;
use super::rights::refusal;
use super::start::{self, Ask, Opening};
use super::{Schedule, start::launchable};

/// Maximum number of consecutive entries that are skipped for one reason. After that, the last entry counts further ticks.
const MAX_SKIPS: u32 = 100;

/// The result of processing a tick.
pub(super) enum TickOutcome {
    /// The tick has its entry and requires no action: it was skipped, waits, or was taken by another process.
    Done,
    Runs(Box<Row<Run>>),
    /// The runs that must first be cancelled on behalf of the owner.
    Cancel {
        runs: Vec<Uuid>,
        /// The owner of the automation.
        by: Uuid,
    },
}

/// A tick to process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    pub tenant: TenantId,
    pub automation: Uuid,
    /// The anchor of the schedule that produced the tick.
    pub anchor: Timestamp,
    pub at: Timestamp,
    /// Whether the tick waits for earlier ticks, regardless of the overlap policy.
    pub in_turn: bool,
    /// Whether the runs that the tick must cancel have already been asked to stop.
    pub cancelled: bool,
}

/// Loads an automation and its schedule. Returns `None` unless both exist.
pub(super) fn load(
    reader: &Reader,
    tenant: TenantId,
    id: Uuid,
) -> storage::Result<Option<(Row<Automation>, Row<AutomationSchedule>)>> {
    let automation = reader.get::<Automation>(tenant, &id)?;
    Ok(automation.zip(reader.get::<AutomationSchedule>(tenant, &id)?))
}

/// Computes the next tick from the automation's definition.
pub fn arm(automation: &Automation, schedule: &mut AutomationSchedule) {
    let read = Schedule::read(&automation.trigger, schedule.anchor).ok();
    schedule.due_at = read.and_then(|read| read.next(counted_to(schedule)));
}

/// Sets the anchor of the schedule to `now`, because the trigger was changed or the automation was enabled. Earlier ticks are not
/// caught up.
pub fn set_anchor(automation: &Automation, schedule: &mut AutomationSchedule, now: Timestamp) {
    schedule.anchor = now;
    arm(automation, schedule);
}

/// Returns the time up to which all ticks have their entries.
pub(super) fn counted_to(schedule: &AutomationSchedule) -> Timestamp {
    schedule.last_tick.map_or(schedule.anchor, |tick| tick.max(schedule.anchor))
}

/// Returns the entries of an automation that have not ended, oldest first.
pub(super) fn live(
    reader: &Reader,
    tenant: TenantId,
    automation: Uuid,
) -> storage::Result<Vec<Row<AutomationRun>>> {
    let scan = Scan::index("live").prefix(automation.as_bytes());
    Ok(reader.scan::<AutomationRun>(tenant, scan)?.items)
}

/// Writes the entries of ticks that do not run.
pub(super) fn miss(
    tx: &mut Tx,
    tenant: TenantId,
    id: Uuid,
    anchor: Timestamp,
    missed: &Missed,
    reason: SkipReason,
) -> storage::Result<()> {
    let Some((automation, mut schedule)) = load(tx, tenant, id)? else { return Ok(()) };
    if schedule.anchor != anchor {
        return Ok(());
    }
    for (tick, last, count) in missed.lines() {
        if tick > counted_to(&schedule) && !has_line(tx, tenant, id, tick)? {
            skip(tx, tenant, &automation, &mut schedule, (tick, last, count), reason, None)?;
        }
    }
    arm(&automation, &mut schedule);
    tx.update(tenant, schedule).map(drop)
}

/// Processes a tick: starts its run, lets it wait, or records why it does not run.
pub(super) fn process(tx: &mut Tx, tick: &Tick, opening: &Opening) -> storage::Result<TickOutcome> {
    let Tick { tenant, at, .. } = *tick;
    let Some((automation, mut schedule)) = load(tx, tenant, tick.automation)? else {
        return Ok(TickOutcome::Done);
    };
    if schedule.anchor != tick.anchor || counted_to(&schedule) >= at {
        return Ok(TickOutcome::Done);
    }
    let reason = match automation.enabled {
        true => refusal(tx, tenant, &automation)?,
        false => Some(SkipReason::Paused),
    };
    if has_line(tx, tenant, automation.id, at)? {
        return pass_over(tx, tenant, &automation, schedule, at);
    }
    let live = live(tx, tenant, automation.id)?;
    let fate = match reason {
        Some(reason) => TickAction::Skip(reason),
        None => fate(&automation, &live, tick),
    };
    let taken = match fate {
        TickAction::Skip(reason) => {
            let held = owner_decision(reason, &live);
            skip(tx, tenant, &automation, &mut schedule, (at, at, 1), reason, held)?;
            TickOutcome::Done
        }
        TickAction::Wait => {
            let line = start::line(&automation, Some(at), Ask::from_automation(&automation));
            tx.insert(tenant, storage::new_id(), line)?;
            TickOutcome::Done
        }
        TickAction::CancelFirst if !tick.cancelled => {
            let runs = live.iter().filter_map(|line| line.run_id).collect();
            return Ok(TickOutcome::Cancel { runs, by: automation.owner });
        }
        TickAction::CancelFirst | TickAction::Run => {
            if matches!(fate, TickAction::CancelFirst) {
                end_replaced_entries(tx, tenant, live, opening.now)?;
            }
            let line = start::line(&automation, Some(at), Ask::from_automation(&automation));
            let (_, run) = start::insert(tx, tenant, &automation, &mut schedule, line, opening)?;
            TickOutcome::Runs(Box::new(run))
        }
    };
    if !matches!(fate, TickAction::Skip(_)) {
        (schedule.skips_in_row, schedule.last_skip) = (0, None);
    }
    schedule.last_tick = Some(at);
    arm(&automation, &mut schedule);
    tx.update(tenant, schedule)?;
    Ok(taken)
}

/// Whether a tick already has its entry.
fn has_line(tx: &Tx, tenant: TenantId, automation: Uuid, tick: Timestamp) -> storage::Result<bool> {
    let key = AutomationRun::tick_key(&automation, tick);
    Ok(tx.by_unique::<AutomationRun>(tenant, "by_tick", &key)?.is_some())
}

/// Advances the schedule past a tick that already has its entry.
fn pass_over(
    tx: &mut Tx,
    tenant: TenantId,
    automation: &Automation,
    mut schedule: Row<AutomationSchedule>,
    at: Timestamp,
) -> storage::Result<TickOutcome> {
    schedule.last_tick = Some(at);
    arm(automation, &mut schedule);
    tx.update(tenant, schedule)?;
    Ok(TickOutcome::Done)
}

#[derive(Clone, Copy)]
enum TickAction {
    Run,
    Wait,
    CancelFirst,
    Skip(SkipReason),
}

fn fate(automation: &Automation, live: &[Row<AutomationRun>], tick: &Tick) -> TickAction {
    if live.is_empty() {
        return TickAction::Run;
    }
    match automation.overlap {
        Overlap::Allow => TickAction::Run,
        Overlap::CancelOther => TickAction::CancelFirst,
        Overlap::Skip | Overlap::BufferOne if tick.in_turn => TickAction::Wait,
        Overlap::BufferOne if live.iter().all(|line| line.run_id.is_some()) => TickAction::Wait,
        Overlap::Skip | Overlap::BufferOne => TickAction::Skip(SkipReason::Overlap),
    }
}

/// Returns the decision of the owner that an earlier run waits for, if that is why a tick is held up.
fn owner_decision(reason: SkipReason, live: &[Row<AutomationRun>]) -> Option<MessageError> {
    let code = match live.iter().filter(|_| reason == SkipReason::Overlap).find_map(|line| line.reason)? {
        SkipReason::UncertainEffect => "uncertain_effect",
        SkipReason::CrashLoop => "crash_loop",
        _ => return None,
    };
    let message = "an earlier run is paused until its owner decides how to continue one of its nodes";
    Some(MessageError { code: code.to_owned(), message: message.to_owned(), provider_code: None })
}

/// Ends entries that only wait, because a later tick replaces them.
fn end_replaced_entries(
    tx: &mut Tx,
    tenant: TenantId,
    live: Vec<Row<AutomationRun>>,
    now: Timestamp,
) -> storage::Result<()> {
    for mut line in live.into_iter().filter(|line| line.run_id.is_none()) {
        line.state = AutomationRunState::Cancelled;
        line.finished_at = Some(now);
        tx.update(tenant, line)?;
    }
    Ok(())
}

/// Records that ticks did not run, and why. A long series of entries with the same reason is limited: the last entry counts all
/// further ticks.
fn skip(
    tx: &mut Tx,
    tenant: TenantId,
    automation: &Row<Automation>,
    schedule: &mut AutomationSchedule,
    (tick, last, count): (Timestamp, Timestamp, u32),
    reason: SkipReason,
    error: Option<MessageError>,
) -> storage::Result<()> {
    let before = match schedule.last_skip {
        Some(id) => tx.get::<AutomationRun>(tenant, &id)?.filter(|line| line.reason == Some(reason)),
        None => None,
    };
    schedule.last_tick = Some(last);
    match before {
        Some(mut line) if schedule.skips_in_row >= MAX_SKIPS => {
            line.ticks = line.ticks.saturating_add(count);
            line.last_tick = Some(last);
            line.finished_at = Some(last);
            tx.update(tenant, line)?;
        }
        before => {
            schedule.skips_in_row = if before.is_some() { schedule.skips_in_row + 1 } else { 1 };
            let line = AutomationRun {
                state: AutomationRunState::Skipped,
                reason: Some(reason),
                ticks: count,
                last_tick: Some(last),
                finished_at: Some(last),
                error,
                ..start::line(automation, Some(tick), Ask::default())
            };
            let line = tx.insert(tenant, storage::new_id(), line)?;
            schedule.last_skip = Some(line.id);
        }
    }
    Ok(())
}

/// Starts the oldest entry of an automation that waits for earlier entries, if these have ended.
pub(super) fn start_waiting(
    tx: &mut Tx,
    tenant: TenantId,
    id: Uuid,
    opening: &Opening,
) -> storage::Result<Option<Row<Run>>> {
    let Some((automation, mut schedule)) = load(tx, tenant, id)? else { return Ok(None) };
    for mut line in live(tx, tenant, id)? {
        if line.run_id.is_some() {
            return Ok(None);
        }
        let reason = match automation.enabled {
            true => refusal(tx, tenant, &automation)?,
            false => Some(SkipReason::Paused),
        };
        if let Some(reason) = reason {
            line.state = AutomationRunState::Skipped;
            line.reason = Some(reason);
            line.finished_at = Some(opening.now);
            tx.update(tenant, line)?;
            continue;
        }
        let run = launchable(tx, tenant, &automation, &mut schedule, &mut line, opening)?;
        tx.update(tenant, line)?;
        tx.update(tenant, schedule)?;
        return Ok(Some(run));
    }
    Ok(None)
}
