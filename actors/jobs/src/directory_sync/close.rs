//! The end of a synchronisation, as recorded in its history.

use runs::Terminal;
use serde_json::{Map, json};
use storage::records::{GroupSync, Notice, RunState, Severity};
use storage::{Reader, Row, Scan, TenantId, Tx, notices};
use uuid::Uuid;

/// Number of synchronisations that are retained in the history.
const MAX_KEPT: usize = 500;
/// Maximum number of synchronisations that are searched for the previous result.
const LOOKED_BACK: usize = 50;

/// Records how a synchronisation ended, and removes history entries beyond the retained number.
pub(crate) fn settle(tx: &mut Tx, tenant: TenantId, run: Uuid, terminal: &Terminal) -> storage::Result<()> {
    let Some(mut row) = tx.get::<GroupSync>(tenant, &run)? else { return Ok(()) };
    row.status = terminal.status;
    row.started_at = terminal.started_at;
    row.finished_at = Some(terminal.finished_at);
    let reason = terminal.reason.as_deref();
    let (code, message) = match (&terminal.error, terminal.status) {
        (Some(error), _) => (Some(error.code.as_str()), Some(error.message.as_str())),
        (None, RunState::TimedOut) => (Some("timed_out"), Some("it exceeded its time limit")),
        (None, RunState::Cancelled) => (Some("cancelled"), Some("a user stopped it")),
        (None, RunState::Partial) => (Some("partial"), reason),
        (None, RunState::Interrupted) => (Some("interrupted"), reason),
        (None, _) => (None, None),
    };
    (row.error_code, row.error) = (code.map(str::to_owned), message.map(str::to_owned));
    let row = tx.update(tenant, row)?;
    if broke(row.status) && previous_sync_succeeded(tx, tenant, &row)? {
        notify(tx, tenant, &row)?;
    }
    let recent = tx.scan::<GroupSync>(tenant, Scan::table().reverse().limit(MAX_KEPT))?;
    if recent.next.is_some() {
        let older = Scan::table().reverse().limit(MAX_KEPT / 10).after(recent.next);
        for row in tx.scan::<GroupSync>(tenant, older)?.items {
            tx.delete::<GroupSync>(tenant, &row.id)?;
        }
    }
    Ok(())
}

/// Whether a synchronisation with this status failed to do its work.
fn broke(status: RunState) -> bool {
    matches!(status, RunState::Failed | RunState::TimedOut | RunState::Interrupted)
}

/// Whether the last previous synchronisation that was not cancelled succeeded.
fn previous_sync_succeeded(reader: &Reader, tenant: TenantId, row: &Row<GroupSync>) -> storage::Result<bool> {
    let latest = reader.scan::<GroupSync>(tenant, Scan::table().reverse().limit(LOOKED_BACK))?.items;
    let mut earlier = latest.iter().filter(|other| other.id < row.id && other.finished_at.is_some());
    let last = earlier.find(|other| other.status != RunState::Cancelled);
    Ok(last.is_none_or(|last| !broke(last.status)))
}

/// Notifies the administrators. Sent only for the first failure after a success.
fn notify(tx: &mut Tx, tenant: TenantId, row: &Row<GroupSync>) -> storage::Result<()> {
    let mut data = Map::new();
    data.insert("sync_id".into(), json!(row.id));
    data.insert("error_code".into(), json!(row.error_code));
    let notice = Notice {
        kind: "directory.failed".to_owned(),
        severity: Severity::Error,
        title: "Groups could not be synchronised".to_owned(),
        body: row.error.clone().unwrap_or_else(|| "The synchronisation did not finish.".to_owned()),
        link: Some("/groups/sync/history".to_owned()),
        data,
        ..Notice::default()
    };
    notices::notify_administrators(tx, tenant, &notice)
}
