//! The writes of a synchronisation: records, its history row and events, in one commit.

use runs::{EventBody, SealError, Work, WriteError};
use serde_json::json;
use storage::records::{AuditRecord, DirectorySource, GroupSync, SyncCounts};
use storage::{TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

/// Maximum number of warnings that one synchronisation stores.
const WARNINGS: usize = 100;

/// Why a synchronisation stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The tenant's directory was replaced or removed.
    Lost,
    /// The store failed. The next epoch tries again.
    Storage(storage::Error),
    /// A later epoch owns the run.
    Written(WriteError),
}

impl From<storage::Error> for Stop {
    fn from(why: storage::Error) -> Self {
        Self::Storage(why)
    }
}

impl From<WriteError> for Stop {
    fn from(why: WriteError) -> Self {
        Self::Written(why)
    }
}

/// Writes records and the corresponding events in one commit. `write` is called again if it conflicts with another transaction.
pub(super) async fn commit(
    work: &Work,
    write: impl Fn(&mut Tx) -> Result<Vec<EventBody>, Stop>,
) -> Result<(), Stop> {
    loop {
        let (events, batch, rings) = work.store.prepare(&write)?;
        let sealing = work.writer.seal(events, 0, batch, rings).map_err(|_| WriteError)?;
        match sealing.verdict().await {
            Ok(()) => return Ok(()),
            Err(SealError::Conflict | SealError::Moved) => work.writer.flush().await?,
            Err(SealError::Closed) => return Err(WriteError.into()),
        }
    }
}

/// Returns an error unless the directory is still the one that the run was started with.
pub(super) fn fence(tx: &mut Tx, tenant: TenantId, run: Uuid) -> Result<(), Stop> {
    let source = tx.get::<DirectorySource>(tenant, &tenant.0)?;
    match source.is_some_and(|source| source.sync == Some(run)) {
        true => Ok(()),
        false => Err(Stop::Lost),
    }
}

/// Writes the audit record of a user whom the directory added or removed. The record has no actor, because the directory decides.
pub(super) fn note(
    tx: &mut Tx,
    tenant: TenantId,
    action: &str,
    user: Uuid,
    sync: Uuid,
) -> storage::Result<()> {
    let record = AuditRecord {
        ts: Timestamp::now(),
        action: action.to_owned(),
        target: format!("user {user}"),
        detail: json!({"origin": "directory", "sync": sync}),
        ..AuditRecord::default()
    };
    tx.insert(tenant, new_id(), record).map(drop)
}

/// Adds counts and an optional warning to the history of the run.
pub(super) fn add_to_history(
    tx: &mut Tx,
    tenant: TenantId,
    run: Uuid,
    counts: &SyncCounts,
    warning: Option<String>,
) -> Result<(), Stop> {
    let mut row = tx.require::<GroupSync>(tenant, &run)?;
    row.counts.add(counts);
    match row.warnings.len() {
        0..WARNINGS => row.warnings.extend(warning),
        WARNINGS if warning.is_some() => row.warnings.push("and more".to_owned()),
        _ => {}
    }
    tx.update(tenant, row)?;
    Ok(())
}
