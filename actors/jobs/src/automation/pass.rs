//! One pass over all automations: due ticks, waiting entries, and abandoned entries.

use std::collections::BTreeMap;

use storage::records::{Automation, AutomationRun, AutomationSchedule, Run, RunState, SkipReason};
use storage::{Reader, Row, Scan, TenantId, Timestamp, isolated};
use uuid::Uuid;

use super::Schedule;
use super::due::{Due, due, passed};
use super::ledger::{self, Tick, TickOutcome, arm, counted_to};
use super::scheduler::Automations;
use super::settle::{self, End};

/// The task name under which failures of a pass are counted.
const TASK: &str = "automations";

/// An automation with due ticks.
struct DueTicks {
    automation: Uuid,
    anchor: Timestamp,
    reason: SkipReason,
    due: Due,
}

impl Automations {
    /// Reads from every tenant, in one read. A tenant that cannot be read is skipped.
    pub(super) async fn in_each_tenant<T: Send + 'static>(
        &self,
        read: impl Fn(&Reader, TenantId) -> storage::Result<T> + Send + 'static,
    ) -> storage::Result<Vec<(TenantId, T)>> {
        let all = self.store().read(move |reader| {
            let of = |tenant: TenantId| {
                let found = isolated(TASK, format_args!("tenant {}", tenant.0), read(reader, tenant))?;
                Some((tenant, found))
            };
            Ok(reader.tenants()?.into_iter().filter_map(of).collect())
        });
        all.await
    }

    /// Computes every next tick from its definition. The time zone rules may have changed since the last start.
    pub(super) async fn arm_all(&self) -> storage::Result<()> {
        let all = self
            .in_each_tenant(|reader, tenant| reader.scan_readable::<Automation>(TASK, tenant, Scan::table()));
        for (tenant, automations) in all.await? {
            for id in automations.into_iter().map(|row| row.id) {
                let armed = self.store().run(move |tx| {
                    let Some((automation, mut schedule)) = ledger::load(tx, tenant, id)? else {
                        return Ok(());
                    };
                    let before = schedule.due_at;
                    arm(&automation, &mut schedule);
                    match schedule.due_at == before {
                        true => Ok::<_, storage::Error>(()),
                        false => tx.update(tenant, schedule).map(drop),
                    }
                });
                let armed = armed.await;
                isolated(TASK, format_args!("tenant {}, automation {id}", tenant.0), armed);
            }
        }
        Ok(())
    }

    /// Processes all due ticks in order. Returns the time of the next tick.
    pub(super) async fn pass(&self) -> storage::Result<Option<Timestamp>> {
        let (now, mut ticks) = (self.now(), BTreeMap::new());
        let all = self.in_each_tenant(move |reader, tenant| find_due(reader, tenant, now)).await?;
        for (tenant, found) in all {
            for DueTicks { automation, anchor, reason, due } in found {
                let Due { missed, run, in_turn } = due;
                if !missed.is_empty() {
                    let miss = move |tx: &mut storage::Tx| {
                        ledger::miss(tx, tenant, automation, anchor, &missed, reason)
                    };
                    let missed = self.store().run(miss).await;
                    isolated(TASK, format_args!("tenant {}, automation {automation}", tenant.0), missed);
                }
                ticks.extend(run.into_iter().map(|at| {
                    let tick = Tick { tenant, automation, anchor, at, in_turn, cancelled: false };
                    ((at, tenant.0, automation), tick)
                }));
            }
        }
        for tick in ticks.into_values() {
            let (tenant, automation) = (tick.tenant, tick.automation);
            let taken = self.process(tick).await;
            isolated(TASK, format_args!("tenant {}, automation {automation}", tenant.0), taken);
        }
        self.look_after().await?;
        let first = self.in_each_tenant(|reader, tenant| {
            let first = reader.scan::<AutomationSchedule>(tenant, Scan::index("by_due").limit(1))?;
            Ok(first.items.first().and_then(|row| row.due_at))
        });
        Ok(first.await?.into_iter().filter_map(|(_, first)| first).min())
    }

    async fn process(&self, mut tick: Tick) -> storage::Result<()> {
        loop {
            // The tick is caught up after the restart.
            if self.runs().draining() {
                return Ok(());
            }
            let opening = self.opening();
            match self.store().run(move |tx| ledger::process(tx, &tick, &opening)).await? {
                TickOutcome::Done => return Ok(()),
                TickOutcome::Runs(run) => {
                    self.launch(tick.tenant, *run);
                    return Ok(());
                }
                TickOutcome::Cancel { runs, by } => {
                    self.cancel(tick.tenant, runs, by).await?;
                    tick.cancelled = true;
                }
            }
        }
    }

    /// Starts entries that waited for an earlier run, and ends entries whose run has ended without them.
    async fn look_after(&self) -> storage::Result<()> {
        for (tenant, lines) in self.in_each_tenant(lines_at_work).await? {
            let mut waiting = Vec::new();
            for (line, run) in lines {
                match (line.run_id, run) {
                    (None, _) => waiting.push(line.automation_id),
                    (Some(_), Some(run)) if !run.state.is_terminal() => {
                        self.watch_again(tenant, run.id).await;
                    }
                    (Some(_), run) => {
                        let settled = self.settle_lost(tenant, line.id, run).await;
                        isolated(TASK, format_args!("tenant {}, line {}", tenant.0, line.id), settled);
                    }
                }
            }
            // The entries are sorted by automation.
            waiting.dedup();
            for automation in waiting {
                let started = self.start_waiting(tenant, automation).await;
                isolated(TASK, format_args!("tenant {}, automation {automation}", tenant.0), started);
            }
        }
        Ok(())
    }

    async fn start_waiting(&self, tenant: TenantId, automation: Uuid) -> storage::Result<()> {
        if self.runs().draining() {
            return Ok(());
        }
        let opening = self.opening();
        let start = move |tx: &mut storage::Tx| ledger::start_waiting(tx, tenant, automation, &opening);
        if let Some(run) = self.store().run(start).await? {
            self.launch(tenant, run);
        }
        Ok(())
    }

    /// Ends an entry whose run was given up or no longer exists.
    async fn settle_lost(&self, tenant: TenantId, line: Uuid, run: Option<Row<Run>>) -> storage::Result<()> {
        let settled = self.store().run(move |tx| {
            let terminal = match &run {
                Some(run) => settle::terminal(tx, tenant, run.id)?,
                None => None,
            };
            let end = match terminal {
                Some(terminal) => End::from_terminal(&terminal),
                None => End { status: RunState::Interrupted, error: None, at: Timestamp::now() },
            };
            settle::settle(tx, tenant, line, &end)
        });
        settled.await
    }
}

fn find_due(reader: &Reader, tenant: TenantId, now: Timestamp) -> storage::Result<Vec<DueTicks>> {
    let mut found = Vec::new();
    for schedule in reader.scan_readable::<AutomationSchedule>(TASK, tenant, due_by(now))? {
        if schedule.due_at.is_none_or(|at| at > now) {
            continue;
        }
        let automation = reader.get::<Automation>(tenant, &schedule.id);
        let automation = isolated(TASK, format_args!("tenant {}", tenant.0), automation).flatten();
        let Some(automation) = automation else { continue };
        let Ok(read) = Schedule::read(&automation.trigger, schedule.anchor) else { continue };
        let after = counted_to(&schedule);
        let (reason, due) = match automation.enabled {
            true => (SkipReason::MissedWindow, due(&read, after, now, &automation.catch_up)),
            false => {
                let missed = passed(&read, after, now);
                (SkipReason::Paused, Due { missed, ..Due::default() })
            }
        };
        found.push(DueTicks { automation: automation.id, anchor: schedule.anchor, reason, due });
    }
    Ok(found)
}

/// Returns the schedules that are due, latest first, so that only the necessary part of the index is read.
fn due_by(now: Timestamp) -> Scan {
    Scan::index("by_due").from(now.sortable()).reverse()
}

/// An entry that has not ended, with its run.
type ActiveLine = (Row<AutomationRun>, Option<Row<Run>>);

fn lines_at_work(reader: &Reader, tenant: TenantId) -> storage::Result<Vec<ActiveLine>> {
    let lines = reader.scan_readable::<AutomationRun>(TASK, tenant, Scan::index("live"))?;
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        let run = match line.run_id {
            Some(run) => {
                let run = reader.get::<Run>(tenant, &run);
                let run = isolated(TASK, format_args!("tenant {}", tenant.0), run);
                // An unreadable run is not treated as missing, because it is unknown whether it has ended.
                let Some(run) = run else { continue };
                run
            }
            None => None,
        };
        found.push((line, run));
    }
    Ok(found)
}
