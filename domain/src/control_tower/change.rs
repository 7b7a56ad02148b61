//! Disables, enables and transfers any number of assistants in one transaction.

use serde::Serialize;
use serde_json::{Map, Value, json};
use storage::records::{Assistant, KnowledgeBase, Notice, Severity};
use storage::{Reader, Row, TenantId, Tx, notices};
use utoipa::ToSchema;
use uuid::Uuid;

use super::candidates::may_own;
use super::transfer::transfer;
use crate::accounts::members;
use crate::audit::{Actor, audit};
use crate::{Caller, Refusal, Result};

/// A change that an administrator makes to assistants.
#[derive(Clone, Debug)]
pub enum AssistantChange {
    /// The assistants do not answer any requests.
    Disable {
        /// Shown to the owner.
        reason: String,
    },
    /// The assistants answer again.
    Enable,
    /// The assistants get another owner.
    Transfer {
        /// The new owner.
        to: Uuid,
    },
}

/// The result for one assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BulkAssistantStatus)]
pub enum ChangeStatus {
    Ok,
    /// The assistant already had the requested state.
    Unchanged,
    /// The tenant has no such assistant.
    NotFound,
}

/// The result for one assistant, with its row.
#[derive(Clone, Debug)]
pub struct ChangeOutcome {
    /// The id that was given.
    pub id: Uuid,
    pub status: ChangeStatus,
    /// The row after the change; `None` if the assistant does not exist.
    pub row: Option<Row<Assistant>>,
}

/// Changes assistants and returns an outcome for each of `ids`, in the same order. Each change is recorded in the audit
/// log. The owner and, in a transfer, the previous owner are notified.
///
/// This function does not stop runs of a disabled assistant. The caller stops them after this transaction, including
/// those of assistants that were already disabled, so that a repeated request stops runs that a crash has left behind.
///
/// # Errors
/// `role_missing` if the caller is no longer an administrator; `invalid` with `not_eligible` for a new owner who may not
/// own assistants.
pub fn change_assistants(
    tx: &mut Tx,
    caller: &Caller,
    ids: &[Uuid],
    change: &AssistantChange,
) -> Result<Vec<ChangeOutcome>> {
    members::require_admin(tx, caller)?;
    if let AssistantChange::Transfer { to } = change
        && !may_own(tx, caller.tenant, *to)?
    {
        let why = "is not an editor of this tenant, or is disabled";
        return Err(Refusal::invalid("body", ["new_owner_id"], why, "not_eligible"));
    }
    ids.iter().map(|id| change_one(tx, caller, *id, change)).collect()
}

fn change_one(tx: &mut Tx, caller: &Caller, id: Uuid, change: &AssistantChange) -> Result<ChangeOutcome> {
    let Some(row) = tx.get::<Assistant>(caller.tenant, &id)? else {
        return Ok(ChangeOutcome { id, status: ChangeStatus::NotFound, row: None });
    };
    let previous_owner = row.owner;
    let (body, action, detail) = changed(tx, caller.tenant, &row, change)?;
    if body == row.body {
        return Ok(ChangeOutcome { id, status: ChangeStatus::Unchanged, row: Some(row) });
    }
    let row = tx.update(caller.tenant, Row { body, ..row })?;
    audit(tx, caller.tenant, Actor::from(caller), action, format!("assistant {id}"), detail)?;
    if row.owner != previous_owner {
        transfer_own_knowledge(tx, caller, &row)?;
        // The previous owner approved the keys for what that owner could see of the assistant.
        tx.forget_server_keys_beyond(caller.tenant, id, &[])?;
        notify(tx, caller, &row, previous_owner, change)?;
    }
    notify(tx, caller, &row, row.owner, change)?;
    Ok(ChangeOutcome { id, status: ChangeStatus::Ok, row: Some(row) })
}

/// Returns the assistant after the change, with the action and the detail of its audit record.
fn changed(
    reader: &Reader,
    tenant: TenantId,
    row: &Row<Assistant>,
    change: &AssistantChange,
) -> storage::Result<(Assistant, &'static str, Value)> {
    let mut body = row.body.clone();
    let (action, detail) = match change {
        AssistantChange::Disable { reason } => {
            (body.enabled, body.disabled_reason) = (false, Some(reason.trim().to_owned()));
            ("assistant.disable", json!({"reason": body.disabled_reason}))
        }
        AssistantChange::Enable => {
            (body.enabled, body.disabled_reason) = (true, None);
            ("assistant.enable", json!({}))
        }
        AssistantChange::Transfer { to } => {
            let detail = transfer(reader, tenant, &mut body, *to)?;
            ("assistant.transfer", detail)
        }
    };
    Ok((body, action, detail))
}

/// The knowledge base that belongs to an assistant has the same owner as the assistant.
fn transfer_own_knowledge(tx: &mut Tx, caller: &Caller, assistant: &Assistant) -> storage::Result<()> {
    let Some(base) = assistant.own_knowledge else { return Ok(()) };
    let Some(mut base) = tx.get::<KnowledgeBase>(caller.tenant, &base)? else { return Ok(()) };
    base.body.owner = assistant.owner;
    tx.update(caller.tenant, base).map(drop)
}

/// Notifies the owner or the previous owner.
fn notify(
    tx: &mut Tx,
    caller: &Caller,
    row: &Row<Assistant>,
    user: Uuid,
    change: &AssistantChange,
) -> storage::Result<()> {
    let (name, is_owner) = (&row.name, user == row.owner);
    let (kind, severity, title, body) = match change {
        AssistantChange::Disable { reason } => (
            "assistant.disabled",
            Severity::Warning,
            format!("{name} was disabled"),
            format!("An administrator disabled it and stopped its runs. {}", reason.trim()),
        ),
        AssistantChange::Enable => (
            "assistant.enabled",
            Severity::Info,
            format!("{name} was enabled"),
            "An administrator enabled it again. Runs that were stopped stay stopped.".to_owned(),
        ),
        AssistantChange::Transfer { .. } if is_owner => (
            "assistant.transferred",
            Severity::Info,
            format!("{name} is yours"),
            "An administrator gave it to you, with its own files. Services have to be approved again; skills and \
             knowledge bases that you may not see were removed from it."
                .to_owned(),
        ),
        AssistantChange::Transfer { .. } => (
            "assistant.transferred",
            Severity::Warning,
            format!("{name} has another owner"),
            "An administrator gave it to another user. Your automations with it stay yours.".to_owned(),
        ),
    };
    let mut data = Map::new();
    data.insert("assistant_id".into(), json!(row.id));
    data.insert("by".into(), json!(caller.user));
    match change {
        AssistantChange::Disable { .. } => data.insert("reason".into(), json!(row.disabled_reason)),
        AssistantChange::Transfer { to } => data.insert("owner".into(), json!(to)),
        AssistantChange::Enable => None,
    };
    let link = Some(format!("/assistants/{}", row.id));
    let kind = kind.to_owned();
    let notice = Notice { user, kind, severity, title, body, link, data, ..Notice::default() };
    notices::notify(tx, caller.tenant, notice).map(drop)
}
