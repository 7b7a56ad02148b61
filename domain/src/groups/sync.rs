//! Synchronisations: their state, their history, and their audit records.

use serde_json::json;
use storage::records::{DirectorySource, GroupSync, Run};
use storage::{Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::{Caller, Code, Refusal, Result};

/// Returns the running synchronisation with a directory.
///
/// # Errors
/// Returns an error if storage fails.
pub fn running(reader: &Reader, tenant: TenantId, source: &DirectorySource) -> storage::Result<Option<Uuid>> {
    let Some(id) = source.sync else { return Ok(None) };
    let run = reader.get::<Run>(tenant, &id)?;
    Ok(run.filter(|run| !run.state.is_terminal()).map(|run| run.id))
}

/// Returns the refusal while a synchronisation is running, with its id.
pub fn already_running(sync: Uuid) -> Refusal {
    Refusal::new(Code::SyncRunning).extra("sync_id", sync.to_string())
}

/// Adds the current state of the run to a synchronisation. The synchronisation's own row contains the state only after the
/// run has ended.
///
/// # Errors
/// Returns an error if storage fails.
pub fn with_run_state(
    reader: &Reader,
    tenant: TenantId,
    mut row: Row<GroupSync>,
) -> storage::Result<Row<GroupSync>> {
    if !row.status.is_terminal()
        && let Some(run) = reader.get::<Run>(tenant, &row.id)?
    {
        if run.state.is_terminal() {
            // The run ended after the row was read. Its end writes both rows in one transaction.
            return Ok(reader.get(tenant, &row.id)?.unwrap_or(row));
        }
        row.status = run.state;
        row.started_at = run.started_at;
    }
    Ok(row)
}

/// Returns at most `limit` synchronisations after the first `offset`, latest first, and their total number. A few hundred
/// are stored, so all of them are read.
///
/// # Errors
/// Returns an error if storage fails.
pub fn history(
    reader: &Reader,
    tenant: TenantId,
    offset: u64,
    limit: usize,
) -> Result<(Vec<Row<GroupSync>>, u64)> {
    let rows = reader.scan::<GroupSync>(tenant, Scan::table().reverse())?.items;
    let total = rows.len() as u64;
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let part = rows.into_iter().skip(offset).take(limit);
    let rows = part.map(|row| with_run_state(reader, tenant, row)).collect::<storage::Result<_>>()?;
    Ok((rows, total))
}

/// Records an action of the caller on a synchronisation in the audit log.
///
/// # Errors
/// `not_found` if the synchronisation does not exist.
pub fn audit_sync(tx: &mut Tx, caller: &Caller, sync: Uuid, action: &str) -> Result<()> {
    if tx.get::<GroupSync>(caller.tenant, &sync)?.is_none() {
        return Err(Refusal::not_found("synchronisation"));
    }
    let target = format!("sync {sync}");
    Ok(audit(tx, caller.tenant, Actor::from(caller), action, target, json!({}))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::records::{RunKind, RunState};
    use storage::{Store, StoreOptions};

    #[test]
    fn synchronisation_read_before_its_end_has_the_counts_of_the_end() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::open(StoreOptions::new(dir.path())).expect("the store opens");
        let (tenant, id) = (TenantId(Uuid::now_v7()), Uuid::now_v7());
        let begun = store.run_blocking(|tx| -> storage::Result<_> {
            tx.insert(
                tenant,
                id,
                Run { kind: RunKind::DirectorySync, state: RunState::Running, ..Run::default() },
            )?;
            tx.insert(tenant, id, GroupSync::default())
        });
        let begun = begun.expect("the store writes");
        let read = || store.read_now(|reader| with_run_state(reader, tenant, begun.clone())).expect("a row");
        assert_eq!(read().status, RunState::Running);
        let ended = store.run_blocking(|tx| -> storage::Result<_> {
            let mut run = tx.require::<Run>(tenant, &id)?;
            run.state = RunState::Succeeded;
            tx.update(tenant, run)?;
            let mut row = tx.require::<GroupSync>(tenant, &id)?;
            row.status = RunState::Succeeded;
            row.counts.groups_added = 3;
            tx.update(tenant, row)
        });
        let ended = ended.expect("the store writes");
        assert_eq!(read().body, ended.body);
    }
}
