//! Making and changing automations.

use actors::automation::{Ask, check_ask, set_anchor};
use serde_json::json;
use storage::records::{Automation, AutomationSchedule, PausedReason, Tenant, TriggerKind};
use storage::{Counted, Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::schema::UpdateAutomationRequest;
use super::view::AutomationResponse;
use crate::api::assistants::access;
use crate::http::{Api, Caller, Code, Faults, IfMatch, Loadable, Refusal};
use domain::audit::{Actor, audit};

/// Makes an automation of the caller's. Not for whoever acts as somebody: it would run with that one's logins, memories
/// and knowledge.
pub fn create(
    tx: &mut Tx,
    caller: &Caller,
    now: Timestamp,
    new: UpdateAutomationRequest,
) -> Api<AutomationResponse> {
    caller.require_in_person()?;
    let own =
        tx.count::<Automation>(caller.tenant, Scan::index("by_owner").prefix(caller.user.as_bytes()))?;
    tx.require_place(Counted::Automations, own)?;
    check(tx, caller, now, None, &new)?;
    let mut automation = Automation { owner: caller.user, ..Automation::default() };
    apply(&mut automation, new);
    let row = tx.insert(caller.tenant, storage::new_id(), automation)?;
    let mut schedule = AutomationSchedule::default();
    set_anchor(&row, &mut schedule, now);
    tx.insert(caller.tenant, row.id, schedule)?;
    Ok(AutomationResponse::of(tx, caller, row, now)?)
}

/// Gives a cron trigger without a time zone that of the tenant. One that the automation has already stays as it is, so
/// that writing back what was read changes no schedule.
pub fn in_tenant_zone(
    tx: &Tx,
    caller: &Caller,
    id: Option<Uuid>,
    mut new: UpdateAutomationRequest,
) -> Api<UpdateAutomationRequest> {
    if new.trigger.kind != TriggerKind::Cron || new.trigger.timezone.is_some() {
        return Ok(new);
    }
    let before = id.map(|id| tx.get::<Automation>(caller.tenant, &id)).transpose()?.flatten();
    if before.is_none_or(|row| row.trigger != new.trigger) {
        let tenant = tx.get::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)?;
        new.trigger.timezone = tenant.and_then(|tenant| tenant.body.time_zone);
    }
    Ok(new)
}

/// What a request makes, but for whose it is; whether that may be is not asked.
pub fn body_of(new: UpdateAutomationRequest) -> Automation {
    let mut automation = Automation::default();
    apply(&mut automation, new);
    automation
}

/// Replaces what can be set of an automation. Of somebody else's, an administrator only switches
/// it off.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    now: Timestamp,
    id: Uuid,
    if_match: &IfMatch,
    new: UpdateAutomationRequest,
) -> Api<AutomationResponse> {
    caller.require_in_person()?;
    let mut row = Row::<Automation>::load(tx, caller, id)?.ok_or_else(|| Refusal::not_found("automation"))?;
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("automation").into());
    }
    if row.owner != caller.user {
        return switch_off(tx, caller, now, row, &new);
    }
    check(tx, caller, now, Some(&row), &new)?;
    let (trigger, enabled) = (row.trigger.clone(), row.enabled);
    apply(&mut row.body, new);
    let switched_on = row.enabled && !enabled;
    let row = tx.update(caller.tenant, row)?;
    let mut schedule = tx.require::<AutomationSchedule>(caller.tenant, &id)?;
    if switched_on {
        schedule.failures = 0;
    }
    if switched_on || row.trigger != trigger {
        set_anchor(&row, &mut schedule, now);
    }
    tx.update(caller.tenant, schedule)?;
    Ok(AutomationResponse::of(tx, caller, row, now)?)
}

fn switch_off(
    tx: &mut Tx,
    caller: &Caller,
    now: Timestamp,
    mut row: Row<Automation>,
    new: &UpdateAutomationRequest,
) -> Api<AutomationResponse> {
    if new.enabled {
        let why = "an administrator can only switch off somebody else's automation";
        return Err(Refusal::new(Code::NotAllowed).detail(why));
    }
    if row.enabled {
        row.enabled = false;
        row.paused_reason = Some(PausedReason::Administrator);
        row = tx.update(caller.tenant, row)?;
        note(tx, caller, "automation.disable", &row)?;
    }
    Ok(AutomationResponse::of(tx, caller, row, now)?)
}

/// Writes down what an administrator does to somebody else's automation.
pub fn note(tx: &mut Tx, caller: &Caller, action: &str, row: &Row<Automation>) -> storage::Result<()> {
    if row.owner == caller.user {
        return Ok(());
    }
    let actor = Actor::from(caller);
    let detail = json!({"name": row.name, "owner": row.owner});
    audit(tx, caller.tenant, actor, action, format!("automation {}", row.id), detail)
}

fn apply(automation: &mut Automation, new: UpdateAutomationRequest) {
    if new.enabled {
        automation.paused_reason = None;
    }
    automation.name = new.name.trim().to_owned();
    automation.assistant_id = new.assistant_id;
    automation.prompt = new.prompt;
    automation.inputs = new.inputs;
    automation.trigger = new.trigger;
    automation.enabled = new.enabled;
    automation.overlap = new.overlap;
    automation.catch_up = new.catch_up;
    automation.pause_after_failures = new.pause_after_failures;
    automation.notify = new.notify;
}

/// All that only the store and the clock can tell to be wrong. Every fault is named.
fn check(
    reader: &Reader,
    caller: &Caller,
    now: Timestamp,
    before: Option<&Automation>,
    new: &UpdateAutomationRequest,
) -> Api<()> {
    let mut faults = Faults::of("body");
    let trigger = &new.trigger;
    let same = before.is_some_and(|before| before.trigger == *trigger);
    if trigger.kind == TriggerKind::Once && !same && trigger.at.is_some_and(|at| at <= now) {
        faults.add(["trigger", "at"], "is in the past", "out_of_range");
    }
    match access::visible(reader, caller, new.assistant_id)? {
        Some(assistant) => {
            let ask = Ask { prompt: new.prompt.clone(), inputs: new.inputs.clone() };
            for fault in check_ask(&assistant, &ask) {
                faults.add(fault.loc.iter().map(String::as_str), fault.msg, fault.kind);
            }
        }
        // One whose assistant is gone can still be renamed, and stays off.
        None if before.is_some_and(|row| row.assistant_id == new.assistant_id) && !new.enabled => {}
        None => faults.add(["assistant_id"], "there is no such assistant", "not_found"),
    }
    faults.told()
}

/// Holds what one run is to be asked against the automation's assistant.
pub fn check_run(reader: &Reader, caller: &Caller, automation: &Automation, ask: &Ask) -> Api<()> {
    let assistant = access::visible(reader, caller, automation.assistant_id)?;
    let assistant = assistant.ok_or_else(|| Refusal::not_found("assistant"))?;
    access::require_enabled(&assistant)?;
    let faults = check_ask(&assistant, &ask.clone().or_of(automation));
    let mut told = Faults::of("body");
    for fault in faults {
        told.add(fault.loc.iter().map(String::as_str), fault.msg, fault.kind);
    }
    let told = told.into_vec();
    if told.is_empty() { Ok(()) } else { Err(Refusal::faulty(told)) }
}
