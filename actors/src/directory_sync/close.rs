//! The end of a synchronisation, as its history tells it.

use storage::records::{GroupSync, RunState};
use storage::{Scan, TenantId, Tx};
use uuid::Uuid;

use crate::event::Terminal;

/// Synchronisations that are remembered.
const KEPT: usize = 500;

/// Writes how a synchronisation ended, and lets go of one that is too long ago.
pub(crate) fn settle(tx: &mut Tx, tenant: TenantId, run: Uuid, terminal: &Terminal) -> storage::Result<()> {
    let Some(mut row) = tx.get::<GroupSync>(tenant, &run)? else { return Ok(()) };
    row.status = terminal.status;
    row.started_at = terminal.started_at;
    row.finished_at = Some(terminal.finished_at);
    let reason = terminal.reason.as_deref();
    let (code, message) = match (&terminal.error, terminal.status) {
        (Some(error), _) => (Some(error.code.as_str()), Some(error.message.as_str())),
        (None, RunState::TimedOut) => (Some("timed_out"), Some("it took longer than it may")),
        (None, RunState::Cancelled) => (Some("cancelled"), Some("somebody stopped it")),
        (None, RunState::Partial) => (Some("partial"), reason),
        (None, RunState::Interrupted) => (Some("interrupted"), reason),
        (None, _) => (None, None),
    };
    (row.error_code, row.error) = (code.map(str::to_owned), message.map(str::to_owned));
    tx.update(tenant, row)?;
    let kept = tx.scan::<GroupSync>(tenant, Scan::table().reverse().limit(KEPT))?;
    if kept.next.is_some() {
        let older = Scan::table().reverse().limit(KEPT / 10).after(kept.next);
        for row in tx.scan::<GroupSync>(tenant, older)?.items {
            tx.delete::<GroupSync>(tenant, &row.id)?;
        }
    }
    Ok(())
}
