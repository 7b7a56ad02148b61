//! Disabling and enabling assistants, and giving them away: one transaction, however many there are.

use serde_json::{Map, Value, json};
use storage::records::{Assistant, KnowledgeBase, Notice, Severity};
use storage::{Reader, Row, TenantId, Tx, notices};
use uuid::Uuid;

use super::candidates;
use super::handover::hand_over;
use super::schema::BulkAssistantStatus;
use crate::App;
use crate::http::{Api, Caller, Refusal};
use domain::accounts::members;
use domain::audit::{Actor, audit};

/// What is to become of assistants.
#[derive(Clone, Debug)]
pub enum Wish {
    /// They answer nobody.
    Disable {
        /// Why.
        reason: String,
    },
    /// They answer again.
    Enable,
    /// They are somebody else's.
    Transfer {
        /// Whose.
        to: Uuid,
    },
}

/// What became of one.
pub struct Outcome {
    /// Which was named.
    pub id: Uuid,
    /// Whether it was there, and was changed.
    pub status: BulkAssistantStatus,
    /// As it is now; none where there is no such assistant.
    pub row: Option<Row<Assistant>>,
}

/// Does it for all of these, in one transaction; then, where they are disabled, stops what is live. Tells what became
/// of each, and how many runs were stopped.
///
/// What is disabled already is looked at as well, so that asking again stops what a server that went down left behind.
pub async fn change(
    app: &App,
    caller: &std::sync::Arc<Caller>,
    ids: Vec<Uuid>,
    wish: Wish,
) -> Api<(Vec<Outcome>, u64)> {
    let (who, stops) = (caller.clone(), matches!(wish, Wish::Disable { .. }));
    let outcomes = app.store.run(move |tx| all(tx, &who, &ids, &wish)).await?;
    let there = outcomes.iter().filter_map(|outcome| outcome.row.as_ref()).map(|row| row.id);
    let stopped = match stops {
        true => {
            app.disabled.notify_waiters();
            app.actors.stop_assistants(caller.tenant, there.collect(), caller.user).await?
        }
        false => 0,
    };
    Ok((outcomes, stopped as u64))
}

fn all(tx: &mut Tx, caller: &Caller, ids: &[Uuid], wish: &Wish) -> Api<Vec<Outcome>> {
    members::require_admin(tx, caller)?;
    if let Wish::Transfer { to } = wish
        && !candidates::may_own(tx, caller.tenant, *to)?
    {
        let why = "is no editor of this tenant who may come in";
        return Err(Refusal::invalid("body", ["new_owner_id"], why, "not_eligible"));
    }
    ids.iter().map(|id| one(tx, caller, *id, wish)).collect()
}

fn one(tx: &mut Tx, caller: &Caller, id: Uuid, wish: &Wish) -> Api<Outcome> {
    let Some(row) = tx.get::<Assistant>(caller.tenant, &id)? else {
        return Ok(Outcome { id, status: BulkAssistantStatus::NotFound, row: None });
    };
    let before = row.body.owner;
    let (wanted, action, detail) = wanted(tx, caller.tenant, &row, wish)?;
    if wanted == row.body {
        return Ok(Outcome { id, status: BulkAssistantStatus::Unchanged, row: Some(row) });
    }
    let row = tx.update(caller.tenant, Row { body: wanted, ..row })?;
    audit(tx, caller.tenant, Actor::from(caller), action, format!("assistant {id}"), detail)?;
    if row.owner != before {
        follow(tx, caller, &row)?;
        // The owner before has allowed that, for what they could see of it.
        tx.forget_server_keys_beyond(caller.tenant, id, &[])?;
        tell(tx, caller, &row, before, wish)?;
    }
    tell(tx, caller, &row, row.owner, wish)?;
    Ok(Outcome { id, status: BulkAssistantStatus::Ok, row: Some(row) })
}

/// The assistant as it is to be, and how the audit record tells it.
fn wanted(
    reader: &Reader,
    tenant: TenantId,
    row: &Row<Assistant>,
    wish: &Wish,
) -> storage::Result<(Assistant, &'static str, Value)> {
    let mut to = row.body.clone();
    let (action, detail) = match wish {
        Wish::Disable { reason } => {
            (to.enabled, to.disabled_reason) = (false, Some(reason.trim().to_owned()));
            ("assistant.disable", json!({"reason": to.disabled_reason}))
        }
        Wish::Enable => {
            (to.enabled, to.disabled_reason) = (true, None);
            ("assistant.enable", json!({}))
        }
        Wish::Transfer { to: owner } => {
            let detail = hand_over(reader, tenant, &mut to, *owner)?;
            ("assistant.transfer", detail)
        }
    };
    Ok((to, action, detail))
}

/// Its own knowledge is whose it is.
fn follow(tx: &mut Tx, caller: &Caller, assistant: &Assistant) -> storage::Result<()> {
    let Some(base) = assistant.own_knowledge else { return Ok(()) };
    let Some(mut base) = tx.get::<KnowledgeBase>(caller.tenant, &base)? else { return Ok(()) };
    base.body.owner = assistant.owner;
    tx.update(caller.tenant, base).map(drop)
}

/// Tells its owner, or who was that.
fn tell(tx: &mut Tx, caller: &Caller, row: &Row<Assistant>, user: Uuid, wish: &Wish) -> storage::Result<()> {
    let (name, is_owner) = (&row.name, user == row.owner);
    let (kind, severity, title, body) = match wish {
        Wish::Disable { reason } => (
            "assistant.disabled",
            Severity::Warning,
            format!("{name} was disabled"),
            format!("An administrator disabled it, and stopped what it was doing. {}", reason.trim()),
        ),
        Wish::Enable => (
            "assistant.enabled",
            Severity::Info,
            format!("{name} was enabled"),
            "An administrator enabled it again. What was stopped stays stopped.".to_owned(),
        ),
        Wish::Transfer { .. } if is_owner => (
            "assistant.transferred",
            Severity::Info,
            format!("{name} is yours"),
            "An administrator gave it to you, with its own files. Services have to be approved anew, and skills and \
             knowledge bases that you may not see were taken off it."
                .to_owned(),
        ),
        Wish::Transfer { .. } => (
            "assistant.transferred",
            Severity::Warning,
            format!("{name} has another owner"),
            "An administrator gave it to somebody else. Your automations with it stay yours.".to_owned(),
        ),
    };
    let mut data = Map::new();
    data.insert("assistant_id".into(), json!(row.id));
    data.insert("by".into(), json!(caller.user));
    match wish {
        Wish::Disable { .. } => data.insert("reason".into(), json!(row.disabled_reason)),
        Wish::Transfer { to } => data.insert("owner".into(), json!(to)),
        Wish::Enable => None,
    };
    let link = Some(format!("/assistants/{}", row.id));
    let kind = kind.to_owned();
    notices::tell(
        tx,
        caller.tenant,
        Notice { user, kind, severity, title, body, link, data, ..Notice::default() },
    )
}
