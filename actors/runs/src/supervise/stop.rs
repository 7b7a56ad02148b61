//! Stops all runs of an assistant.

use std::collections::HashSet;

use futures::StreamExt;
use storage::records::{Assistant, Run, RunKind};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::attach_error::AttachError;
use super::runs::Runs;
use super::runtime::Runtime;

/// Number of live runs that are read together.
const BATCH: usize = 500;
/// Number of runs that are loaded concurrently in order to be stopped.
const LOADED_TOGETHER: usize = 64;

impl Runs {
    /// Cancels every live run that works with one of these assistants or builds skills for it, and waits briefly for
    /// their ends. Returns the number of runs.
    ///
    /// Must be called after the transaction that disables the assistants. The transaction that accepts a run reads the
    /// assistant's row, so each run either is rejected from then on, or was stored before and is found here, whether
    /// launched or not. This includes runs that wait for a person: otherwise an answer given weeks later would let them
    /// continue. Ingests of an assistant's documents continue.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn stop_assistants(
        &self,
        tenant: TenantId,
        assistants: HashSet<Uuid>,
        by: Uuid,
    ) -> storage::Result<usize> {
        let live = self.store().read(move |reader| live_of(reader, tenant, &assistants)).await?;
        // Cancel all of them before waiting for any, and automations last: a cancelled automation stops its answer by
        // itself, in the name of its owner.
        for live in live.iter().filter_map(|run| self.runtime.registry.find(tenant, *run)) {
            live.request_cancel(by);
        }
        let count = live.len();
        let (in_memory, unloaded): (Vec<_>, Vec<_>) =
            live.into_iter().partition(|run| self.runtime.registry.holds(*run));
        let mut results =
            futures::future::join_all(in_memory.into_iter().map(|run| self.cancel(tenant, run, by))).await;
        // Each one has to be loaded to be cancelled, so the number at a time is limited.
        let cancels = futures::stream::iter(unloaded).map(|run| self.cancel(tenant, run, by));
        results.extend(cancels.buffer_unordered(LOADED_TOGETHER).collect::<Vec<_>>().await);
        for cancelled in results {
            match cancelled {
                Err(AttachError::Storage(why)) => return Err(why),
                // It has ended, or it has no actor and checks for itself when it is recovered.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
        Ok(count)
    }
}

/// The live runs of these assistants, automations last.
fn live_of(reader: &Reader, tenant: TenantId, assistants: &HashSet<Uuid>) -> storage::Result<Vec<Uuid>> {
    let (mut live, mut after) = (Vec::new(), None);
    loop {
        let page = reader.scan::<Run>(tenant, Scan::index("live").limit(BATCH).after(after))?;
        let of_them = |row: &&Row<Run>| {
            is_stopped(row.kind) && row.assistant_id.is_some_and(|id| assistants.contains(&id))
        };
        live.extend(page.items.iter().filter(of_them).map(|row| (row.kind == RunKind::Automation, row.id)));
        after = page.next;
        if after.is_none() {
            live.sort_unstable();
            return Ok(live.into_iter().map(|(_, run)| run).collect());
        }
    }
}

/// Whether runs of this kind act for the assistant or are made by a model on its behalf.
fn is_stopped(kind: RunKind) -> bool {
    match kind {
        RunKind::Completion | RunKind::Workflow | RunKind::Automation | RunKind::SkillBuild => true,
        RunKind::Video | RunKind::Ingest | RunKind::DirectorySync => false,
    }
}

/// Whether a run's assistant was disabled. Checked when a run is recovered: the server may have crashed between the
/// disabling and the stopping.
pub(super) async fn is_disabled(
    runtime: &Runtime,
    tenant: TenantId,
    run: &Row<Run>,
) -> storage::Result<bool> {
    let Some(id) = run.assistant_id.filter(|_| is_stopped(run.kind)) else { return Ok(false) };
    let row = runtime.store.read(move |reader| reader.get::<Assistant>(tenant, &id)).await?;
    Ok(row.is_some_and(|row: Row<Assistant>| !row.enabled))
}
