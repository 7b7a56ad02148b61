//! Deleting conversations.

use storage::records::Run;
use storage::{Reader, Scan, TenantId, Tx};
use uuid::Uuid;

use super::own;
use crate::{Caller, Result};

/// Returns the active runs of a conversation.
///
/// # Errors
/// Returns an error if storage fails.
pub fn live_runs(reader: &Reader, tenant: TenantId, conversation: Uuid) -> storage::Result<Vec<Uuid>> {
    let scan = Scan::index("live_by_conversation").prefix(conversation.as_bytes());
    Ok(reader.scan::<Run>(tenant, scan)?.items.iter().map(|run| run.id).collect())
}

/// Deletes one of the caller's conversations and everything that belongs to it, unless it has active runs: in that case
/// it returns them and deletes nothing. A run cannot start concurrently, because it would also have to change the
/// conversation.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn remove(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Vec<Uuid>> {
    own(tx, caller, id)?;
    let live = live_runs(tx, caller.tenant, id)?;
    if live.is_empty() {
        tx.delete_conversation(caller.tenant, id)?;
    }
    Ok(live)
}
