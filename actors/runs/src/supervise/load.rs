//! Loading of an unloaded run: it gets its next epoch, a new actor and the state that its journal adds up to.

use std::time::Duration;

use storage::records::Run;
use storage::{Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::attach_error::AttachError;
use super::live::{CommandGuard, LiveRun};
use super::load_reason::LoadReason;
use super::recovery::advance_one;
use super::runs::Runs;
use super::unload::wake_awaiting;
use crate::journal::RunJournal;

/// Pause before another attempt to load a run.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Runs {
    /// Loads a run. The load completes even if the caller is dropped. Returns `None` if the run is not unloaded:
    /// another caller has loaded it, or it has ended.
    ///
    /// # Errors
    /// Returns an error if the store fails, and `Busy` while the process is shutting down.
    pub(super) async fn load(
        &self,
        tenant: TenantId,
        run: Uuid,
        reason: LoadReason,
    ) -> Result<Option<CommandGuard>, AttachError> {
        if self.draining() {
            return Err(AttachError::Busy);
        }
        let runs = self.clone();
        self.run_uninterrupted(async move { runs.load_to_end(tenant, run, reason).await }).await
    }

    /// Calls [`load`](Self::load) until it succeeds. Returns false if the process shuts down first.
    pub(super) async fn load_with_retries(&self, tenant: TenantId, run: Uuid, reason: LoadReason) -> bool {
        loop {
            match self.load(tenant, run, reason).await {
                Ok(_) => return true,
                Err(_) if self.draining() => return false,
                Err(why) => {
                    tracing::warn!(%run, %why, "a run that is needed could not be loaded; trying again")
                }
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    async fn load_to_end(
        self,
        tenant: TenantId,
        run: Uuid,
        reason: LoadReason,
    ) -> Result<Option<CommandGuard>, AttachError> {
        let runtime = &self.runtime;
        let Some(loaded) = runtime.store.run(move |tx| begin_loaded_epoch(tx, tenant, run)).await? else {
            return Ok(None);
        };
        let Loaded { row, end, wakes } = loaded;
        runtime.unloaded.change(tenant, row.user, -1);
        if wakes {
            runtime.wakes.note(tenant, Timestamp::now());
        }
        // The epoch that unloaded the run may not have been removed yet.
        if let Some(before) = runtime.registry.any(run) {
            runtime.registry.wait_until_removed(&before).await;
        }
        let (store, limits) = (runtime.store.clone(), runtime.journal_limits(row.kind));
        let journals = runtime.journals.clone();
        let journal = RunJournal::open_within(journals, store, (tenant, run), row.epoch, end, limits);
        let live = runtime.registry.enter(LiveRun::loaded(tenant, &row, journal));
        live.journal.announce();
        let guard = CommandGuard::new(live.clone());
        if let LoadReason::Cancel(by) = reason {
            live.request_cancel(by);
        }
        runtime.admission.lock().queue(live.clone(), Box::new(row));
        match reason {
            LoadReason::Due => self.start_admitted(None),
            LoadReason::Command | LoadReason::Cancel(_) => self.start_at_once(&live),
        }
        Ok(Some(guard))
    }

    /// Finds an unloaded run in a conversation, other than the run `beside` that is about to be queued.
    pub(super) fn unloaded_in(
        &self,
        tenant: TenantId,
        conversation: Option<Uuid>,
        beside: Option<Uuid>,
    ) -> Option<Uuid> {
        let conversation = conversation.filter(|_| self.runtime.unloaded.may_exist())?;
        let scan = Scan::index("live_by_conversation").prefix(*conversation.as_bytes());
        let there = self.runtime.store.read_now(|reader| reader.scan::<Run>(tenant, scan));
        let there = there.map(|page| page.items).unwrap_or_default();
        there.iter().find(|other| other.unloaded && Some(other.id) != beside).map(|other| other.id)
    }
}

/// A run in its next epoch.
struct Loaded {
    row: Row<Run>,
    /// The durable end of its journal.
    end: u64,
    /// Whether runs that wait for this run also have to be loaded.
    wakes: bool,
}

fn begin_loaded_epoch(tx: &mut Tx, tenant: TenantId, id: Uuid) -> storage::Result<Option<Loaded>> {
    let Some(row) = tx.get::<Run>(tenant, &id)?.filter(|row| row.unloaded) else { return Ok(None) };
    let wakes = wake_awaiting(tx, tenant, &row, false)?;
    let Some(row) = advance_one(tx, tenant, id)? else { return Ok(None) };
    let end = tx.journal_end(tenant, id)?;
    Ok(Some(Loaded { row, end, wakes }))
}
