//! Removes automations and ledger entries, together with their conversations.

use std::time::Duration;

use runs::AttachError;
use storage::records::{Automation, AutomationRun, AutomationSchedule, Run};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, isolated};
use uuid::Uuid;

use super::scheduler::{AutomationSettings, Automations};

/// Maximum number of rounds in which live runs are stopped. Another run may begin while a run is being stopped.
const ROUNDS: usize = 4;
/// Maximum number of entries that one upkeep transaction removes.
const BATCH: usize = 20;

/// Why an automation or entry was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// The automation or entry does not exist.
    #[error("the automation or run does not exist")]
    NotFound,
    /// A run did not stop in time. It was asked to stop, so another attempt may succeed.
    #[error("a run does not stop in time")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl Automations {
    /// Removes an automation with its runs and their conversations. From the time of the call, no further tick is armed. Live
    /// runs are cancelled first.
    pub async fn remove(&self, tenant: TenantId, id: Uuid, by: Uuid) -> Result<(), RemoveError> {
        self.remove_by(tenant, by, move |tx| try_remove(tx, tenant, id)).await
    }

    /// Removes an entry with its conversation. A live run is cancelled first.
    pub async fn remove_run(&self, tenant: TenantId, line: Uuid, by: Uuid) -> Result<(), RemoveError> {
        let removed = self.remove_by(tenant, by, move |tx| try_remove_line(tx, tenant, line)).await;
        // Other entries may have waited for the removed entry.
        self.ring();
        removed
    }

    async fn remove_by(
        &self,
        tenant: TenantId,
        by: Uuid,
        attempt: impl Fn(&mut Tx) -> Result<Vec<Uuid>, RemoveError> + Clone + Send + 'static,
    ) -> Result<(), RemoveError> {
        for _ in 0..ROUNDS {
            let live = self.runs().store().run(attempt.clone()).await?;
            if live.is_empty() {
                return Ok(());
            }
            self.cancel(tenant, live, by).await?;
        }
        Err(RemoveError::Busy)
    }

    /// Cancels several runs at the same time.
    pub(super) async fn cancel(
        &self,
        tenant: TenantId,
        live: Vec<Uuid>,
        by: Uuid,
    ) -> Result<(), storage::Error> {
        let cancels = live.into_iter().map(|run| self.runs().cancel(tenant, run, by));
        for cancelled in futures::future::join_all(cancels).await {
            match cancelled {
                Err(AttachError::Storage(why)) => return Err(why),
                // The run has ended or is about to end. The next pass finds out.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
        Ok(())
    }

    /// Removes entries beyond the retained number or age.
    pub(super) async fn upkeep(&self, tenant: TenantId) -> storage::Result<()> {
        let store = self.runs().store();
        let all: Vec<Row<Automation>> = store
            .read(move |reader| reader.scan_readable("automation_upkeep", tenant, Scan::table()))
            .await?;
        let (settings, now) = (self.settings(), self.now());
        for id in all.iter().map(|row| row.id) {
            loop {
                let tidied = store.run(move |tx| tidy(tx, tenant, id, &settings, now)).await;
                let place = format_args!("tenant {}, automation {id}", tenant.0);
                if !isolated("automation_upkeep", place, tidied).unwrap_or(false) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Removes an automation. If any of its runs are live, switches the automation off instead, and returns the live runs.
fn try_remove(tx: &mut Tx, tenant: TenantId, id: Uuid) -> Result<Vec<Uuid>, RemoveError> {
    let mut automation = tx.get::<Automation>(tenant, &id)?.ok_or(RemoveError::NotFound)?;
    // Adding an entry also writes the schedule. Reading the schedule makes a concurrent addition conflict with this transaction.
    tx.get::<AutomationSchedule>(tenant, &id)?;
    let scan = Scan::index("by_automation").prefix(id.as_bytes());
    let lines = tx.scan::<AutomationRun>(tenant, scan)?.items;
    let mut live = Vec::new();
    for line in &lines {
        live.extend(live_of(tx, tenant, line)?);
    }
    if !live.is_empty() {
        if automation.enabled {
            automation.enabled = false;
            tx.update(tenant, automation)?;
        }
        return Ok(live);
    }
    for line in lines {
        remove_line(tx, tenant, &line)?;
    }
    tx.delete::<AutomationSchedule>(tenant, &id)?;
    tx.delete::<Automation>(tenant, &id)?;
    Ok(live)
}

fn try_remove_line(tx: &mut Tx, tenant: TenantId, id: Uuid) -> Result<Vec<Uuid>, RemoveError> {
    let line = tx.get::<AutomationRun>(tenant, &id)?.ok_or(RemoveError::NotFound)?;
    let live = live_of(tx, tenant, &line)?;
    if live.is_empty() {
        remove_line(tx, tenant, &line)?;
    }
    Ok(live)
}

/// Returns the live runs of an entry: its own run, and all runs in its conversation.
fn live_of(reader: &Reader, tenant: TenantId, line: &AutomationRun) -> storage::Result<Vec<Uuid>> {
    let mut live = Vec::new();
    if let Some(run) = line.run_id
        && reader.get::<Run>(tenant, &run)?.is_some_and(|run| !run.state.is_terminal())
    {
        live.push(run);
    }
    if let Some(conversation) = line.conversation_id {
        let scan = Scan::index("live_by_conversation").prefix(conversation.as_bytes());
        live.extend(reader.scan::<Run>(tenant, scan)?.items.iter().map(|run| run.id));
    }
    Ok(live)
}

fn remove_line(tx: &mut Tx, tenant: TenantId, line: &Row<AutomationRun>) -> storage::Result<()> {
    if let Some(conversation) = line.conversation_id {
        tx.delete_conversation(tenant, conversation)?;
    }
    if let Some(run) = line.run_id {
        tx.drop_run(tenant, run)?;
        tx.delete::<Run>(tenant, &run)?;
    }
    if let Some(mut schedule) = tx.get::<AutomationSchedule>(tenant, &line.automation_id)?
        && schedule.last_run.is_some_and(|last| last.id == line.id)
    {
        schedule.last_run = None;
        tx.update(tenant, schedule)?;
    }
    tx.delete::<AutomationRun>(tenant, &line.id).map(drop)
}

/// Removes some entries that are no longer retained. Returns true if there may be more.
fn tidy(
    tx: &mut Tx,
    tenant: TenantId,
    automation: Uuid,
    settings: &AutomationSettings,
    now: Timestamp,
) -> storage::Result<bool> {
    let scan = Scan::index("by_automation").prefix(automation.as_bytes());
    let lines = tx.scan::<AutomationRun>(tenant, scan)?.items;
    let surplus = lines.len().saturating_sub(settings.keep_runs);
    let oldest = now - settings.keep_for.min(Duration::from_secs(u64::from(u32::MAX)));
    let due = |(at, line): &(usize, Row<AutomationRun>)| *at < surplus || line.created_at < oldest;
    let mut removed = 0;
    for (_, line) in
        lines.into_iter().enumerate().take_while(due).filter(|(_, line)| line.state.is_terminal())
    {
        if removed == BATCH {
            return Ok(true);
        }
        if live_of(tx, tenant, &line)?.is_empty() {
            remove_line(tx, tenant, &line)?;
            removed += 1;
        }
    }
    Ok(false)
}
