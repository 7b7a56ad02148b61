//! Stopping everything that works with an assistant.

use std::collections::HashSet;

use futures::StreamExt;
use storage::records::{Assistant, Run, RunKind};
use storage::{Reader, Row, Scan, TenantId};
use uuid::Uuid;

use super::attach_error::AttachError;
use super::runs::Runs;
use super::runtime::Runtime;

/// Live runs that are read together.
const TOGETHER: usize = 500;
/// Runs that are loaded together in order to be stopped.
const LOADED_TOGETHER: usize = 64;

impl Runs {
    /// Tells every live run that answers with one of these assistants, or writes skills for it, to stop, and waits a little until they have. Tells
    /// how many there were.
    ///
    /// It is for after the transaction that disables them. What accepts a run reads the assistant's row in the
    /// same transaction, so each is either refused from then on, or stood in storage before and is found here, launched
    /// or not yet. Runs that wait for a person are among them: else an answer given weeks later would let them go on.
    /// What is read and indexed for an assistant goes on.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn stop_assistants(
        &self,
        tenant: TenantId,
        assistants: HashSet<Uuid>,
        by: Uuid,
    ) -> storage::Result<usize> {
        let live = self.store().read(move |reader| live_of(reader, tenant, &assistants)).await?;
        // All of them before any is waited for, and automations last: one that is told stops its answer by itself, in
        // its owner's name.
        for live in live.iter().filter_map(|run| self.runtime.registry.find(tenant, *run)) {
            live.request_cancel(by);
        }
        let count = live.len();
        let (in_memory, unloaded): (Vec<_>, Vec<_>) =
            live.into_iter().partition(|run| self.runtime.registry.holds(*run));
        let mut results =
            futures::future::join_all(in_memory.into_iter().map(|run| self.cancel(tenant, run, by))).await;
        // Each is loaded for it, so not all at once.
        let cancels = futures::stream::iter(unloaded).map(|run| self.cancel(tenant, run, by));
        results.extend(cancels.buffer_unordered(LOADED_TOGETHER).collect::<Vec<_>>().await);
        for cancelled in results {
            match cancelled {
                Err(AttachError::Storage(why)) => return Err(why),
                // Ended by now; or without an actor, and the one that takes it up asks by itself.
                Ok(_) | Err(AttachError::NotFound | AttachError::Expired | AttachError::Busy) => {}
            }
        }
        Ok(count)
    }
}

/// Those runs, automations last.
fn live_of(reader: &Reader, tenant: TenantId, assistants: &HashSet<Uuid>) -> storage::Result<Vec<Uuid>> {
    let (mut live, mut after) = (Vec::new(), None);
    loop {
        let page = reader.scan::<Run>(tenant, Scan::index("live").limit(TOGETHER).after(after))?;
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

/// Whether what runs of this kind do is the assistant's doing, or a model's for it.
fn is_stopped(kind: RunKind) -> bool {
    match kind {
        RunKind::Completion | RunKind::Workflow | RunKind::Automation | RunKind::SkillBuild => true,
        RunKind::Video | RunKind::Ingest | RunKind::DirectorySync => false,
    }
}

/// Whether a run's assistant was disabled. To be asked where a run is taken up again: the server may have gone down
/// between the disabling and the stopping.
pub(super) async fn is_disabled(
    runtime: &Runtime,
    tenant: TenantId,
    run: &Row<Run>,
) -> storage::Result<bool> {
    let Some(id) = run.assistant_id.filter(|_| is_stopped(run.kind)) else { return Ok(false) };
    let row = runtime.store.read(move |reader| reader.get::<Assistant>(tenant, &id)).await?;
    Ok(row.is_some_and(|row: Row<Assistant>| !row.enabled))
}
