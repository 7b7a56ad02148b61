//! The audit log.

use serde_json::Value;
use storage::records::AuditRecord;
use storage::{TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

use crate::Caller;

/// The user who makes a change, for the audit log.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// The user; nil for the command line.
    pub user: Uuid,
    /// The administrator who acts as the user, if any.
    pub act: Option<Uuid>,
}

impl Actor {
    /// The command line, which has access to the whole data folder.
    pub const COMMAND_LINE: Self = Self { user: Uuid::nil(), act: None };
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self { user: caller.user, act: caller.act }
    }
}

/// Adds a change to the audit log of the tenant that it concerns.
///
/// # Errors
/// Returns an error if storage fails.
pub fn audit(
    tx: &mut Tx,
    tenant: TenantId,
    actor: Actor,
    action: &str,
    target: String,
    detail: Value,
) -> storage::Result<()> {
    let Actor { user, act } = actor;
    let record =
        AuditRecord { ts: Timestamp::now(), actor: user, act, action: action.to_owned(), target, detail };
    tx.insert(tenant, new_id(), record).map(drop)
}
